/** Everything, for a file: all rows of a view, and every cut value in full. */

import { type Row, arrange } from "./arrange.ts";
import type { BrowseArguments, Outcome, Reply } from "./contract.ts";
import { failed, succeeded } from "./contract.ts";
import { parseExact } from "./exactjson.ts";
import type { Source } from "./source.ts";
import { Cut, Raw, type Value, dictOf, isDict, isList } from "./values.ts";

/** As many rows as one call may have. */
const MOST = 1_000;
/** Characters that a browser surely holds in one string, and in memory several times over. */
const LARGEST = 200_000_000;
const TOO_LARGE =
  "This is more than a browser can put into one file. Filter the rows, leave out columns, or take a selection.";

export interface Reading {
  /** Where the source of a path is. */
  at(path: string): Source;
  progress(rows: number): void;
  readonly signal: AbortSignal;
}

/** All rows that the arguments name, cut cells made whole. */
export async function readRows(
  source: Source,
  args: BrowseArguments,
  reading: Reading,
): Promise<Outcome<readonly Row[]>> {
  const rows: Row[] = [];
  let order: string | undefined;
  let length = 0;
  for (;;) {
    const outcome = await readPage(source, args, order, rows.length);
    if (!outcome.ok) return outcome;
    if (reading.signal.aborted) return cancelled();
    for (const row of arrange(outcome.value)) {
      const value = await completed(row.value, reading);
      if (!value.ok) return value;
      rows.push({ ...row, value: value.value });
      length += lengthOf(value.value);
      if (hasCut(row.value)) reading.progress(rows.length); // each may take several calls
      if (length > LARGEST) return failed("refused", TOO_LARGE);
    }
    reading.progress(rows.length);
    if (rows.length >= outcome.value.total || outcome.value.rows.length === 0) return succeeded(rows);
    order = outcome.value.order;
  }
}

/** By the order that the first page got, which is quick; where that has ended, by the question itself. */
async function readPage(
  source: Source,
  args: BrowseArguments,
  order: string | undefined,
  start: number,
): Promise<Outcome<Reply>> {
  const whole = { ...args, start, count: MOST };
  if (order === undefined) return source.browse(whole);
  const columns = args.columns ? { columns: args.columns } : {};
  const outcome = await source.browse({ ...columns, order, start, count: MOST });
  return outcome.ok || outcome.failure.kind === "lost" ? outcome : source.browse(whole);
}

/** About how long a value's text is. */
function lengthOf(value: Value): number {
  if (typeof value === "string") return value.length;
  if (value instanceof Raw) return value.json.length;
  if (isList(value)) return value.reduce<number>((sum, item) => sum + lengthOf(item), 2);
  if (isDict(value))
    return Object.entries(value).reduce((sum, [key, item]) => sum + key.length + lengthOf(item), 4);
  return 5;
}

/** A row without cuts: what was too large to send is fetched by its path, as its JSON. */
export async function completed(row: Value, reading: Reading): Promise<Outcome<Value>> {
  if (row instanceof Cut) {
    const whole = await rawAt(row, reading);
    // A file of columns has to look into a row that was cut as a whole.
    return whole.ok ? succeeded(parseExact(whole.value.json)) : whole;
  }
  return withoutCuts(row, reading);
}

async function withoutCuts(value: Value, reading: Reading): Promise<Outcome<Value>> {
  if (value instanceof Cut) return rawAt(value, reading);
  if (!hasCut(value)) return succeeded(value);
  const isOfKeys = isDict(value);
  const parts: Value[] = [];
  for (const part of isOfKeys ? Object.values(value) : (value as readonly Value[])) {
    const outcome = await withoutCuts(part, reading);
    if (!outcome.ok) return outcome;
    parts.push(outcome.value);
  }
  return succeeded(
    isOfKeys ? dictOf(Object.keys(value).map((key, index) => [key, parts[index] as Value] as const)) : parts,
  );
}

function hasCut(value: Value): boolean {
  if (value instanceof Cut) return true;
  if (isList(value)) return value.some(hasCut);
  return isDict(value) && Object.values(value).some(hasCut);
}

/** All of a value's JSON, window after window. */
async function rawAt(cut: Cut, reading: Reading): Promise<Outcome<Raw>> {
  const source = reading.at(cut.path);
  const parts: string[] = [];
  for (let offset = 0; ;) {
    if (reading.signal.aborted) return cancelled();
    const outcome = await source.browse({ raw: true, offset });
    if (!outcome.ok) return outcome;
    const { rows, window } = outcome.value;
    parts.push(String(rows[0] ?? ""));
    if (!window || window.to >= window.of) return succeeded(new Raw(parts.join("")));
    if (window.to <= offset) return failed("refused", `The value at ${cut.path} did not come whole.`);
    offset = window.to;
  }
}

export const CANCELLED = "Cancelled.";

function cancelled<T>(): Outcome<T> {
  return failed("refused", CANCELLED);
}
