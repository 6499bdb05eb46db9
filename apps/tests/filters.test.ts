/** What is typed into a filter: numbers, times, and conditions that cannot be read. */

import assert from "node:assert/strict";
import { test } from "node:test";

import type { Condition } from "../explorer/contract.ts";
import { inWords } from "../explorer/conditions.ts";
import { type Draft, draftFor, draftOf, read } from "../explorer/filters/drafts.ts";
import { readNumber } from "../explorer/filters/numbers.ts";
import { meaning, readTime } from "../explorer/filters/times.ts";

const valueOf = (found: { readonly value: unknown } | { readonly problem: string }) =>
  "value" in found ? found.value : null;

test("numbers are read as they are printed and as they are typed", () => {
  const read = (typed: string) => valueOf(readNumber(typed));
  assert.deepEqual(["1,000", " 1000 ", "1 000", "1'234'567.5", "+7", "\u22122.5", "1e3"].map(read), [
    1000, 1000, 1000, 1234567.5, 7, -2.5, 1000,
  ]);
  assert.equal(read("12,345,678,901,234,567,890"), "12345678901234567890");
  assert.equal(read("-00012345678901234567890"), "-12345678901234567890");
  assert.deepEqual(["abc", "", "1,5", "1,00", "1,000 000", "10 €", "1.2.3", "0x10", "--1", "0,123"].map(read), Array(10).fill(null));
});

test("times are read in the spellings of people and of the explorer", () => {
  const read = (typed: string) => valueOf(readTime(typed));
  const day = "2023-03-01";
  const spelled = ["2023-03-01", "1 March 2023", "1st march, 2023", "March 1, 2023", "Mar 1 2023", "2023/3/1", "2023-3-1", "1.3.2023", "1-Mar-2023", "1. March 2023", "1st of March 2023"];
  assert.deepEqual(spelled.map(read), spelled.map(() => day));
  assert.equal(read("2023"), "2023");
  assert.equal(read("Sept 2023"), "2023-09");
  assert.equal(read("13/01/2023"), "2023-01-13");
  assert.equal(read("1 March 2023 at 9:05"), "2023-03-01T09:05");
  assert.equal(read("2023-03-01 14:30:05.1234567Z"), "2023-03-01T14:30:05.123456Z");
  assert.equal(read("2023-03-01T14:30:05+0530"), "2023-03-01T14:30:05+05:30");
  assert.deepEqual(["2:30 pm", "2:30PM", "12:30 a.m.", "12:05 pm"].map((clock) => read(`2023-03-01 ${clock}`)), [
    `${day}T14:30`,
    `${day}T14:30`,
    `${day}T00:30`,
    `${day}T12:05`,
  ]);
  const unread = ["2023-03-01 14:30 pm", "2023-03-01 0:30 am", "3/4/2023", "30 February 2023", "2023-13-01", "2023-03-01 25:00", "soon", "1 Foo 2023", "12", ""];
  assert.deepEqual(unread.map(read), unread.map(() => null));
});

test("a time of day is refused for what it lacks", () => {
  const found = readTime("12:30");
  assert.match("problem" in found ? found.problem : "", /^“12:30” names no day\./);
});

test("a printed number of seconds is a time too", () => {
  assert.equal(valueOf(readTime("1700000000", "seconds")), "2023-11-14T22:13:20Z");
  assert.equal(valueOf(readTime("1,700,000,000,123", "milliseconds")), "2023-11-14T22:13:20.123Z");
  assert.equal(valueOf(readTime("2023", "seconds")), "2023");
  const digits = [
    ["1677628800.1237", "seconds", "2023-03-01T00:00:00.123700Z"],
    ["1677628800.123457", "seconds", "2023-03-01T00:00:00.123457Z"],
    ["1677628800.9999999", "seconds", "2023-03-01T00:00:00.999999Z"],
    ["1677628800123.7", "milliseconds", "2023-03-01T00:00:00.123700Z"],
  ] as const;
  for (const [typed, unit, value] of digits) assert.equal(valueOf(readTime(typed, unit)), value);
  assert.equal(valueOf(readTime("1700000000")), null);
});

test("what a time means is said", () => {
  assert.equal(meaning("2023-03-01"), "1 March 2023, the whole day");
  assert.equal(meaning("2023-03"), "March 2023, the whole month");
  assert.equal(meaning("2023-03-01T14:30"), "1 March 2023, 14:30, the whole minute");
  assert.equal(meaning("2023-03-01T14:30:00Z"), "1 March 2023, 14:30:00Z");
});

const field = (type: string) => ({
  name: "c",
  label: "c",
  type,
  isNamed: true,
  isAskable: true,
  read: () => null,
});
const draft = (given: Partial<Draft>): Draft => ({ ...draftFor(field("str")), ...given });

