/** A reply's rows as values: cut cells and exact numbers put where they belong. */

import type { Reply } from "./contract.ts";
import { parseExact } from "./exactjson.ts";
import { Cut, Exact, type Value, dictOf, isDict } from "./values.ts";

export interface Row {
  readonly value: Value;
  /** The row's number in the whole, from 0, whatever the order. */
  readonly number: number;
}

export function arrange(reply: Reply): readonly Row[] {
  const values = [...reply.rows] as Value[];
  for (const { row, column, text } of reply.exact ?? [])
    replace(values, row, column, exactValue(text), reply);
  for (const cut of reply.cut ?? []) {
    const shown = shownAt(values, cut.row, cut.column, reply);
    const preview = typeof shown === "string" ? shown : "";
    replace(values, cut.row, cut.column, new Cut(preview, cut.path, cut.size, cut.type), reply);
  }
  return values.map((value, index) => ({ value, number: reply.numbers?.[index] ?? reply.start + index }));
}

function exactValue(text: string): Value {
  try {
    return parseExact(text);
  } catch {
    return new Exact(text); // NaN and Infinity: numbers to the server, not JSON
  }
}

/** The key under which a column of this reply lies in its row; members lie under `value`. */
function steps(reply: Reply, column: string | null): readonly string[] {
  if (reply.shape !== "members") return column === null ? [] : [column];
  if (column === null || column === "value") return ["value"];
  return column === "key" ? ["key"] : ["value", column];
}

function shownAt(
  values: readonly Value[],
  row: number,
  column: string | null,
  reply: Reply,
): Value | undefined {
  let value = values[row];
  for (const step of steps(reply, column))
    value = isDict(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  return value;
}

function replace(values: Value[], row: number, column: string | null, by: Value, reply: Reply): void {
  const old = values[row];
  if (old === undefined) return;
  values[row] = withValue(old, steps(reply, column), by);
}

/** A copy, since the reply belongs to whoever sent it. */
function withValue(value: Value, path: readonly string[], by: Value): Value {
  const [step, ...rest] = path;
  if (step === undefined || !isDict(value)) return by;
  // In the order of the keys as they came: a file that is downloaded keeps it.
  const entries = Object.entries(value).map(
    ([key, item]) => [key, key === step ? withValue(item, rest, by) : item] as const,
  );
  return dictOf(Object.hasOwn(value, step) ? entries : [...entries, [step, by]]);
}
