/** Spans without rows in a line over time: those that are longer than nearly all others. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { gapNotes, gapsIn } from "../explorer/chartspec.ts";
import type { ChartReply } from "../explorer/contract.ts";

const DAY = 86_400_000;
const iso = (day: number) => `${new Date(Date.UTC(2024, 0, 1) + day * DAY).toISOString().slice(0, 19)}Z`;

function line(days: readonly number[]): ChartReply {
  const points = days.map((day) => ({ x: iso(day), x2: iso(day + 1), count: 1, mean: day % 5 }));
  return { kind: "timeline", x: "at", y: "load", rows: days.length, left_out: 0, points, step: "day" };
}

const found = (days: readonly number[]) => [...gapsIn(line(days))];
const all = Array.from({ length: 60 }, (_, day) => day);

test("a day without rows is a gap where every day has rows", () => {
  assert.deepEqual(found(all), []);
  assert.deepEqual(found(all.filter((day) => day !== 30)), [30]);
  assert.deepEqual(found([0, 1, 90, 91, 92]), [2]);
});

test("weekends and weeks are no gaps where all weeks are alike", () => {
  assert.deepEqual(found(all.filter((day) => day % 7 < 5)), []);
  assert.deepEqual(found(all.filter((day) => day % 7 === 0)), []);
  assert.deepEqual(found(all.filter((day) => day % 7 < 5 && (day < 14 || day > 27))), [10]);
  assert.deepEqual(found([0, 9]), []);
});

test("what is dashed is said, and only of a line", () => {
  const chart = line([0, 1, 90, 91, 92]);
  assert.deepEqual(gapNotes(chart), ["Dashed: no rows in between."]);
  assert.deepEqual(gapNotes({ ...chart, y: null }), []);
  assert.deepEqual(gapNotes(line(all)), []);
});
