/** Days and times as people type them, and as the explorer prints them.
 *
 * A time is sent as ISO 8601, as exact as it was typed: a day is the whole day, a minute the whole
 * minute. The server makes a span of it. */

import type { EpochUnit } from "../contract.ts";
import type { Read } from "./numbers.ts";

const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const CLOCK = String.raw`(?:(?:T|,?\s+(?:at\s+)?)(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?\s*([ap]\.?m\.?)?\s*(Z|UTC|[+-]\d\d(?::?\d\d)?)?)?`;
const ISO = new RegExp(`^(\\d{4})-(\\d{1,2})-(\\d{1,2})${CLOCK}$`, "i");
const SLASHED = new RegExp(`^(\\d{4})/(\\d{1,2})/(\\d{1,2})${CLOCK}$`, "i");
const DOTTED = new RegExp(`^(\\d{1,2})\\.(\\d{1,2})\\.(\\d{4})${CLOCK}$`, "i");
const DAY_FIRST = new RegExp(`^(\\d{1,2})(?:st|nd|rd|th|\\.)?[\\s-]+(?:of\\s+)?([a-z]{3,9})\\.?,?[\\s-]+(\\d{4})${CLOCK}$`, "i");
const MONTH_FIRST = new RegExp(
  `^([a-z]{3,9})\\.?\\s+(\\d{1,2})(?:st|nd|rd|th)?,?\\s+(\\d{4})${CLOCK}$`,
  "i",
);
const TWO_WAYS = new RegExp(`^(\\d{1,2})/(\\d{1,2})/(\\d{4})${CLOCK}$`, "i");
const MONTH = /^([a-z]{3,9})\.?,?\s+(\d{4})$/i;
const YEAR_OR_MONTH = /^(\d{4})(?:-(\d\d))?$/;
const NUMBER = /^\d{9,}(?:\.\d+)?$/;
const CLOCK_ALONE = /^\d{1,2}:\d\d/;
const HOW = "Write it as 2023-03-01, 1 March 2023 or 2023-03-01 14:30.";

type Clock = readonly (string | undefined)[];

/** The time in ISO 8601. `epoch`: the column prints numbers, which may be typed too. */
export function readTime(typed: string, epoch?: EpochUnit): Read<string> {
  const text = typed.trim().replace(/\s+/g, " ");
  if (epoch && NUMBER.test(text.replaceAll(",", ""))) return ofNumber(text.replaceAll(",", ""), epoch);
  const what = CLOCK_ALONE.test(text) ? "names no day" : "is not a day or a time";
  return inIso(text) ?? inWords(text) ?? { problem: `“${text}” ${what}. ${HOW}` };
}

function inIso(text: string): Read<string> | null {
  const [year, month] = match(text, YEAR_OR_MONTH);
  if (year !== undefined) return month === undefined ? { value: year } : ofMonth(year, Number(month), text);
  const [y, m, d, ...clock] = match(text, ISO) ?? [];
  if (y !== undefined) return ofDay(y, Number(m), Number(d), clock, text);
  const [y2, m2, d2, ...clock2] = match(text, SLASHED);
  return y2 === undefined ? null : ofDay(y2, Number(m2), Number(d2), clock2, text);
}

function inWords(text: string): Read<string> | null {
  const [d, m, y, ...clock] = match(text, DOTTED);
  if (y !== undefined) return ofDay(y, Number(m), Number(d), clock, text);
  const [day, name, year, ...time] = match(text, DAY_FIRST);
  if (year !== undefined && monthOf(name)) return ofDay(year, monthOf(name), Number(day), time, text);
  const [name2, day2, year2, ...time2] = match(text, MONTH_FIRST);
  if (year2 !== undefined && monthOf(name2)) return ofDay(year2, monthOf(name2), Number(day2), time2, text);
  const [name3, year3] = match(text, MONTH);
  if (year3 !== undefined && monthOf(name3)) return ofMonth(year3, monthOf(name3), text);
  return inTwoWays(text);
}

/** 3/4/2023 is a day in March in one country, and in April in another. */
function inTwoWays(text: string): Read<string> | null {
  const [first, second, year, ...clock] = match(text, TWO_WAYS);
  if (year === undefined) return null;
  const [one, two] = [Number(first), Number(second)];
  if (one > 12) return ofDay(year, two, one, clock, text);
  if (two > 12 || one === two) return ofDay(year, one, two, clock, text);
  return { problem: `“${text}” can be read in two ways. Write ${iso(year, one, two)} or ${iso(year, two, one)}.` };
}

