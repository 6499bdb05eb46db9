/** The conditions of a filter: which make sense for a column, and how they read. */

import { isDate, isNumeric, typesIn } from "./columns.ts";
import type { Condition, Operator, Scalar } from "./contract.ts";
import { clip, visible } from "./text.ts";

const WORDS: Readonly<Record<Operator, string>> = {
  contains: "contains",
  equals: "is",
  not_equals: "is not",
  less: "is less than",
  at_most: "is at most",
  more: "is more than",
  at_least: "is at least",
  is_null: "is null or missing",
  not_null: "has a value",
  matches: "matches the pattern",
  between: "is between",
  one_of: "is one of",
};

const ORDERED: readonly Operator[] = [
  "equals",
  "not_equals",
  "one_of",
  "less",
  "at_most",
  "more",
  "at_least",
  "between",
];
const ANY: readonly Operator[] = ["is_null", "not_null"];

export function operatorsFor(type: string): readonly Operator[] {
  if (isBoolean(type)) return ["equals", "not_equals", ...ANY];
  if (isNumeric(type) || isDate(type)) return [...ORDERED, "contains", ...ANY];
  return ["contains", "equals", "not_equals", "one_of", "matches", ...ORDERED.slice(3), ...ANY];
}

export function isBoolean(type: string): boolean {
  return typesIn(type).join() === "bool";
}

export function takesValue(op: Operator): boolean {
  return !ANY.includes(op);
}

export function wordFor(op: Operator): string {
  return WORDS[op];
}

export function inWords(condition: Condition): string {
  return `${visible(clip(condition.column, 40))} ${predicate(condition)}`;
}

const MOST_WORDS = 4;

/** A value in words. Blanks at its ends count, so they are shown. */
function quoted(value: Scalar): string {
  const text = visible(clip(String(value), 40));
  return text !== text.trim() ? inQuotes(text) : text;
}

function inQuotes(text: string): string {
  return `“${text}”`;
}

/** One of several values. One with a comma would read as two. */
function listed(value: Scalar): string {
  const text = quoted(value);
  return text.includes(",") && !text.startsWith("“") ? inQuotes(text) : text;
}

function predicate({ op, value, values = [] }: Condition): string {
  if (op === "between") return `is between ${values.map(quoted).join(" and ")}`;
  if (op === "one_of") {
    const said = values.map(listed);
    const more = said.length - MOST_WORDS;
    return `is one of ${said.slice(0, MOST_WORDS).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  }
  if (value === "" && (op === "equals" || op === "not_equals")) return `${WORDS[op]} the empty text`;
  return takesValue(op) ? `${WORDS[op]} ${quoted(value ?? "")}` : WORDS[op];
}
