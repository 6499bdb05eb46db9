import assert from "node:assert/strict";
import { test } from "node:test";

import {
  type Extent,
  TALLEST,
  barHeight,
  centred,
  moved,
  revealing,
  rowsSeen,
  settled,
} from "../explorer/scroll.ts";

const small: Extent = { rows: 1_000, rowHeight: 28, seen: 400 };
const huge: Extent = { rows: 10_000_000, rowHeight: 28, seen: 400 };
const START = { top: 0, bar: 0 };

test("few rows scroll as the browser does", () => {
  assert.equal(barHeight(small), 28_000);
  assert.deepEqual(moved(START, 2_800, small), { top: 2_800, bar: 2_800 });
  assert.deepEqual(rowsSeen({ top: 2_800, bar: 2_800 }, small), { first: 100, last: 114 });
});

test("ten million rows stay below what a browser can make", () => {
  assert.equal(barHeight(huge), TALLEST);
  const end = moved(START, TALLEST - huge.seen, huge);
  assert.equal(rowsSeen(end, huge).last, 9_999_999);
  assert.equal(rowsSeen(moved(end, 0, huge), huge).first, 0);
});

test("a notch of the wheel moves by its own pixels, a drag by its share", () => {
  const middle = moved(START, TALLEST / 2, huge);
  assert.ok(Math.abs(rowsSeen(middle, huge).first - 5_000_000) < 500);
  const notch = moved(middle, TALLEST / 2 + 112, huge);
  assert.equal(rowsSeen(notch, huge).first - rowsSeen(middle, huge).first, 4);
});

test("after small movements the bar comes back in line, and the rows stay", () => {
  let scroll = moved(START, TALLEST / 2, huge);
  for (let step = 0; step < 50; step += 1) scroll = moved(scroll, scroll.bar + 100, huge);
  const after = settled(scroll, huge);
  assert.equal(after.top, scroll.top);
  assert.deepEqual(moved(after, after.bar, huge), after);
});

test("every row can be reached, alone and in the middle", () => {
  for (const extent of [small, huge]) {
    for (const row of [0, 1, 17, extent.rows / 2, extent.rows - 2, extent.rows - 1]) {
      for (const scroll of [revealing(START, row, extent), centred(row, extent)]) {
        const { first, last } = rowsSeen(scroll, extent);
        assert.ok(first <= row && row <= last, `${row} in ${first} to ${last}`);
      }
    }
  }
});
