/** Conditions while they are being written, and what they mean once they can be read. */

import { type Field, isNumeric, typesIn } from "../columns.ts";
import { isBoolean, operatorsFor } from "../conditions.ts";
import type { CellKind, Condition, Operator, Scalar } from "../contract.ts";
import { type Read, readNumber } from "./numbers.ts";
import { isLater, readTime } from "./times.ts";

/** Conditions on the empty text, which nobody can type, and how the server has them. */
const OF_EMPTY = { is_empty: "equals", not_empty: "not_equals" } as const;
export type EmptyOperator = keyof typeof OF_EMPTY;
export type DraftOperator = Operator | EmptyOperator;

export interface Draft {
  readonly column: string;
  readonly op: DraftOperator;
  readonly typed: string;
  /** The far end of `between`. */
  readonly to: string;
  /** The values of `one_of` that were ticked. */
  readonly chosen: readonly Scalar[];
}

export interface Problem {
  readonly text: string;
  /** Whether it is about the far end of `between`. */
  readonly isAtEnd: boolean;
}

export type Reading = { readonly condition: Condition } | { readonly problem: Problem };

const EMPTY = "Nothing is typed here. Type a value, or remove this condition.";
const NOT_CHOSEN = "Nothing is chosen here. Choose a value, or remove this condition.";

const MIXED = "Some of these are times, and some are not. Type only times, or only other texts.";

export function draftFor(field: Field | undefined): Draft {
  const type = field?.type ?? "";
  return {
    column: field?.name ?? "",
    op: operatorsFor(type)[0] as Operator,
    typed: isBoolean(type) ? "true" : "",
    to: "",
    chosen: [],
  };
}

export function draftOf(condition: Condition): Draft {
  const { column, op, value, values = [], kind, texts } = condition;
  const [low = "", high = ""] = op === "between" ? values : [];
  const areTyped = op === "one_of" && kind !== undefined; // times are read again
  const said = areTyped ? values.join("\n") : op === "between" ? low : (value ?? "");
  const typed = texts ? texts.join("\n") : said;
  return {
    column,
    op: value === "" ? emptyOperator(op) : op,
    typed: String(typed),
    to: String(high),
    chosen: op === "one_of" && !areTyped ? values : [],
  };
}

/** `is the empty text` for `is`, and `is not the empty text` for `is not`. */
export function emptyOperator(op: DraftOperator): EmptyOperator {
  return op === "not_equals" ? "not_empty" : "is_empty";
}

export function isOfEmpty(op: DraftOperator): op is EmptyOperator {
  return op in OF_EMPTY;
}

/** The same condition for another column, as far as it makes sense there. */
export function moved(draft: Draft, field: Field | undefined): Draft {
  const fresh = draftFor(field);
  const possible: readonly DraftOperator[] = operatorsFor(field?.type ?? "");
  const typed = isBoolean(field?.type ?? "") ? "true" : draft.typed;
  return { ...fresh, op: possible.includes(draft.op) ? draft.op : fresh.op, typed, to: draft.to };
}

export function kindOf(field: Field | undefined): CellKind | null {
  if (!field) return null;
  if (field.epoch) return field.epoch;
  return typesIn(field.type).includes("date") ? "time" : null;
}

/** The condition, or why it cannot be read: then it must not run. */
export function read(draft: Draft, field: Field | undefined): Reading {
  const { column, op } = draft;
  if (isOfEmpty(op)) return { condition: { column, op: OF_EMPTY[op], value: "" } };
  if (op === "is_null" || op === "not_null") return { condition: { column, op } };
  if (op === "one_of") return readSeveral(draft, field);
  const low = readValue(draft.typed, op, field);
  if ("problem" in low) return problem(low.problem);
  if (op !== "between")
    return { condition: { column, op, value: low.value, ...kind(low), ...texts([low], op, field) } };
  const high = readValue(draft.to, op, field);
  if ("problem" in high) return problem(high.problem, true);
  if (low.kind !== high.kind) return problem("Both ends have to be times.", true);
  if (isAfter(low, high)) return problem("The end is before the beginning.", true);
  return { condition: { column, op, values: [low.value, high.value], ...kind(low) } };
}

function problem(text: string, isAtEnd = false): Reading {
  return { problem: { text, isAtEnd } };
}

/** One value a line, or those that were ticked. */
function readSeveral(draft: Draft, field: Field | undefined): Reading {
  const { column, op, chosen } = draft as Draft & { op: "one_of" };
  if (chosen.length > 0) return { condition: { column, op, values: chosen } };
  const lines = linesOf(draft.typed);
  if (lines.length === 0) return problem(NOT_CHOSEN);
  const values: Value[] = [];
  for (const line of lines) {
    const found = readValue(line, op, field);
    if ("problem" in found) return problem(found.problem);
    values.push(found);
  }
  const [first] = values as [Value];
  if (values.some((one) => one.kind !== first.kind)) return problem(MIXED);
  return { condition: { column, op, values: values.map((one) => one.value), ...kind(first), ...texts(values, op, field) } };
}

function linesOf(typed: string): readonly string[] {
  return typed.split("\n").filter((line) => line.trim() !== "");
}

interface Value {
  readonly value: Scalar;
  readonly kind?: CellKind;
  readonly typed: string;
}

function kind({ kind: found }: Value): { kind?: CellKind } {
  return found ? { kind: found } : {};
}

/** Times as they were typed, where a column has texts too. */
function texts(values: readonly Value[], op: Operator, field: Field | undefined): { texts?: readonly string[] } {
  const mayBeText = EQUALITIES.includes(op) && typesIn(field?.type ?? "").includes("str");
  return mayBeText && values[0]?.kind ? { texts: values.map((one) => one.typed) } : {};
}

/** Beside numbers a column may have texts of digits. The server finds both by the text. */
const EQUALITIES: readonly Operator[] = ["equals", "not_equals", "one_of"];
const SPELLED = /^-?[\d,]+(?:\.\d+)?$/;

function readValue(typed: string, op: Operator, field: Field | undefined): Value | { problem: string } {
  const found = readByType(typed, op, field);
  return "problem" in found ? found : { ...found, typed };
}

type Found = Omit<Value, "typed"> | { readonly problem: string };

/** What was typed, as the column's type has it. Where a column has texts too, it may be one. */
function readByType(typed: string, op: Operator, field: Field | undefined): Found {
  const type = field?.type ?? "";
  if (isBoolean(type)) return { value: typed === "true" };
  if (op === "contains" || op === "matches") return typed === "" ? { problem: EMPTY } : { value: typed };
  const isNothing = typesIn(type).includes("str") ? typed === "" : typed.trim() === "";
  if (isNothing) return { problem: EMPTY };
  const found = readAs(typed, field);
  if (!found) return { value: typed };
  if (!typesIn(type).includes("str")) return found;
  if ("problem" in found) return { value: typed };
  const mayBeText = !found.kind && EQUALITIES.includes(op) && SPELLED.test(typed);
  return mayBeText ? { value: typed } : found;
}

function readAs(typed: string, field: Field | undefined): Found | null {
  const as = kindOf(field);
  if (as) {
    const time: Read<string> = readTime(typed, field?.epoch);
    return "problem" in time ? time : { ...time, kind: as };
  }
  return isNumeric(field?.type ?? "") ? readNumber(typed) : null;
}

function isAfter(low: Value, high: Value): boolean {
  if (low.kind) return isLater(String(low.value), String(high.value));
  return typeof low.value === "number" && typeof high.value === "number" ? low.value > high.value : false;
}
