/** Marks on axes: round, few enough, and in words that say the month of a day. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { exactNumber, haveRoom, numberTicks, numberWriter, shortNumber, timeTicks } from "../explorer/ticks.ts";

function written(low: number, high: number, isWhole: boolean, most = 6): string[] {
  const ticks = numberTicks({ low, high, isWhole }, most);
  return ticks.map(numberWriter(ticks));
}

test("counts have no fractions, years no separators, and large numbers have them", () => {
  assert.deepEqual(written(0, 3, true), ["0", "1", "2", "3"]);
  assert.deepEqual(written(0, 1, true), ["0", "1"]);
  assert.deepEqual(written(1960, 1982, true), ["1960", "1965", "1970", "1975", "1980"]);
  assert.deepEqual(written(0, 20_000, true, 4), ["0", "5,000", "10,000", "15,000", "20,000"]);
  assert.deepEqual(written(0, 1, false, 4), ["0.0", "0.5", "1.0"]);
  assert.deepEqual(written(0.1, 0.31, false, 3), ["0.1", "0.2", "0.3"]);
  assert.equal(shortNumber(1970), "1970");
  assert.equal(shortNumber(25_000), "25,000");
  assert.equal(shortNumber(1 / 3), "0.333333");
});

test("a mean keeps the digits before its point, and a value of a row keeps all", () => {
  assert.deepEqual([29_230_288.4, 64_360_106.9, 64_360.66, 1_234.5678].map(shortNumber), [
    "29,230,288",
    "64,360,107",
    "64,360.7",
    "1234.57",
  ]);
  assert.deepEqual([123_456.1, -122.419416, 2023.125, 1e-9, 2 ** 60].map(exactNumber), [
    "123,456.1",
    "-122.419416",
    "2023.125",
    "1e-9",
    "1,152,921,504,606,847,000",
  ]);
});

test("any two numbers have an axis", () => {
  for (const [low, high] of [
    [0, 0],
    [-5, 5],
    [1e300, 1.7e308],
    [-1.7e308, 1.7e308],
    [0, 5e-324],
    [2 ** 62, 2 ** 62 + 4096],
  ] as const) {
    const ticks = numberTicks({ low, high, isWhole: false }, 6);
    assert.ok(ticks.length <= 20, `${low} ${high}: ${ticks.length}`);
    assert.ok(ticks.map(numberWriter(ticks)).every((text) => text.length > 0 && text !== "NaN"));
  }
});

function said(low: string, high: string, unit: "minute" | "hour" | "day" | "month" | "year", times: number) {
  return timeTicks(Date.parse(low), Date.parse(high), { unit, times }).map(({ words }) => words.join("/"));
}

test("days say their month, and a year is said where it changes", () => {
  assert.deepEqual(said("2025-12-30", "2026-01-02", "day", 1), ["30 Dec/2025", "31 Dec", "1 Jan/2026", "2 Jan"]);
  assert.deepEqual(said("2025-11-02", "2026-02-01", "month", 1), ["Dec/2025", "Jan/2026", "Feb"]);
  assert.deepEqual(said("2026-01-03T20:30Z", "2026-01-04T06:00Z", "hour", 3), ["21:00/3 Jan 2026", "00:00/4 Jan 2026", "03:00", "06:00"]);
  assert.deepEqual(said("1955-01-01", "1981-01-01", "year", 10), ["1960", "1970", "1980"]);
});

test("days are counted anew in each month", () => {
  assert.deepEqual(
    said("2026-01-01", "2026-02-12", "day", 10),
    ["1 Jan/2026", "11 Jan", "21 Jan", "1 Feb", "11 Feb"],
  );
  assert.deepEqual(said("2026-02-20", "2026-03-06", "day", 5), ["21 Feb/2026", "26 Feb", "1 Mar", "6 Mar"]);
  assert.deepEqual(said("2026-02-26", "2026-03-04", "day", 2), ["27 Feb/2026", "1 Mar", "3 Mar"]);
});

test("words have room, or have none", () => {
  const ticks = timeTicks(Date.parse("2026-01-01"), Date.parse("2026-01-03"), { unit: "day", times: 1 });
  const wide = (text: string) => text.length * 6;
  assert.ok(haveRoom(ticks, (at) => (at - Date.parse("2026-01-01")) / 86_400_000 * 60, wide));
  assert.ok(!haveRoom(ticks, (at) => (at - Date.parse("2026-01-01")) / 86_400_000 * 30, wide));
});
