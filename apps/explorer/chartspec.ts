/** What is drawn for a chart's points, as Vega-Lite.
 *
 * Fields have names of our own (`from`, `to`, `value`): a column may be called anything, and a name
 * with brackets or dots would be read as a path. What a column is called is only ever a title. */

import type { TopLevelSpec } from "vega-lite";

import type { Column } from "./contract.ts";
import type { ChartReply } from "./contract.ts";
import { isDate, isNumeric, typesIn } from "./columns.ts";
import { clip, visible } from "./text.ts";

export interface Ink {
  readonly text: string;
  readonly faint: string;
  readonly line: string;
  readonly mark: string;
  readonly font: string;
}

export interface ChartChoice {
  readonly x: string;
  readonly y: string | null;
}

/** A date tells most, then a measure, then a category. */
export function firstChoice(columns: readonly Column[]): ChartChoice | null {
  const chartable = columns.filter((column) => isChartable(column.type));
  const date = chartable.find((column) => isDate(column.type));
  const measures = chartable.filter((column) => isNumeric(column.type) && !/(^|_)id$/i.test(column.name));
  const measure = measures.find((column) => typesIn(column.type).includes("float")) ?? measures[0];
  const column = date ?? measure ?? chartable[0];
  return column ? { x: column.name, y: null } : null;
}

export function isChartable(type: string): boolean {
  const types = typesIn(type);
  return types.length > 0 && !types.some((one) => one === "dict" || one === "list");
}

export function valueTitle(chart: ChartReply): string {
  return chart.y === null ? "rows" : `mean of ${title(chart.y)}`;
}

export function title(column: string): string {
  return visible(clip(column, 60));
}

/** So few bars would each be as thick as a wall. */
const FEW = 7;

type Point = Readonly<Record<string, string | number | boolean | null>>;

export function specFor(chart: ChartReply, ink: Ink): TopLevelSpec {
  return {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    width: "container",
    height: "container",
    autosize: { type: "fit", contains: "padding", resize: true },
    background: "transparent",
    data: { values: chart.points.map((point) => pointOf(chart, point)) },
    config: configFor(ink),
    ...markFor(chart),
  } as TopLevelSpec;
}

function pointOf(chart: ChartReply, point: ChartReply["points"][number]): Point {
  const value = chart.kind === "scatter" ? point.y : chart.y === null ? point.count : point.mean;
  const from = chart.kind === "categories" ? visible(clip(String(point.x), 40)) : point.x;
  return {
    from,
    to: point.x2 ?? null,
    value: value ?? null,
    count: point.count ?? null,
    label: labelOf(chart, point),
  };
}

/** What a point is, in words. Times stay in UTC, as the axis has them; Vega would tell local ones. */
function labelOf(chart: ChartReply, point: ChartReply["points"][number]): string {
  const [from, to] = [point.x, point.x2].map((end) =>
    typeof end === "number" ? String(Number(end.toPrecision(6))) : visible(clip(String(end), 40)),
  );
  if (chart.kind === "timeline")
    return String(from)
      .replace("T", " ")
      .replace(/(:00)?(\.0+)?Z$/, "");
  return chart.kind === "histogram" ? `${from} to ${to}` : String(from);
}

/** The part of the spec that depends on the kind; checked by Vega-Lite itself when it compiles. */
function markFor(chart: ChartReply): object {
  const x = title(chart.x);
  const value = { field: "value", type: "quantitative", title: valueTitle(chart) };
  const tooltip = [
    { field: "label", type: "nominal", title: x },
    chart.kind === "scatter" ? { ...value, title: title(chart.y ?? "") } : value,
    ...(chart.y !== null && chart.kind !== "scatter"
      ? [{ field: "count", type: "quantitative", title: "rows" }]
      : []),
  ];
  switch (chart.kind) {
    case "histogram":
      return {
        mark: { type: "bar", binSpacing: 1 },
        encoding: {
          x: { field: "from", bin: { binned: true }, title: x },
          x2: { field: "to" },
          y: chart.y === null ? value : { ...value, scale: { zero: false } },
          tooltip,
        },
      };
    case "timeline":
      return {
        mark: chart.y === null ? { type: "rect" } : { type: "line", point: true },
        encoding: {
          x: { field: "from", type: "temporal", scale: { type: "utc" }, title: `${x} (UTC)` },
          ...(chart.y === null ? { x2: { field: "to" }, y2: { datum: 0 } } : {}),
          y: chart.y === null ? value : { ...value, scale: { zero: false } },
          tooltip,
        },
      };
    case "categories":
      return {
        mark: { type: "bar", cornerRadiusEnd: 2, ...(chart.points.length < FEW ? { size: 32 } : {}) },
        encoding: { y: { field: "from", type: "nominal", sort: null, title: x }, x: value, tooltip },
      };
    case "scatter":
      return {
        mark: { type: "point", filled: true, opacity: 0.55, size: 26 },
        encoding: {
          x: { field: "from", type: "quantitative", title: x, scale: { zero: false } },
          y: { ...value, title: title(chart.y ?? ""), scale: { zero: false } },
          tooltip,
        },
      };
  }
}

function configFor(ink: Ink): object {
  return {
    font: ink.font,
    aria: false, // the picture has a sentence and a table; a thousand marks would only be in the way
    view: { stroke: null },
    mark: { color: ink.mark },
    axis: {
      labelColor: ink.faint,
      titleColor: ink.text,
      titleFontWeight: 500,
      gridColor: ink.line,
      domainColor: ink.line,
      tickColor: ink.line,
      labelFontSize: 11,
      titleFontSize: 12,
      titlePadding: 8,
      labelLimit: 160,
    },
    axisY: { domain: false, ticks: false, labelPadding: 6 },
    axisX: { grid: false },
  };
}

/** A sentence in the place of the picture. */
export function chartLabel(chart: ChartReply): string {
  const kinds = {
    histogram: "Histogram",
    categories: "Bar chart",
    timeline: "Timeline",
    scatter: "Scatter plot",
  };
  const what = chart.y === null ? `of ${title(chart.x)}` : `of ${title(chart.y)} by ${title(chart.x)}`;
  return `${kinds[chart.kind]} ${what}, from ${chart.rows.toLocaleString("en-US")} rows`;
}
