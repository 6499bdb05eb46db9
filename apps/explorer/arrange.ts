/** A reply's rows as values: cut cells and exact numbers put where they belong. */

import type { ColumnPath, Reply } from "./contract.ts";
import { parseExact } from "./exactjson.ts";
import { Cut, Exact, type Value, dictOf, isDict, isList } from "./values.ts";

export interface Row {
  readonly value: Value;
  /** The row's number in the whole, from 0, whatever the order. */
  readonly number: number;
}

export function arrange(reply: Reply): readonly Row[] {
  const values = [...reply.rows] as Value[];
  for (const { row, column, text, steps: inner } of reply.exact ?? [])
    replace(values, row, steps(reply, column, "", inner), exactValue(text));
  for (const cut of reply.cut ?? []) {
    const where = steps(reply, cut.column, cut.path, cut.steps);
    const shown = shownAt(values[cut.row], where);
    replace(
      values,
      cut.row,
      where,
      new Cut(typeof shown === "string" ? shown : "", cut.path, cut.size, cut.type),
    );
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

/** How the server names the key itself of an entry, by its number. No other path has such a step. */
const PATH_OF_KEY = /\/~#\d+\/key$/;

/** Where a cell lies in what stands for its row. The values of entries lie under `value`, and may have
 * columns that are called `key` or `value` themselves. */
function steps(reply: Reply, column: string | null, path: string, inner?: ColumnPath): ColumnPath {
  if (inner) return reply.shape === "members" ? ["value", ...inner] : inner;
  if (reply.shape !== "members") return column === null ? [] : [column];
  if (column === "key" && PATH_OF_KEY.test(path)) return ["key"];
  return column === null ? ["value"] : ["value", column];
}

function shownAt(value: Value | undefined, path: ColumnPath): Value | undefined {
  for (const step of path) value = stepInto(value, step);
  return value;
}

function stepInto(value: Value | undefined, step: string | number): Value | undefined {
  if (typeof step === "number") return isList(value) ? value[step] : undefined;
  return isDict(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

function replace(values: Value[], row: number, path: ColumnPath, by: Value): void {
  const old = values[row];
  if (old !== undefined) values[row] = withValue(old, path, by);
}

/** A copy, since the reply belongs to whoever sent it. */
function withValue(value: Value, path: ColumnPath, by: Value): Value {
  const [step, ...rest] = path;
  if (typeof step === "number" && isList(value))
    return value.with(step, withValue(value[step] ?? null, rest, by));
  if (typeof step !== "string" || !isDict(value)) return by;
  // In the order of the keys as they came: a file that is downloaded keeps it.
  const entries = Object.entries(value).map(
    ([key, item]) => [key, key === step ? withValue(item, rest, by) : item] as const,
  );
  return dictOf(Object.hasOwn(value, step) ? entries : [...entries, [step, by]]);
}
