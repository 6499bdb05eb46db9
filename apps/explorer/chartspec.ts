/** What is drawn against what, and the words of a chart. */

import type { ChartOthers, ChartPoint, ChartReply, Column } from "./contract.ts";
import { isDate, isNumeric, typesIn } from "./columns.ts";
import { clip, counted, valueName, visible } from "./text.ts";
import { type Unit, exactNumber, shortNumber } from "./ticks.ts";

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

/** What is drawn across, with the zone of times that have one. */
export function acrossTitle(chart: ChartReply): string {
  return chart.zone ? `${title(chart.x)} (${chart.zone})` : title(chart.x);
}

export function title(column: string): string {
  return visible(clip(column, 60));
}

/** What a point is, in words. Times are in UTC, and spelled as the rows spell them. */
export function pointLabel(chart: ChartReply, point: ChartPoint): string {
  if (chart.kind === "timeline") {
    const from = timeLabel(String(point.x), chart.step ?? "minute");
    return chart.step ? from : `${from} to ${timeLabel(String(point.x2), "minute")}`;
  }
  if (chart.kind === "histogram") return rangeLabel(chart, Number(point.x), Number(point.x2));
  return typeof point.x === "number" ? exactNumber(point.x) : valueName(String(point.x));
}

/** The values of a bin. Whole numbers end with the last one that is in it; the end of others is in the next. */
function rangeLabel(chart: ChartReply, from: number, to: number): string {
  if (!chart.whole) return `${exactNumber(from)} to below ${exactNumber(to)}`;
  return to - 1 <= from ? exactNumber(from) : `${exactNumber(from)} to ${exactNumber(to - 1)}`;
}

/** The height of a mark, in words: a mean is rounded, a value of a row is not. */
export function valueLabel(chart: ChartReply, value: number): string {
  if (!Number.isFinite(value)) return "—";
  return chart.kind === "scatter" ? exactNumber(value) : shortNumber(value);
}

const SPELLED: Readonly<Record<Unit, number>> = { year: 4, month: 7, day: 10, hour: 16, minute: 16 };

function timeLabel(iso: string, unit: Unit): string {
  return iso.slice(0, SPELLED[unit]).replace("T", " ");
}

/** The categories that have no bar of their own. */
export function othersLabel({ values }: ChartOthers): string {
  return counted(values, "other value");
}

const USUAL = 0.9;
const LONGER = 1.5;

/** The points of a line that come after a span without rows. Weekends are none where all weeks have
 * them: a gap is longer than nearly all other spans between two points. */
export function gapsIn({ points }: ChartReply): ReadonlySet<number> {
  const starts = points.map((point) => Date.parse(String(point.x)));
  const spans = starts.slice(1).map((start, index) => start - (starts[index] ?? start));
  const usual = spans.toSorted((one, other) => one - other)[Math.floor(USUAL * (spans.length - 1))] ?? 0;
  const after = [...points.keys()].filter((index) => (spans[index - 1] ?? 0) > LONGER * usual);
  return new Set(after.filter((index) => points[index - 1]?.x2 !== points[index]?.x));
}

/** Says what a dashed line means, if there is one. */
export function gapNotes(chart: ChartReply): readonly string[] {
  const hasLine = chart.kind === "timeline" && chart.y !== null;
  return hasLine && gapsIn(chart).size > 0 ? ["Dashed: no rows in between."] : [];
}

/** Says of a bin at an end how much of it the rows fill, since the picture can only make it pale. */
export function partialNotes(chart: ChartReply): readonly string[] {
  const ends = [
    [chart.partial?.first, chart.points[0], "from"],
    [chart.partial?.last, chart.points.at(-1), "until"],
  ] as const;
  return ends.flatMap(([end, point, word]) =>
    end === undefined || !point ? [] : [partialNote(chart, point, end, word)],
  );
}

function partialNote(chart: ChartReply, point: ChartPoint, end: string | number, word: string): string {
  const bin = pointLabel(chart, point);
  if (typeof end === "number")
    return `Pale: ${bin} has numbers only ${word === "until" ? "up to" : word} ${exactNumber(end)}.`;
  return `${chart.y === null ? "Pale" : "Hollow"}: ${bin} has rows only ${word} ${momentIn(bin, end)}.`;
}

/** A moment, as much of it as the name of its bin does not say. */
function momentIn(bin: string, moment: string): string {
  const [day = "", clock = ""] = moment.replace("Z", "").split("T");
  const isSameDay = bin.startsWith(day);
  if (isSameDay) return clock.endsWith(":00") ? clock.slice(0, 5) : clock;
  return clock === "00:00:00" ? day : `${day} ${clock.slice(0, 5)}`;
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
