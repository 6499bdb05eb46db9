/** Rows as the text of a file. */

import type { Row } from "./arrange.ts";
import type { Field } from "./columns.ts";
import { BYTE_ORDER_MARK, csvRecord } from "./csv.ts";
import { writeExact } from "./exactjson.ts";
import { furtherFields } from "./further.ts";
import type { Place } from "./place.ts";
import { type Cell, MISSING, type Value, member } from "./values.ts";

/** Lines are written as the text they are of; anything else as JSON or CSV. */
export type Format = "json" | "csv" | "txt";

export const MIME: Readonly<Record<Format, string>> = {
  json: "application/json",
  csv: "text/csv",
  txt: "text/plain",
};

export function fileText(
  format: Format,
  rows: readonly Row[],
  place: Place,
  fields: readonly Field[],
): string {
  if (format === "txt") return rows.map(({ value }) => lineOf(value)).join("\n");
  if (format === "json") return json(rows, place);
  return csv(rows, [...fields, ...furtherFields(rows, place.fields.peek(), place.shape.peek())]);
}

function lineOf(value: Value): string {
  return typeof value === "string" ? value : writeExact(value);
}

function csv(rows: readonly Row[], fields: readonly Field[]): string {
  const head = csvRecord(fields.map((field) => field.label));
  const records = rows.map(({ value }) => csvRecord(fields.map((field) => field.read(value))));
  return [BYTE_ORDER_MARK, head, ...records].join("");
}

function json(rows: readonly Row[], place: Place): string {
  const values = rows.map((row) => row.value);
  // Written entry by entry: a key may come twice, and a dict would keep one of them.
  if (place.shape.peek() === "members") return `{\n${values.map(entry).join(",\n")}\n}\n`;
  return `[\n${values.map(writeExact).join(",\n")}\n]\n`;
}

function entry(pair: Value): string {
  return `${written(member(pair, "key"))}:${written(member(pair, "value"))}`;
}

function written(cell: Cell): string {
  return cell === MISSING ? "null" : writeExact(cell);
}

/** A name for the file, without anything that a file system would mind. */
export function fileName(tool: string, format: Format): string {
  const plain = tool.replace(/[^\w.-]+/g, "-").replace(/^[-.]+|[-.]+$/g, "");
  return `${plain || "result"}.${format}`;
}
