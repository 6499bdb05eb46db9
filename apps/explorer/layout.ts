/** Where the columns of a grid stand. Only those in sight are drawn: there may be hundreds. */

import type { Field } from "./columns.ts";
import { count } from "./text.ts";

export const ROW_HEIGHT = 28;
export const HEAD_HEIGHT = 34;
const CHECK_WIDTH = 34;

export interface Placed {
  readonly field: Field;
  /** Its number among the columns that are shown. */
  readonly index: number;
  readonly left: number;
  readonly width: number;
}

export interface Layout {
  readonly columns: readonly Placed[];
  /** Width of the check box and the row's number, which stay when the rest scrolls. */
  readonly pinned: number;
  readonly width: number;
}

export function layoutOf(
  fields: readonly Field[],
  widths: ReadonlyMap<string, number>,
  highest: number,
  room: number,
  stretches: boolean,
): Layout {
  const pinned = CHECK_WIDTH + Math.max(34, count(highest).length * 6.6 + 16);
  let left = pinned;
  const columns = fields.map((field, index): Placed => {
    const wished = widths.get(field.name) ?? 120;
    const width = stretches && index === fields.length - 1 ? Math.max(wished, room - left) : wished;
    const placed = { field, index, left, width };
    left += width;
    return placed;
  });
  return { columns, pinned, width: Math.max(left, room) };
}

/** So few are always all there, for whoever goes by their names. */
const FEW = 30;

export function inSight({ columns, pinned }: Layout, scrolled: number, room: number): readonly Placed[] {
  if (columns.length <= FEW) return columns;
  const from = scrolled + pinned;
  return columns.filter(({ left, width }) => left + width > from && left < scrolled + room);
}

/** The least scrolling sideways that shows a column whole, or its beginning where it is too wide. */
export function sideways({ columns, pinned }: Layout, index: number, scrolled: number, room: number): number {
  const column = columns[index];
  if (!column) return index < 0 ? scrolled : 0;
  const farthest = column.left - pinned;
  const nearest = column.left + column.width - room;
  return Math.min(farthest, Math.max(nearest, scrolled));
}

/** The name of a cell for `aria-activedescendant`; the header is row -1, the row's number column -1. */
export function cellId(row: number, column: number): string {
  return `cell-${row}-${column}`;
}
