/** The chart of a view: what is drawn against what, the picture, and the same as a table. */

import { useEffect, useRef, useState } from "preact/hooks";

import {
  type ChartChoice,
  type Ink,
  chartLabel,
  firstChoice,
  isChartable,
  specFor,
  title,
  valueTitle,
} from "./chartspec.ts";
import { isNumeric } from "./columns.ts";
import type { ChartReply, Column, Outcome } from "./contract.ts";
import type { Explorer } from "./explorer.ts";
import { type Place, spelled } from "./place.ts";
import { Trouble } from "./states.tsx";
import { count, counted } from "./text.ts";
import type { Drawn } from "./vega.ts";

export function ChartPane({ explorer, place }: { readonly explorer: Explorer; readonly place: Place }) {
  const columns = place.fields.value.filter((field) => field.isNamed && isChartable(field.type));
  const [choice, setChoice] = useState<ChartChoice | null>(() => firstChoice(columns));
  const [attempt, setAttempt] = useState(0);
  const outcome = useChart(place, choice, attempt);
  if (!choice)
    return (
      <Trouble
        title="No chart"
        text="No column of this result holds plain values, so there is nothing to draw."
      />
    );
  return (
    <section class="chart" aria-label="Chart">
      <Choices columns={columns} choice={choice} onChange={setChoice} />
      {outcome === null && (
        <p class="waiting" role="status">
          Counting…
        </p>
      )}
      {outcome && !outcome.ok && (
        <Trouble
          title="This chart cannot be drawn"
          text={`${outcome.failure.message} ${outcome.failure.nextStep}`}
          onRetry={() => setAttempt(attempt + 1)}
        />
      )}
      {outcome?.ok && <Picture chart={outcome.value} explorer={explorer} />}
    </section>
  );
}

/** Asked anew when the choice or the filter changes; a late answer to an old question is dropped. */
function useChart(place: Place, choice: ChartChoice | null, attempt: number): Outcome<ChartReply> | null {
  const [outcome, setOutcome] = useState<Outcome<ChartReply> | null>(null);
  const { where, find } = place.query.value;
  useEffect(() => {
    if (!choice) return;
    let isCurrent = true;
    setOutcome(null);
    void place.source
      .chart({ chart: choice, ...spelled({ sort: null, where, find }) })
      .then((answer) => isCurrent && setOutcome(answer));
    return () => {
      isCurrent = false;
    };
  }, [place, choice, where, find, attempt]);
  return outcome;
}

interface ChoicesProps {
  readonly columns: readonly Column[];
  readonly choice: ChartChoice;
  onChange(choice: ChartChoice): void;
}

