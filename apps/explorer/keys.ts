/** The keys of the grid, as the ARIA pattern for grids has them. */

import { brief } from "./cell.ts";
import { chooseTo, toggle } from "./choosing.ts";
import type { Explorer } from "./explorer.ts";
import type { Place, Position } from "./place.ts";
import { cycleSort } from "./sorting.ts";

export function onKey(event: KeyboardEvent, explorer: Explorer, place: Place, page: number): void {
  const isHandled = act(event, explorer, place) || move(event, explorer, place, page);
  if (isHandled) event.preventDefault();
}

function act(event: KeyboardEvent, explorer: Explorer, place: Place): boolean {
  const { row, column } = place.active.peek();
  if (row < 0) return actOnHead(event, explorer, place, column);
  if (event.key === "Enter") openActive(explorer, place);
  else if (event.key === " ")
    event.shiftKey ? void chooseTo(explorer, place, row) : toggle(explorer, place, row);
  else return false;
  return true;
}

function actOnHead(event: KeyboardEvent, explorer: Explorer, place: Place, column: number): boolean {
  const field = place.shownFields.peek()[column];
  if (!field) return false;
  if (event.key === "Enter" || event.key === " ") cycleSort(explorer, place, field);
  else if (
    event.key === "ArrowDown" &&
    event.altKey &&
    field.isAskable &&
    place.source.can.includes("filter")
  ) {
    explorer.dialogColumn.value = field.name;
    explorer.dialog.value = "filter";
  } else return false;
  return true;
}

function openActive(explorer: Explorer, place: Place): void {
  const { row: index, column } = place.active.peek();
  const row = place.view.peek()?.pages.row(index);
  const field = place.shownFields.peek()[column];
  if (!row) return;
  if (field && brief(field.read(row.value)).opens) explorer.openCell(row, field);
  else void explorer.openRow(row);
}

function move(event: KeyboardEvent, explorer: Explorer, place: Place, page: number): boolean {
  const before = place.active.peek();
  const after = target(event, before, place, page);
  if (!after) return false;
  place.active.value = within(after, place);
  if (event.shiftKey && before.row !== after.row && before.row >= 0)
    void chooseTo(explorer, place, place.active.peek().row, before.row);
  return true;
}

function target(
  event: KeyboardEvent,
  { row, column }: Position,
  place: Place,
  page: number,
): Position | null {
  const isJump = event.ctrlKey || event.metaKey;
  const lastRow = (place.view.peek()?.total ?? 0) - 1;
  const lastColumn = place.shownFields.peek().length - 1;
  switch (event.key) {
    case "ArrowDown":
      return { row: isJump ? lastRow : row + 1, column };
    case "ArrowUp":
      return { row: isJump ? 0 : row - 1, column };
    case "ArrowRight":
      return { row, column: isJump ? lastColumn : column + 1 };
    case "ArrowLeft":
      return { row, column: isJump ? -1 : column - 1 };
    case "PageDown":
      return { row: row + page, column };
    case "PageUp":
      return { row: Math.max(0, row - page), column };
    case "Home":
      return { row: isJump ? 0 : row, column: 0 };
    case "End":
      return { row: isJump ? lastRow : row, column: lastColumn };
    default:
      return null;
  }
}

function within({ row, column }: Position, place: Place): Position {
  const lastRow = (place.view.peek()?.total ?? 0) - 1;
  const lastColumn = place.shownFields.peek().length - 1;
  return { row: Math.min(Math.max(-1, row), lastRow), column: Math.min(Math.max(-1, column), lastColumn) };
}
