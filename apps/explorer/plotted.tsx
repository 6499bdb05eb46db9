/** Histograms, timelines and points: their values go upwards. */

import { Across, BOTTOM, Upwards } from "./axes.tsx";
import { acrossTitle, gapsIn, title, valueTitle } from "./chartspec.ts";
import type { ChartPoint, ChartReply } from "./contract.ts";
import { measureAxis } from "./measure.ts";
import * as plot from "./plot.ts";

const TOP = 22;
const NARROWEST = 30;
const MOST_TICKS = 10;
/** So many points stand close together, and are smaller. */
const MANY = 100;

interface Props {
  readonly chart: ChartReply;
  readonly width: number;
  readonly height: number;
}

export function Plot({ chart, width, height }: Props) {
  const bottom = height - BOTTOM;
  const upwards = plot.valueAxis(chart, bottom, TOP);
  const words = upwards.ticks.flatMap((tick) => tick.words);
  const left = Math.max(NARROWEST, ...words.map(measureAxis)) + 12;
  const box: plot.Box = { left, top: TOP, right: width - plot.RIGHT, bottom };
  const across = acrossOf(chart, box);
  const y = chart.kind === "scatter" ? title(chart.y ?? "") : valueTitle(chart);
  return (
    <>
      <Upwards axis={upwards} box={box} words={y} />
      <Across axis={across} box={box} words={acrossTitle(chart)} />
      <Marks chart={chart} across={across} upwards={upwards} />
    </>
  );
}

function acrossOf(chart: ChartReply, { left, right }: plot.Box): plot.Axis {
  if (chart.kind === "timeline") return plot.timeAxis(chart, left, right, measureAxis);
  if (chart.kind === "histogram") return plot.binAxis(chart, left, right, measureAxis);
  const numbers = chart.points.map((point) => Number(point.x));
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  return plot.numberAxis(low, high, false, left, right, MOST_TICKS, measureAxis);
}

interface MarksProps {
  readonly chart: ChartReply;
  readonly across: plot.Axis;
  readonly upwards: plot.Axis;
}

function Marks(props: MarksProps) {
  if (props.chart.kind === "scatter") return <Pairs {...props} />;
  return props.chart.y === null ? <Columns {...props} /> : <Line {...props} />;
}

function Pairs({ chart, across, upwards }: MarksProps) {
  return (
    <>
      {chart.points.map((point, index) => (
        <circle
          key={index}
          class="mark pair"
          data-index={index}
          cx={across.scale.at(Number(point.x))}
          cy={upwards.scale.at(plot.valueOf(chart, point))}
          r={2.8}
        />
      ))}
    </>
  );
}

function Columns({ chart, across, upwards }: MarksProps) {
  const zero = upwards.scale.at(0);
  return (
    <>
      {chart.points.map((point, index) => {
        const [from, to] = binInPixels(chart, point, across);
        // One row among thousands is seen too.
        const y = Math.min(upwards.scale.at(plot.valueOf(chart, point)), zero - 1);
        const gap = to - from > 4 ? 1 : 0;
        return (
          <rect
            key={index}
            class={`mark${isPartial(chart, index) ? " partial" : ""}`}
            data-index={index}
            x={from}
            y={y}
            width={Math.max(0.5, to - from - gap)}
            height={zero - y}
          />
        );
      })}
    </>
  );
}

/** Each point stands in the middle of its bin, for it tells of all of it. */
function Line({ chart, across, upwards }: MarksProps) {
  const places = chart.points
    .map((point, index) => {
      const [from, to] = binInPixels(chart, point, across);
      return { index, x: (from + to) / 2, y: upwards.scale.at(plot.valueOf(chart, point)) };
    })
    .filter((place) => Number.isFinite(place.y));
  const gaps = gapsIn(chart);
  const path = places
    .map(({ index, x, y }, place) => `${place === 0 || gaps.has(index) ? "M" : "L"}${x},${y}`)
    .join("");
  return (
    <>
      <path class="line" d={path} />
      {places.map(({ index, x, y }, place) => {
        const before = places[place - 1];
        if (!before || !gaps.has(index)) return null;
        return <path key={index} class="line gap" d={`M${before.x},${before.y}L${x},${y}`} />;
      })}
      {places.map(({ index, x, y }) => (
        <circle
          key={index}
          class={`mark${isPartial(chart, index) ? " partial" : ""}`}
          data-index={index}
          cx={x}
          cy={y}
          r={places.length > MANY ? 2 : 3}
        />
      ))}
    </>
  );
}

function binInPixels(chart: ChartReply, point: ChartPoint, across: plot.Axis): readonly [number, number] {
  const [from, to] = plot.binOf(chart, point);
  return [across.scale.at(from), across.scale.at(to)];
}

function isPartial(chart: ChartReply, index: number): boolean {
  return (
    (index === 0 && chart.partial?.first !== undefined) ||
    (index === chart.points.length - 1 && chart.partial?.last !== undefined)
  );
}
