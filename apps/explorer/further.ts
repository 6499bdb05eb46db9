/** Columns that only later rows have: the first rows do not show every member of nested objects, and a
 * file of columns must not lose them. */

import type { Row } from "./arrange.ts";
import type { Field } from "./columns.ts";
import type { ColumnPath, Shape } from "./contract.ts";
import { type Cell, MISSING, isDict, isList, member } from "./values.ts";

export function furtherFields(
  rows: readonly Row[],
  known: readonly Field[],
  shape: Shape | null,
): readonly Field[] {
  if (!known.some((field) => field.isNamed)) return []; // each row is one cell
  const seen = new Set(known.map((field) => JSON.stringify(field.path ?? [field.name])));
  const found: ColumnPath[] = [];
  const note = (cell: Cell, path: ColumnPath) => {
    const key = JSON.stringify(path);
    if (path.length > 0 && (seen.has(key) || cell === null)) return;
    const parts = partsOf(cell, path.length === 0);
    for (const [step, part] of parts) note(part, [...path, step]);
    if (parts.length > 0 || path.length === 0) return;
    seen.add(key);
    found.push(path);
  };
  for (const { value } of rows) note(shape === "members" ? member(value, "value") : value, []);
  return found.map(fieldAt(shape));
}

/** The members of an object; of a row that is a list, its elements too. */
function partsOf(cell: Cell, isRow: boolean): ReadonlyArray<readonly [string | number, Cell]> {
  if (isDict(cell)) return Object.entries(cell);
  return isRow && isList(cell) ? [...cell.entries()] : [];
}

function fieldAt(shape: Shape | null) {
  return (path: ColumnPath): Field => ({
    name: path.join("."),
    label: path.map((step) => (typeof step === "number" ? `c${step + 1}` : step)).join("."),
    type: "",
    isNamed: true,
    isAskable: false,
    path,
    read: (value) => path.reduce(stepInto, shape === "members" ? member(value, "value") : value),
  });
}

function stepInto(cell: Cell, step: string | number): Cell {
  if (typeof step === "string") return member(cell, step);
  return isList(cell) && step < cell.length ? (cell[step] as Cell) : MISSING;
}