function match(text: string, pattern: RegExp): readonly (string | undefined)[] {
  return pattern.exec(text)?.slice(1) ?? [];
}

function monthOf(name: string | undefined): number {
  const word = (name ?? "").toLowerCase();
  return MONTHS.findIndex((month) => word === "sept" ? month === "September" : isShort(month, word)) + 1;
}

function isShort(month: string, word: string): boolean {
  return word === month.toLowerCase() || word === month.slice(0, 3).toLowerCase();
}

function ofMonth(year: string, month: number, text: string): Read<string> {
  if (month < 1 || month > 12) return { problem: `There is no month ${month}: “${text}”. ${HOW}` };
  return { value: `${year}-${two(month)}` };
}

function ofDay(year: string, month: number, day: number, clock: Clock, text: string): Read<string> {
  const made = new Date(Date.UTC(2000, month - 1, day));
  made.setUTCFullYear(Number(year), month - 1, day);
  if (made.getUTCMonth() !== month - 1 || made.getUTCDate() !== day)
    return { problem: `There is no such day: “${text}”. ${HOW}` };
  const [written, minute, second, fraction, half, zone] = clock;
  if (written === undefined) return { value: iso(year, month, day) };
  const hour = hourOf(Number(written), half);
  if (!(hour < 24) || Number(minute) > 59 || Number(second ?? 0) > 59)
    return { problem: `There is no such time: “${text}”. ${HOW}` };
  const seconds = second === undefined ? "" : `:${second}${fraction ? `.${fraction.slice(0, 6)}` : ""}`;
  return { value: `${iso(year, month, day)}T${two(hour)}:${minute}${seconds}${zoneOf(zone)}` };
}

/** The hour from 0 to 23; not a number if there is none: half a day has the hours 12, 1, 2, … 11. */
function hourOf(written: number, half: string | undefined): number {
  if (half === undefined) return written;
  if (written < 1 || written > 12) return Number.NaN;
  return (written % 12) + (/^p/i.test(half) ? 12 : 0);
}

function zoneOf(zone: string | undefined): string {
  if (zone === undefined) return "";
  if (/^(z|utc)$/i.test(zone)) return "Z";
  const digits = zone.slice(1).replace(":", "").padEnd(4, "0");
  return `${zone[0]}${digits.slice(0, 2)}:${digits.slice(2)}`;
}

/** From the digits themselves: a product of floats may be rounded beyond the time that is printed. */
function ofNumber(text: string, epoch: EpochUnit): Read<string> {
  const [whole = "", part = ""] = text.split(".");
  const time = new Date(Number(whole) * (epoch === "seconds" ? 1000 : 1));
  if (Number.isNaN(time.getTime()) || time.getUTCFullYear() > 9999)
    return { problem: `“${text}” is no time in ${epoch} since 1970.` };
  const [begin, milliseconds] = time.toISOString().slice(0, -1).split(".");
  const before = epoch === "seconds" ? "" : milliseconds;
  const fraction = part === "" ? before : `${before}${part}`.slice(0, 6).padEnd(6, "0");
  return { value: `${begin}${fraction === "" ? "" : `.${fraction}`}Z` };
}

function iso(year: string, month: number, day: number): string {
  return `${year}-${two(month)}-${two(day)}`;
}

function two(number: number): string {
  return String(number).padStart(2, "0");
}

const ZONE = /(?:Z|[+-]\d\d:\d\d)$/;

/** Whether one time begins after all of another. A time without a zone is not compared with one in a
 * zone: the cells say which is later. */
export function isLater(one: string, other: string): boolean {
  const hasZone = [one, other].map((time) => time.includes("T") && ZONE.test(time));
  if (hasZone[0] !== hasZone[1]) return false;
  if (hasZone[0]) return Date.parse(one) > Date.parse(other);
  const length = Math.min(one.length, other.length); // a shorter one is a longer span
  return one.slice(0, length) > other.slice(0, length);
}

/** What a time means, in words. */
export function meaning(value: string): string {
  const [year, month, day, hour, minute, second] = value.split(/[-T:Z+]/, 6);
  if (month === undefined) return `${year}, the whole year`;
  const name = `${MONTHS[Number(month) - 1]} ${year}`;
  if (day === undefined) return `${name}, the whole month`;
  if (hour === undefined) return `${Number(day)} ${name}, the whole day`;
  const clock = value.slice(value.indexOf("T") + 1);
  const isMinute = second === undefined || !/^\d\d:\d\d:\d\d/.test(clock);
  return `${Number(day)} ${name}, ${clock}${isMinute && minute !== undefined ? ", the whole minute" : ""}`;
}
