/** The conditions of a filter: which make sense for a column, and how they read. */

import { isDate, isNumeric, typesIn } from "./columns.ts";
import type { Condition, Operator } from "./contract.ts";
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
};

const ORDERED: readonly Operator[] = ["equals", "not_equals", "less", "at_most", "more", "at_least"];
const ANY: readonly Operator[] = ["is_null", "not_null"];

export function operatorsFor(type: string): readonly Operator[] {
  if (isBoolean(type)) return ["equals", "not_equals", ...ANY];
  if (isNumeric(type) || isDate(type)) return [...ORDERED, "contains", ...ANY];
  return ["contains", "equals", "not_equals", "matches", ...ORDERED.slice(2), ...ANY];
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

/** What was typed, as the column's type has it. Whole numbers that JavaScript cannot hold stay text. */
export function valueOf(typed: string, type: string, op: Operator): string | number | boolean {
  if (isBoolean(type)) return typed === "true";
  if (op === "contains" || op === "matches" || !isNumeric(type)) return typed;
  const number = Number(typed);
  const isHeld =
    typed.trim() !== "" &&
    Number.isFinite(number) &&
    (!Number.isInteger(number) || Number.isSafeInteger(number));
  return isHeld ? number : typed.trim();
}

export function inWords(condition: Condition): string {
  const value = takesValue(condition.op) ? ` ${visible(clip(String(condition.value ?? ""), 40))}` : "";
  return `${visible(clip(condition.column, 40))} ${WORDS[condition.op]}${value}`;
}
