/** The chart of a view: what is drawn against what, the picture, and the same as a table. */

import { useEffect, useState } from "preact/hooks";

import {
  type ChartChoice,
  chartLabel,
  firstChoice,
  gapNotes,
  isChartable,
  othersLabel,
  partialNotes,
  title,
} from "./chartspec.ts";
import { PointTable } from "./charttable.tsx";
import { isNumeric } from "./columns.ts";
import type { ChartReply, Column, Outcome } from "./contract.ts";
import { Drawing } from "./drawing.tsx";
import { type Place, spelled } from "./place.ts";
import { NoRows, Trouble } from "./states.tsx";
import { count, counted } from "./text.ts";

export function ChartPane({ place }: { readonly place: Place }) {
  const columns = place.fields.value.filter((field) => field.isNamed && isChartable(field.type));
  const [choice, setChoice] = useState<ChartChoice | null>(() => firstChoice(columns));
  const [attempt, setAttempt] = useState(0);
  const view = place.view.value;
  const hasRows = view === null || view.total > 0;
  const outcome = useChart(place, hasRows ? choice : null, attempt);
  const isGone = outcome?.ok === false && outcome.failure.kind === "gone";
  useEffect(() => {
    if (isGone) place.tab.value = "rows"; // which are here, and can still be read
  }, [isGone]);
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
      {!hasRows && <NoRows place={place} view={view} />}
      {hasRows && outcome === null && (
        <p class="waiting" role="status">
          Counting…
        </p>
      )}
      {hasRows && outcome && !outcome.ok && outcome.failure.kind !== "gone" && (
        <Trouble
          title="This chart cannot be drawn"
          text={`${outcome.failure.message} ${outcome.failure.nextStep}`}
          {...(outcome.failure.kind === "lost" ? { onRetry: () => setAttempt(attempt + 1) } : {})}
        />
      )}
      {hasRows && outcome?.ok && <Picture chart={outcome.value} />}
    </section>
  );
}

/** Milliseconds after a chart. The next chart must not wait until all rows were looked at for columns. */
const LEARN_AFTER = 1500;

/** Asked anew when the choice or the filter changes; a late answer to an old question is dropped. */
function useChart(place: Place, choice: ChartChoice | null, attempt: number): Outcome<ChartReply> | null {
  const [outcome, setOutcome] = useState<Outcome<ChartReply> | null>(null);
  const { where, find } = place.query.value;
  useEffect(() => {
    if (!choice) return;
    let isCurrent = true;
    let later: ReturnType<typeof setTimeout> | undefined;
    setOutcome(null);
    void place.source
      .chart({ chart: choice, ...spelled({ sort: null, where, find }) })
      .then((answer) => {
        if (!isCurrent) return;
        setOutcome(answer);
        // Of further columns, which only few rows may have.
        if (answer.ok) later = setTimeout(() => void place.learn(), LEARN_AFTER);
        else if (answer.failure.kind === "refused") void place.learn();
      });
    return () => {
      isCurrent = false;
      clearTimeout(later);
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
          aria-label="Across"
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
          aria-label="Up"
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

function Picture({ chart }: { readonly chart: ChartReply }) {
  const [isTable, setTable] = useState(false);
  if (chart.points.length === 0)
    return <Trouble title="Nothing to draw" text={`No row has a value in ${title(chart.x)}.`} />;
  return (
    <>
      {isTable ? <PointTable chart={chart} /> : <Canvas chart={chart} />}
      <p class="hint caption">
        <span>{captionOf(chart)}</span>
        <button type="button" class="link" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          {isTable ? "Show the picture" : "Show as a table"}
        </button>
      </p>
    </>
  );
}

/** Bars may be more than fit: then the picture scrolls, with the keyboard too. */
function Canvas({ chart }: { readonly chart: ChartReply }) {
  return (
    <div class="picture" role="img" tabIndex={0} aria-label={chartLabel(chart)}>
      <Drawing chart={chart} />
    </div>
  );
}

function captionOf(chart: ChartReply): string {
  const left = chart.left_out > 0 ? `; ${count(chart.left_out)} ${LEFT_OUT[chart.kind]}` : "";
  const drawn = chart.points.length;
  const undrawn =
    chart.kind === "scatter" && drawn < chart.rows
      ? [`${count(drawn)} of them are drawn: evenly spread, with the outermost.`]
      : [];
  const others = chart.others
    ? [`${othersLabel(chart.others)}: ${counted(chart.others.count, "row")}.`]
    : [];
  const notes = [...undrawn, ...others, ...gapNotes(chart), ...partialNotes(chart)];
  return [`${counted(chart.rows, "row")}${left}.`, ...notes].join(" ");
}

/** Why rows are not in the picture. */
const LEFT_OUT: Readonly<Record<ChartReply["kind"], string>> = {
  histogram: "without a number left out",
  categories: "without a value left out",
  timeline: "without a time or a value left out",
  scatter: "without both numbers left out",
};