function Choices({ columns, choice, onChange }: ChoicesProps) {
  const measures = columns.filter((column) => isNumeric(column.type) && column.name !== choice.x);
  return (
    <div class="choices">
      <label>
        Across
        <select
          value={choice.x}
          onChange={(event) =>
            onChange({
              x: event.currentTarget.value,
              y: choice.y === event.currentTarget.value ? null : choice.y,
            })
          }
        >
          {columns.map((column) => (
            <option key={column.name} value={column.name}>
              {title(column.name)}
            </option>
          ))}
        </select>
      </label>
      <label>
        Up
        {/* The first option has no column's name: a column may be called anything. */}
        <select
          value={measures.findIndex((column) => column.name === choice.y)}
          onChange={(event) =>
            onChange({
              x: choice.x,
              y: measures[Number(event.currentTarget.value)]?.name ?? null,
            })
          }
        >
          <option value={-1}>number of rows</option>
          {measures.map((column, index) => (
            <option key={column.name} value={index}>
              {title(column.name)}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

function Picture({ chart, explorer }: { readonly chart: ChartReply; readonly explorer: Explorer }) {
  const [isTable, setTable] = useState(false);
  const [problem, setProblem] = useState("");
  const element = useRef<HTMLDivElement>(null);
  const theme = explorer.host.theme.value;
  useEffect(() => {
    if (!element.current || isTable || chart.points.length === 0) return;
    return drawInto(element.current, chart, setProblem);
  }, [chart, theme, isTable]);
  if (chart.points.length === 0)
    return <Trouble title="Nothing to draw" text={`No row has a value in ${title(chart.x)}.`} />;
  return (
    <>
      {isTable ? <PointTable chart={chart} /> : <Canvas label={chartLabel(chart)} element={element} />}
      {problem && (
        <p class="hint" role="alert">
          This chart cannot be drawn: {problem}
        </p>
      )}
      <p class="hint caption">
        <span>
          {counted(chart.rows, "row")}
          {chart.left_out > 0 && `; ${count(chart.left_out)} ${LEFT_OUT[chart.kind]}`}
        </span>
        <button type="button" class="link" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          {isTable ? "Show the picture" : "Show as a table"}
        </button>
      </p>
    </>
  );
}

/** Vega gives its element a role of its own, so the picture's name is on the one around it. */
function Canvas({
  label,
  element,
}: {
  readonly label: string;
  readonly element: { current: HTMLDivElement | null };
}) {
  return (
    <div class="picture" role="img" aria-label={label}>
      <div ref={element} aria-hidden="true" />
    </div>
  );
}

/** Why rows are not in the picture. */
const LEFT_OUT: Readonly<Record<ChartReply["kind"], string>> = {
  histogram: "without a number left out",
  categories: "without a value or in smaller groups left out",
  timeline: "without a time or a value left out",
  scatter: "not drawn: the points are spread over all rows, with the outermost",
};

/** Draws, and says how to end it. */
function drawInto(element: HTMLElement, chart: ChartReply, onProblem: (text: string) => void): () => void {
  let drawn: Drawn | null = null;
  let isOver = false;
  onProblem("");
  // Vega is in the page, but does not run before somebody wants a chart: rows come first.
  import("./vega.ts")
    .then(({ draw }) => draw(specFor(chart, inkOf(element)), element))
    .then((made) => {
      drawn = made;
      if (isOver) made.finish();
    })
    .catch((error: unknown) => onProblem(String(error)));
  return () => {
    isOver = true;
    drawn?.finish();
    element.replaceChildren();
  };
}

/** The colours of the page, as they are now. */
function inkOf(element: HTMLElement): Ink {
  const probe = element.appendChild(document.createElement("span"));
  const colour = (name: string) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const ink = {
    text: colour("--text"),
    faint: colour("--faint"),
    line: colour("--line"),
    mark: colour("--accent"),
    font: getComputedStyle(element).fontFamily,
  };
  probe.remove();
  return ink;
}

/** A mean of a thousand numbers has no sixteen digits to show. */
function short(value: string | number | boolean | null | undefined): string {
  if (value === null || value === undefined) return "—";
  return typeof value === "number" ? String(Number(value.toPrecision(6))) : title(String(value));
}

function PointTable({ chart }: { readonly chart: ChartReply }) {
  const hasCount = chart.kind !== "scatter";
  return (
    <div class="points" tabIndex={0} role="region" aria-label={chartLabel(chart)}>
      <table>
        <thead>
          <tr>
            <th scope="col">{title(chart.x)}</th>
            {chart.y !== null && (
              <th scope="col">{chart.kind === "scatter" ? title(chart.y) : valueTitle(chart)}</th>
            )}
            {hasCount && <th scope="col">rows</th>}
          </tr>
        </thead>
        <tbody>
          {chart.points.map((point, index) => (
            <tr key={index}>
              <th scope="row">
                <bdi>{short(point.x)}</bdi>
                {point.x2 !== undefined && (
                  <>
                    {" "}
                    to <bdi>{short(point.x2)}</bdi>
                  </>
                )}
              </th>
              {chart.y !== null && <td>{short(chart.kind === "scatter" ? point.y : point.mean)}</td>}
              {hasCount && <td>{count(point.count ?? 0)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
