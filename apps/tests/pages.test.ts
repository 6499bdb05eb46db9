import assert from "node:assert/strict";
import { test } from "node:test";

import type { Row } from "../explorer/arrange.ts";
import { type Outcome, failed, succeeded } from "../explorer/contract.ts";
import { CHUNK, Pages } from "../explorer/pages.ts";

/** A list of numbers that answers when it is told to, at most `cap` rows a call. */
function rig(total: number, cap = 1_000) {
  const asked: Array<readonly [number, number]> = [];
  const waiting: Array<() => void> = [];
  let failures = 0;
  let isHeld = false;
  let most = 0;
  let running = 0;
  const fetchRows = async (start: number, count: number): Promise<Outcome<readonly Row[]>> => {
    asked.push([start, count]);
    running += 1;
    most = Math.max(most, running);
    if (isHeld) await new Promise<void>((resolve) => waiting.push(resolve));
    else await Promise.resolve();
    running -= 1;
    if (failures > 0) {
      failures -= 1;
      return failed("lost", "gone away");
    }
    const length = Math.max(0, Math.min(count, cap, total - start));
    return succeeded(Array.from({ length }, (_, index) => ({ value: start + index, number: start + index })));
  };
  const pages = new Pages(total, fetchRows, () => undefined);
  return {
    pages,
    asked,
    most: () => most,
    hold: () => (isHeld = true),
    release: () => {
      isHeld = false;
      for (const go of waiting.splice(0)) go();
    },
    fail: (times: number) => (failures = times),
  };
}

const settle = async () => {
  for (let turn = 0; turn < 200; turn += 1) await Promise.resolve();
};

test("what is seen is fetched first, then its neighbours, never more than two at once", async () => {
  const { pages, asked, most } = rig(10_000);
  pages.want(500, 520);
  await settle();
  assert.deepEqual(
    asked.map(([start]) => start),
    [500, 600, 400],
  );
  assert.equal(most(), 2);
  assert.equal(pages.row(510)?.value, 510);
  assert.equal(pages.row(399), undefined);
});

test("a chunk that scrolled away before its turn is never asked for", async () => {
  const { pages, asked, hold, release } = rig(1_000_000);
  hold();
  for (let row = 0; row < 500_000; row += 5_000) pages.want(row, row + 20);
  pages.want(900_000, 900_020);
  release();
  await settle();
  assert.equal(pages.row(900_005)?.value, 900_005);
  assert.ok(asked.length <= 6, `asked ${asked.length} times`);
});

test("short replies are asked on until the chunk is whole", async () => {
  const { pages, asked } = rig(250, 40);
  assert.equal(await pages.ensure(0, 99), null);
  assert.deepEqual(asked, [
    [0, 100],
    [40, 60],
    [80, 20],
  ]);
  assert.equal(await pages.ensure(200, 249), null);
  assert.equal(pages.row(249)?.value, 249);
});

test("the first page is not asked for again, whatever its length", async () => {
  const { pages, asked } = rig(1_000);
  pages.fill(
    0,
    Array.from({ length: 130 }, (_, index) => ({ value: index, number: index })),
  );
  pages.want(0, 20);
  await settle();
  assert.deepEqual(asked, [[130, 70]]);
});

test("a failure is kept until it is tried again", async () => {
  const { pages, fail, asked } = rig(1_000);
  fail(1);
  pages.want(0, 20);
  await settle();
  assert.equal(pages.failure()?.message, "gone away");
  const calls = asked.length;
  pages.want(0, 20);
  await settle();
  assert.equal(asked.length, calls, "no call without being told");
  pages.retry();
  await settle();
  assert.equal(pages.failure(), null);
  assert.equal(pages.row(5)?.value, 5);
});

test("pages long out of sight are dropped, and come again", async () => {
  const { pages } = rig(CHUNK * 200);
  for (let chunk = 0; chunk < 100; chunk += 1) await pages.ensure(chunk * CHUNK, chunk * CHUNK);
  assert.equal(pages.row(0), undefined);
  assert.equal(pages.row(99 * CHUNK)?.value, 99 * CHUNK);
  await pages.ensure(0, 0);
  assert.equal(pages.row(0)?.value, 0);
});
