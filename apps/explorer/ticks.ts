/** Where an axis is marked, and with which words. Only as many marks as have room for their words. */

/** A number axis, or the whole numbers of one: counts have no fractions. */
export interface NumberAxis {
  readonly low: number;
  readonly high: number;
  readonly isWhole: boolean;
}

/** Round numbers from `low` to `high`, at most about `most` of them. */
export function numberTicks({ low, high, isWhole }: NumberAxis, most: number): readonly number[] {
  const step = roundStep((high - low) / Math.max(1, most), isWhole);
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  if (!Number.isFinite(step) || last - first > 1_000) return [low, high];
  return Array.from({ length: last - first + 1 }, (_, index) => exact(first + index, step));
}

/** 1, 2 or 5 times a power of ten, not below `least`. */
function roundStep(least: number, isWhole: boolean): number {
  if (!(least > 0)) return 1;
  const magnitude = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((times) => times * magnitude).find((one) => one >= least * (1 - 1e-9));
  return isWhole ? Math.max(1, step ?? magnitude) : (step ?? magnitude);
}

/** The product without the rounding error of a multiplication. */
function exact(times: number, step: number): number {
  const digits = Math.max(0, -Math.floor(Math.log10(step)));
  return digits > 100 ? times * step : Number((times * step).toFixed(Math.min(100, digits)));
}

const SEPARATED = 10_000;
const LONGEST = 1e15;
const SHORTEST = 1e-6;

/** How the numbers of one axis are written: all with as many digits, and all with separators or none.
 * An axis that ends below 10,000 has none, because its numbers may be years. */
export function numberWriter(ticks: readonly number[]): (value: number) => string {
  const largest = Math.max(...ticks.map(Math.abs));
  const step = Math.abs((ticks[1] ?? 0) - (ticks[0] ?? 0)) || largest || 1;
  if (largest >= LONGEST || step < SHORTEST) return (value) => String(Number(value.toPrecision(6)));
  const digits = Math.max(0, Math.min(8, -Math.floor(Math.log10(step) + 1e-9)));
  const writer = new Intl.NumberFormat("en-US", {
    useGrouping: largest >= SEPARATED,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return (value) => writer.format(value);
}

/** A value of a row, or the edge of a bin: with all of its digits. */
export function exactNumber(value: number): string {
  const text = String(value);
  if (Math.abs(value) < SEPARATED || text.includes("e")) return text;
  const part = text.split(".")[1];
  return Math.trunc(value).toLocaleString("en-US") + (part === undefined ? "" : `.${part}`);
}

/** A computed number, such as a mean: with six digits, and with all those before the point. */
export function shortNumber(value: number): string {
  const size = Math.abs(value);
  if (Number.isInteger(value)) return exactNumber(value);
  if (size < SEPARATED) return String(Number(value.toPrecision(6)));
  return value.toLocaleString("en-US", { maximumFractionDigits: size < 10 * SEPARATED ? 1 : 0 });
}

/** A mark on an axis. The second line of its words is only there where it changes. */
export interface Tick {
  readonly at: number;
  readonly words: readonly string[];
}

export type Unit = "minute" | "hour" | "day" | "month" | "year";

export interface TimeStep {
  readonly unit: Unit;
  readonly times: number;
}

/** From the finest to the coarsest. */
export const TIME_STEPS: readonly TimeStep[] = [
  ...[1, 2, 5, 10, 15, 30].map((times) => ({ unit: "minute" as const, times })),
  ...[1, 2, 3, 6, 12].map((times) => ({ unit: "hour" as const, times })),
  ...[1, 2, 5, 10].map((times) => ({ unit: "day" as const, times })),
  ...[1, 3, 6].map((times) => ({ unit: "month" as const, times })),
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000].map((times) => ({ unit: "year" as const, times })),
];

const MINUTE = 60_000;
const LENGTHS: Readonly<Record<Unit, number>> = {
  minute: MINUTE,
  hour: 60 * MINUTE,
  day: 1_440 * MINUTE,
  month: 30 * 1_440 * MINUTE,
  year: 365 * 1_440 * MINUTE,
};

/** Roughly, in milliseconds. */
export function lengthOf({ unit, times }: TimeStep): number {
  return LENGTHS[unit] * times;
}

/** The times between two others, in UTC, that a person would mark. */
export function timeTicks(low: number, high: number, step: TimeStep): readonly Tick[] {
  const ticks: Tick[] = [];
  let second = "";
  for (let at = firstTime(low, step); at <= high && ticks.length < 1_000; at = nextTime(at, step)) {
    const [word, context] = wordsFor(at, step.unit);
    ticks.push({ at, words: context && context !== second ? [word, context] : [word] });
    second = context;
  }
  return ticks;
}

/** Days of a month are counted anew in each one: 1, 6, 11 … or 1, 11, 21. */
function firstTime(low: number, step: TimeStep): number {
  const date = new Date(low);
  const start = startOf(date, step);
  return start < low ? nextTime(start, step) : start;
}

function startOf(date: Date, { unit, times }: TimeStep): number {
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth();
  const day = date.getUTCDate();
  const floor = (value: number) => Math.floor(value / times) * times;
  switch (unit) {
    case "minute":
      return utc(year, month, day, date.getUTCHours(), floor(date.getUTCMinutes()));
    case "hour":
      return utc(year, month, day, floor(date.getUTCHours()));
    case "day":
      return utc(year, month, 1 + floor(Math.min(day - 1, lastStart(times))));
    case "month":
      return utc(year, floor(month), 1);
    case "year":
      return utc(floor(year), 0, 1);
  }
}

/** The last day of a month, from 0, at which a step of so many days begins. */
function lastStart(times: number): number {
  return times === 1 ? 30 : times === 2 ? 28 : Math.floor(25 / times) * times;
}

function nextTime(at: number, step: TimeStep): number {
  const { unit, times } = step;
  const date = new Date(at);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  if (unit === "minute" || unit === "hour") return at + LENGTHS[unit] * times;
  if (unit === "year") return utc(year + times, 0, 1);
  if (unit === "month") return utc(year, month + times, 1);
  const next = utc(year, month, day + times);
  const isSameMonth = new Date(next).getUTCMonth() === month && day - 1 + times <= lastStart(times);
  return isSameMonth ? next : utc(year, month + 1, 1);
}

/** `Date.UTC` takes the years before 100 for the last century's. */
function utc(year: number, month: number, day: number, hours = 0, minutes = 0): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month, day);
  return date.setUTCHours(hours, minutes);
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const;

/** The words of a time, and those that it shares with its neighbours. */
function wordsFor(at: number, unit: Unit): readonly [string, string] {
  const date = new Date(at);
  const year = String(date.getUTCFullYear());
  const month = MONTHS[date.getUTCMonth()] as string;
  const day = `${date.getUTCDate()} ${month}`;
  if (unit === "year") return [year, ""];
  if (unit === "month") return [month, year];
  if (unit === "day") return [day, year];
  return [date.toISOString().slice(11, 16), `${day} ${year}`];
}

/** Whether the words of neighbours keep apart. `place` and `width` are in pixels. */
export function haveRoom(
  ticks: readonly Tick[],
  place: (at: number) => number,
  width: (text: string) => number,
): boolean {
  const GAP = 10;
  const boxes = ticks.map(({ at, words }) => ({
    middle: place(at),
    half: Math.max(...words.map(width)) / 2,
  }));
  return boxes.every((box, index) => {
    const next = boxes[index + 1];
    return !next || next.middle - next.half - (box.middle + box.half) >= GAP;
  });
}
