import assert from "node:assert/strict";
import { test } from "node:test";

import { brief } from "../explorer/cell.ts";
import { operatorsFor } from "../explorer/conditions.ts";
import { firstChoice } from "../explorer/chartspec.ts";
import { clip, marked, size, visible, visibleLines } from "../explorer/text.ts";
import { Cut, MISSING } from "../explorer/values.ts";

test("characters that act on others are shown, not acted on", () => {
  assert.equal(visible("a\u202eb\u0000c\u001b[31m\r\n\td\u200be"), "a⟨U+202E⟩b␀c␛[31m␍⏎⇥d⟨U+200B⟩e");
  assert.equal(visible("שלום مرحبا 👩‍🚀 e\u0301"), "שלום مرحبا 👩‍🚀 e\u0301");
  assert.equal(visible("half \ud83d"), "half ⟨U+D83D⟩");
  assert.equal(visibleLines("a\n\tb\u2066c"), "a\n\tb⟨U+2066⟩c");
});

test("a text is never cut inside a character", () => {
  assert.equal(clip("ab👩", 3), "ab");
  assert.equal(clip("ab", 3), "ab");
});

test("matches are found in any case, whatever they are made of", () => {
  assert.deepEqual(marked("a.B a.b", ".b"), [
    { text: "a", isMatch: false },
    { text: ".B", isMatch: true },
    { text: " a", isMatch: false },
    { text: ".b", isMatch: true },
  ]);
  for (const needle of ["(", "[a", "\\", "-", "a|b", "\ud83d"])
    assert.doesNotThrow(() => marked("x(-[a\\", needle));
});

test("null, missing and empty text look different", () => {
  const kinds = [null, MISSING, "", "x", 0, false, [], {}, new Cut("x", "/0", 9, "str")] as const;
  assert.deepEqual(
    kinds.map((cell) => brief(cell).kind),
    ["null", "missing", "empty", "text", "number", "bool", "list", "dict", "cut"],
  );
  assert.equal(brief([1, 2]).text, "[2 items]");
  assert.equal(brief({ a: 1 }).text, "{1 key}");
  assert.ok(brief("x".repeat(1_000_000)).text.length < 1_000);
});

test("sizes are told in units of a thousand", () => {
  assert.deepEqual([1, 999, 31_234_567].map(size), ["1 byte", "999 bytes", "31.2 MB"]);
});

test("conditions fit the type of the column", () => {
  assert.equal(operatorsFor("str")[0], "contains");
  assert.equal(operatorsFor("float|null")[0], "equals");
  assert.ok(!operatorsFor("bool").includes("less"));
});

test("the first chart is of a date, else of a measure, else of a category", () => {
  const column = (name: string, type: string) => ({ name, type });
  assert.equal(firstChoice([column("id", "int"), column("at", "date"), column("x", "float")])?.x, "at");
  assert.equal(firstChoice([column("id", "int"), column("n", "int"), column("x", "float|null")])?.x, "x");
  assert.equal(firstChoice([column("tags", "list"), column("state", "str")])?.x, "state");
  assert.equal(firstChoice([column("tags", "list")]), null);
});
