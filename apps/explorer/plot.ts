/** Where everything in a picture stands: axes, ticks and bars, in pixels. Nothing is drawn here. */

import type { ChartPoint, ChartReply } from "./contract.ts";
import { title } from "./chartspec.ts";
import { TIME_STEPS, type Tick, haveRoom, lengthOf, numberTicks, numberWriter, timeTicks } from "./ticks.ts";

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export interface Scale {
  readonly low: number;
  readonly high: number;
  at(value: number): number;
}

/** The width of a text in the letters of axes, in pixels. */
export type Measure = (text: string) => number;

export interface Axis {
  readonly scale: Scale;
  readonly ticks: readonly Tick[];
  /** How far the words stand from the mark, so that the word of a bin is below its middle. */
  readonly shift: number;
}

/** Room beside a picture for the words of its last mark. */
export const RIGHT = 38;
const MOST_TICKS = 10;
const TICK_HEIGHT = 34;

function scaleOf(low: number, high: number, from: number, to: number): Scale {
  // Halves, because the difference of the two largest floats is none.
  const span = high / 2 - low / 2 || 1;
  return { low, high, at: (value) => from + ((value / 2 - low / 2) / span) * (to - from) };
}

/** The height of a mark: the rows, or the mean of them, or the other number of a pair. */
export function valueOf(chart: ChartReply, point: Pick<ChartPoint, "y" | "count" | "mean">): number {
  const value = chart.kind === "scatter" ? point.y : chart.y === null ? point.count : point.mean;
  return value ?? Number.NaN;
}

/** How many times as long as the longest bar that of all others may be, and leave the rest readable. */
const LONGEST_OTHERS = 2;

export function isOthersDrawn(chart: ChartReply): boolean {
  if (!chart.others) return false;
  const longest = Math.max(...chart.points.map((point) => Math.abs(valueOf(chart, point))));
  return Math.abs(valueOf(chart, chart.others)) <= LONGEST_OTHERS * longest;
}

/** The numbers that the axis of values has to show. */
function valuesOf(chart: ChartReply): readonly number[] {
  const all = [...chart.points, ...(chart.others && isOthersDrawn(chart) ? [chart.others] : [])];
  return all.map((point) => valueOf(chart, point)).filter(Number.isFinite);
}

/** Bars begin at zero, or their lengths would lie. Points and lines need not. */
export function valueAxis(chart: ChartReply, from: number, to: number, measure?: Measure): Axis {
  const values = valuesOf(chart);
  const hasBars = chart.kind === "categories" || (chart.y === null && chart.kind !== "scatter");
  const low = Math.min(...values, ...(hasBars ? [0] : []));
  const high = Math.max(...values, ...(hasBars ? [0] : []));
  const isWhole = chart.y === null && chart.kind !== "scatter";
  const most = measure ? MOST_TICKS : Math.max(2, Math.floor(Math.abs(to - from) / TICK_HEIGHT));
  return numberAxis(low, high, isWhole, from, to, most, measure);
}

/** As many round numbers as have room. With `measure`, their words stand side by side. */
export function numberAxis(
  low: number,
  high: number,
  isWhole: boolean,
  from: number,
  to: number,
  most: number,
  measure?: Measure,
): Axis {
  const alone = isWhole ? [low, high + 1] : [low - 0.5, high + 0.5];
  const [least = 0, greatest = 1] = low === high ? alone : [low, high];
  const scale = scaleOf(least, greatest, from, to);
  for (let count = most; count > 1; count -= 1) {
    const numbers = numberTicks({ low: least, high: greatest, isWhole }, count);
    const write = numberWriter(numbers);
    const ticks = numbers.map((at) => ({ at, words: [write(at)] }));
    if (!measure) return { scale, ticks, shift: 0 };
    if (haveRoom(ticks, scale.at, measure))
      return { scale, ticks: within(ticks, scale, to, measure), shift: 0 };
  }
  return { scale, ticks: [], shift: 0 };
}

/** The marks whose words do not go beyond the picture. */
function within(ticks: readonly Tick[], scale: Scale, to: number, measure: Measure): readonly Tick[] {
  return ticks.filter(({ at, words }) => {
    const half = Math.max(...words.map(measure)) / 2;
    return scale.at(at) - half >= 0 && scale.at(at) + half <= to + RIGHT;
  });
}

/** The axis of a timeline: days, months or years, whichever are as many as have room. */
export function timeAxis(chart: ChartReply, from: number, to: number, measure: Measure): Axis {
  const [low] = binOf(chart, chart.points[0] as ChartPoint);
  const [start, high] = binOf(chart, chart.points.at(-1) as ChartPoint);
  const scale = scaleOf(low, high, from, to);
  for (const step of TIME_STEPS) {
    if ((high - low) / lengthOf(step) > MOST_TICKS * 2) continue;
    const isOfBins = step.times === 1 && step.unit === chart.step;
    const ticks = timeTicks(low, isOfBins ? start : high, step);
    if (!haveRoom(ticks, scale.at, measure)) continue;
    const shift = isOfBins ? lengthOf(step) / 2 : 0;
    return { scale, ticks: within(ticks, scale, to, measure), shift };
  }
  return { scale, ticks: [], shift: 0 };
}

/** The axis of a histogram. Where each bin is one whole number, its word is below the middle. */
export function binAxis(chart: ChartReply, from: number, to: number, measure: Measure): Axis {
  const [low] = binOf(chart, chart.points[0] as ChartPoint);
  const [start, high] = binOf(chart, chart.points.at(-1) as ChartPoint);
  const isWhole = chart.whole === true;
  const isOfOne = isWhole && chart.points.every((point) => Number(point.x2) - Number(point.x) === 1);
  const scale = scaleOf(low, high, from, to);
  if (isOfOne && start === low)
    return { scale, ticks: [{ at: low, words: [numberWriter([low])(low)] }], shift: 0.5 };
  const last = isOfOne ? start : high;
  const axis = numberAxis(low, last, isWhole, from, scale.at(last), MOST_TICKS, measure);
  return { scale, ticks: axis.ticks, shift: isOfOne ? 0.5 : 0 };
}

/** Where a bin begins and ends on its axis. */
export function binOf(chart: ChartReply, point: ChartPoint): readonly [number, number] {
  if (chart.kind === "timeline") return [Date.parse(String(point.x)), Date.parse(String(point.x2))];
  return [Number(point.x), Number(point.x2)];
}

/** A name as short as the room for it. */
export function fitted(text: string, room: number, measure: Measure): string {
  const name = title(text);
  if (measure(name) <= room) return name;
  let low = 0;
  let high = name.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (measure(`${name.slice(0, middle)}…`) <= room) low = middle;
    else high = middle - 1;
  }
  return `${name.slice(0, low)}…`;
}