test("a condition that cannot be read does not run", () => {
  const problem = (type: string, given: Partial<Draft>) => {
    const found = read(draft(given), field(type));
    return "problem" in found ? found.problem : null;
  };
  assert.match(problem("int", { op: "equals", typed: "abc" })?.text ?? "", /not a number/);
  assert.match(problem("date", { op: "equals", typed: "abc" })?.text ?? "", /not a day/);
  assert.match(problem("str", { op: "contains", typed: "" })?.text ?? "", /Nothing is typed/);
  const mixed = problem("str|date", { op: "one_of", typed: "1 March 2023\nn/a" })?.text ?? "";
  assert.match(mixed, /^Some of these are times, and some are not\./);
  assert.equal(problem("int", { op: "between", typed: "1", to: "" })?.isAtEnd, true);
  assert.match(problem("int", { op: "between", typed: "1", to: "" })?.text ?? "", /Nothing is typed/);
  assert.match(problem("str", { op: "one_of" })?.text ?? "", /Nothing is chosen/);
  assert.equal(problem("int", { op: "between", typed: "1", to: "x" })?.isAtEnd, true);
  assert.equal(problem("int", { op: "between", typed: "9", to: "1" })?.isAtEnd, true);
  assert.equal(problem("int|str", { op: "equals", typed: "abc" }), null);
  const ends = (typed: string, to: string) => problem("date", { op: "between", typed, to })?.isAtEnd ?? null;
  assert.equal(ends("4 July 2023", "1 July 2023"), true);
  assert.equal(ends("2023-07-01 14:30", "July 2023"), null);
  assert.equal(ends("2023-07-01 14:30:05", "2023-07-01 14:30"), null);
  assert.equal(ends("2023-07-01 10:00+05:00", "2023-07-01 09:00Z"), null);
  assert.equal(ends("2023-07-01 10:00Z", "2023-07-01 10:00+05:00"), true);
  assert.equal(ends("2023-07-01 10:00", "2023-07-01 09:00Z"), null);
});

test("a condition is read by the type of its column", () => {
  const condition = (type: string, given: Partial<Draft>) => {
    const found = read(draft(given), field(type));
    return "condition" in found ? found.condition : null;
  };
  assert.deepEqual(condition("int", { op: "equals", typed: "1,000" }), { column: "c", op: "equals", value: 1000 });
  assert.deepEqual(condition("str", { op: "equals", typed: "12" }), { column: "c", op: "equals", value: "12" });
  assert.deepEqual(condition("bool", { op: "equals", typed: "false" }), { column: "c", op: "equals", value: false });
  assert.deepEqual(condition("date", { op: "at_most", typed: "1 March 2023" }), {
    column: "c",
    op: "at_most",
    value: "2023-03-01",
    kind: "time",
  });
  assert.deepEqual(condition("int", { op: "one_of", typed: "1,000\n\n2" }), {
    column: "c",
    op: "one_of",
    values: [1000, 2],
  });
  const oneOf = (typed: string) => condition("str|date", { op: "one_of", typed });
  assert.deepEqual(oneOf("1 March 2023\n2023-03-02"), {
    column: "c",
    op: "one_of",
    values: ["2023-03-01", "2023-03-02"],
    kind: "time",
    texts: ["1 March 2023", "2023-03-02"],
  });
  const year = condition("str|date", { op: "equals", typed: "2023" });
  assert.deepEqual(year, { column: "c", op: "equals", value: "2023", kind: "time", texts: ["2023"] });
  assert.equal(condition("str|date", { op: "less", typed: "2023" })?.texts, undefined);
  assert.deepEqual(oneOf("n/a\nsoon"), { column: "c", op: "one_of", values: ["n/a", "soon"] });
  assert.equal(oneOf("1 March 2023\nn/a"), null);
  const either = (typed: string) => condition("int|str", { op: "equals", typed })?.value;
  assert.deepEqual(["300", "1,000", " 1 000", "+5", "abc"].map(either), ["300", "1,000", 1000, 5, "abc"]);
  assert.deepEqual(condition("int|str", { op: "more", typed: "300" })?.value, 300);
  assert.deepEqual(condition("str", { op: "is_empty" }), { column: "c", op: "equals", value: "" });
  assert.deepEqual(condition("str", { op: "not_empty" }), { column: "c", op: "not_equals", value: "" });
  assert.deepEqual(condition("str", { op: "equals", typed: "  " }), { column: "c", op: "equals", value: "  " });
});

test("a condition becomes the draft that it was written as", () => {
  const conditions = [
    { column: "c", op: "between", values: [1, 2] },
    { column: "c", op: "equals", value: "" },
    { column: "c", op: "not_equals", value: "" },
    { column: "c", op: "contains", value: "the " },
    { column: "c", op: "one_of", values: ["a", " b"] },
    { column: "c", op: "one_of", values: ["2023-03-01", "2023-03-02T10:00:05.5Z"], kind: "time" },
    { column: "c", op: "equals", value: "2023-05", kind: "time", texts: ["May 2023"] },
  ] as const;
  for (const condition of conditions) {
    const { values = [], kind, texts } = condition as Condition;
    const type = kind ? (texts ? "str|date" : "date") : typeof values[0] === "number" ? "int" : "str";
    assert.deepEqual(read(draftOf(condition), field(type)), { condition });
  }
  assert.deepEqual(conditions.map(inWords), [
    "c is between 1 and 2",
    "c is the empty text",
    "c is not the empty text",
    "c contains “the ”",
    "c is one of a, “ b”",
    "c is one of 2023-03-01, 2023-03-02T10:00:05.5Z",
    "c is 2023-05",
  ]);
});

test("a chip shows where one value ends", () => {
  const said = (values: readonly string[]) => inWords({ column: "to", op: "one_of", values });
  assert.equal(said(["LAX, SFO"]), "to is one of “LAX, SFO”");
  assert.equal(said(["LAX", "SFO"]), "to is one of LAX, SFO");
  assert.equal(said([" LAX, "]), "to is one of “ LAX, ”");
});
