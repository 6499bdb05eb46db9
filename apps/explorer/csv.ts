/** CSV as RFC 4180 has it, with formulas made harmless. */

import { writeExact } from "./exactjson.ts";
import { type Cell, Exact, MISSING, Raw } from "./values.ts";

const NEEDS_QUOTES = /[",\r\n]/;
// A spreadsheet runs a cell that begins with one of these. A plain number does nothing.
const FORMULA = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;
const PLAIN_NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Excel takes a file without it for the system's old code page. */
export const BYTE_ORDER_MARK = "\ufeff";

export function csvRecord(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

function csvCell(cell: Cell): string {
  const text = harmless(plain(cell));
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function plain(cell: Cell): string {
  if (cell === MISSING || cell === null) return "";
  if (typeof cell === "string") return cell;
  if (cell instanceof Exact) return cell.text;
  if (cell instanceof Raw && cell.json.startsWith('"')) return JSON.parse(cell.json) as string;
  return writeExact(cell);
}

/** With an apostrophe before whatever a spreadsheet would take for a formula. */
export function harmless(text: string): string {
  return FORMULA.test(text) && !PLAIN_NUMBER.test(text) ? `'${text}` : text;
}
