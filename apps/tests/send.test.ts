import assert from "node:assert/strict";
import { test } from "node:test";

import { defaultInfo } from "../explorer/contract.ts";
import { fit, measure } from "../explorer/send.ts";
import type { Value } from "../explorer/values.ts";

const info = (budget: number) => ({
  ...defaultInfo("psk_token"),
  tool: "list_readings",
  context_budget: budget,
});
const rowsOf = (count: number, value: (index: number) => Value) =>
  Array.from({ length: count }, (_, number) => ({ number, value: value(number) }));

test("what fits goes whole", () => {
  const fitting = fit(
    rowsOf(3, (id) => ({ id })),
    info(25_000),
    "row",
  );
  assert.equal(fitting.sent, 3);
  const text = fitting.message.content[0]?.text ?? "";
  assert.match(text, /3 of 3 chosen rows follow/);
  assert.match(text, /Tool: list_readings\. Continuation token: psk_token\./);
  assert.ok(text.endsWith('{"number":3,"value":{"id":2}}'));
});

test("the most rows that fit go, within the budget to the byte", () => {
  const rows = rowsOf(500, (id) => ({ id, text: `"é漢字" ${"\\".repeat(id % 7)}\n` }));
  for (const budget of [600, 1_000, 5_000, 24_999]) {
    const fitting = fit(rows, info(budget), "row");
    assert.ok(fitting.size <= budget && fitting.size === measure(fitting.message));
    assert.ok(fitting.sent > 0 && fitting.sent < 500);
    assert.equal(new TextEncoder().encode(JSON.stringify(fitting.message)).length, fitting.size);
    const next = fit(rows.slice(0, fitting.sent + 1), info(budget + 400), "row");
    assert.ok(next.sent > fitting.sent, "one more row would have needed more room");
    assert.match(fitting.message.content[0]?.text ?? "", /did not fit; they are in the stored result/);
  }
});

test("one row over the budget is shortened; where even that is too much, the model gets the reference", () => {
  const rows = rowsOf(1, () => ({ body: "x".repeat(100_000) }));
  const short = fit(rows, info(2_000), "row");
  assert.ok(short.sent === 1 && short.isShortened && short.size <= 2_000);
  const none = fit(rows, info(500), "row");
  assert.ok(none.sent === 0 && none.size <= 500);
});
