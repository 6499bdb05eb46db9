/** Bars of categories, which lie on their sides so that their names can be read. */

import { Above } from "./axes.tsx";
import { othersLabel, pointLabel, valueLabel, valueTitle } from "./chartspec.ts";
import type { ChartReply } from "./contract.ts";
import { measureAxis } from "./measure.ts";
import { type Box, RIGHT, fitted, isOthersDrawn, valueAxis, valueOf } from "./plot.ts";

const HEIGHT = 16;
const THICKEST = 32;
const LONGEST_NAME = 180;
const TOP = 36;
const BOTTOM = 4;

/** Bars that are lower than their names would have names that overlap: the picture scrolls instead. */
export function leastHeight(chart: ChartReply): number {
  const bars = chart.points.length + (chart.others ? 1 : 0);
  return chart.kind === "categories" ? bars * HEIGHT + TOP + BOTTOM : 0;
}

interface Bar {
  readonly name: string;
  readonly value: number;
  readonly isOthers: boolean;
}

function barsOf(chart: ChartReply): readonly Bar[] {
  const bars = chart.points.map((point) => ({
    name: pointLabel(chart, point),
    value: valueOf(chart, point),
    isOthers: false,
  }));
  const { others } = chart;
  return others
    ? [...bars, { name: othersLabel(others), value: valueOf(chart, others), isOthers: true }]
    : bars;
}

interface Props {
  readonly chart: ChartReply;
  readonly width: number;
  readonly height: number;
}

export function Bars({ chart, width, height }: Props) {
  const bars = barsOf(chart);
  const longest = Math.min(LONGEST_NAME, width / 3);
  const names = bars.map(({ name }) => fitted(name, longest, measureAxis));
  const left = Math.max(...names.map(measureAxis)) + 12;
  const box: Box = { left, top: TOP, right: width - RIGHT, bottom: height - BOTTOM };
  const axis = valueAxis(chart, box.left, box.right, measureAxis);
  const step = (box.bottom - box.top) / bars.length;
  const zero = axis.scale.at(0);
  return (
    <>
      <Above axis={axis} box={box} words={valueTitle(chart)} />
      {bars.map((bar, index) => {
        const middle = box.top + step * (index + 0.5);
        return (
          <g key={index}>
            <text class="axis" x={left - 8} y={middle} text-anchor="end" dominant-baseline="central">
              {names[index]}
            </text>
            {bar.isOthers && !isOthersDrawn(chart) ? (
              <text class="axis" x={left + 4} y={middle} dominant-baseline="central">
                {`${valueLabel(chart, bar.value)}, beyond this scale`}
              </text>
            ) : (
              <BarMark bar={bar} index={index} zero={zero} end={axis.scale.at(bar.value)} {...{ middle, step }} />
            )}
          </g>
        );
      })}
    </>
  );
}

interface MarkProps {
  readonly bar: Bar;
  readonly index: number;
  readonly zero: number;
  readonly end: number;
  readonly middle: number;
  readonly step: number;
}

function BarMark({ bar, index, zero, end, middle, step }: MarkProps) {
  if (!Number.isFinite(end)) return null;
  const thick = Math.min(THICKEST, step * 0.8);
  return (
    <rect
      class={`mark${bar.isOthers ? " others" : ""}`}
      data-index={index}
      x={Math.min(zero, end)}
      y={middle - thick / 2}
      width={Math.abs(end - zero)}
      height={thick}
      rx={2}
    />
  );
}
