/** The rows that a person has chosen. They are known by their number in the whole, so that they
 * stay chosen when the order changes; and kept with their values, since pages come and go. */

import type { Row } from "./arrange.ts";

export type Selection = ReadonlyMap<number, Row>;

export const NOTHING: Selection = new Map();

export function toggled(selection: Selection, row: Row): Selection {
  const next = new Map(selection);
  if (!next.delete(row.number)) next.set(row.number, row);
  return next;
}

export function withRows(selection: Selection, rows: Iterable<Row>): Selection {
  const next = new Map(selection);
  for (const row of rows) next.set(row.number, row);
  return next;
}

/** In the order of the whole, not of the clicks. */
export function inOrder(selection: Selection): readonly Row[] {
  return [...selection.values()].sort((a, b) => a.number - b.number);
}
