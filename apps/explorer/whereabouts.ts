/** Where a cell is in the result, and whether it is worth asking the server for it. */

import type { Row } from "./arrange.ts";
import type { Field } from "./columns.ts";
import type { Place } from "./place.ts";
import { type Cell, isList, pointerStep } from "./values.ts";

/** A list may be rows, and a text of several lines CSV or the like: the server reads both as tables. */
export function mayBeTable(cell: Cell): boolean {
  if (isList(cell)) return cell.length > 1;
  return typeof cell === "string" && cell.includes("\n");
}

/** The path of a cell, or null where the server has no such cell. */
export function pathOfCell(place: Place, row: Row, field: Field): string | null {
  const shape = place.shape.peek();
  if (place.rowsAt === null || shape === "text" || shape === "lines") return null;
  const steps = (field.path ?? []).map(pointerStep).join("");
  if (shape !== "members") return `${place.rowsAt}/${row.number}${steps}`;
  const isKey = field.name === "key" && !field.isNamed;
  return isKey ? null : `${place.rowsAt}/~#${row.number}/value${steps}`;
}
