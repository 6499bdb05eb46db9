/** Sorting by one column: ascending, descending, as it came. */

import type { Field } from "./columns.ts";
import type { Sort } from "./contract.ts";
import type { Explorer } from "./explorer.ts";
import type { Place } from "./place.ts";

export function canSort(place: Place, field: Field): boolean {
  return place.source.can.includes("sort") && field.isAskable;
}

export function cycleSort(explorer: Explorer, place: Place, field: Field): void {
  if (!canSort(place, field)) return;
  const sort = next(place.query.peek().sort, field.name);
  const how = sort === null ? "Not sorted." : `Sorted by ${sortInWords(sort, field)}.`;
  void place.ask({ ...place.query.peek(), sort }).then((failure) => {
    if (!failure && place.query.peek().sort === sort) explorer.tell(how);
  });
}

export function sortInWords({ descending }: Sort, field: Field): string {
  return `${field.label}, ${descending ? "descending" : "ascending"}`;
}

function next(sort: Sort | null, column: string): Sort | null {
  if (sort?.column !== column) return { column, descending: false };
  return sort.descending ? null : { column, descending: true };
}
