/** Choosing rows: one, a range, or all. */

import type { Row } from "./arrange.ts";
import type { Explorer } from "./explorer.ts";
import type { Place } from "./place.ts";
import { NOTHING, toggled, withRows } from "./selection.ts";
import { count, counted } from "./text.ts";

/** More rows than these are not fetched for a selection: no budget would hold them. */
const MOST = 1_000;

/** Where a range begins: the last row that was chosen by itself. */
const anchors = new WeakMap<Place, number>();

export function toggle(explorer: Explorer, place: Place, index: number): void {
  const row = place.view.peek()?.pages.row(index);
  if (!row) return;
  anchors.set(place, index);
  place.selection.value = toggled(place.selection.peek(), row);
  tell(explorer, place);
}

export async function chooseTo(explorer: Explorer, place: Place, index: number, from = index): Promise<void> {
  const anchor = anchors.get(place) ?? from;
  anchors.set(place, anchor);
  const first = Math.min(anchor, index);
  const last = Math.min(Math.max(anchor, index), first + MOST - 1);
  await choose(explorer, place, first, last);
}

/** All rows where they are few, else those that are here: it says which. */
export async function chooseAll(explorer: Explorer, place: Place): Promise<void> {
  const view = place.view.peek();
  if (!view) return;
  if (place.selection.peek().size > 0) {
    place.selection.value = NOTHING;
    explorer.say("Nothing is selected.");
    return;
  }
  if (view.total <= MOST) {
    await choose(explorer, place, 0, view.total - 1);
    return;
  }
  place.selection.value = withRows(
    NOTHING,
    view.pages.loaded().map(([, row]) => row),
  );
  const here = place.selection.peek().size;
  explorer.say(
    `Selected the ${count(here)} rows that are loaded, of ${count(view.total)}. A filter can bring the number down to ${count(MOST)}.`,
  );
}

async function choose(explorer: Explorer, place: Place, first: number, last: number): Promise<void> {
  const view = place.view.peek();
  if (!view) return;
  const failure = await view.pages.ensure(first, last);
  const rows: Row[] = [];
  for (let index = first; index <= last; index += 1) {
    const row = view.pages.row(index);
    if (row) rows.push(row);
  }
  place.selection.value = withRows(place.selection.peek(), rows);
  if (failure) explorer.say(`Not all of these rows could be loaded: ${failure.message}`);
  else tell(explorer, place);
}

function tell(explorer: Explorer, place: Place): void {
  explorer.tell(
    `${counted(place.selection.peek().size, place.shape.peek() === "lines" ? "line" : "row")} selected.`,
  );
}
