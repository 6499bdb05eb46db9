/** The values of a column, with the rows of each: asked once for each column of a place. */

import { useEffect, useState } from "preact/hooks";

import { type Field, typesIn } from "../columns.ts";
import type { ValuesReply } from "../contract.ts";
import type { Place } from "../place.ts";

const NONE: ValuesReply = { few: false, missing: 0, items: [] };
const known = new WeakMap<Place, Map<string, Promise<ValuesReply>>>();

/** Null while they are being counted. */
export function useFound(place: Place, field: Field | undefined): ValuesReply | null {
  const [found, setFound] = useState<ValuesReply | null>(null);
  useEffect(() => {
    let isCurrent = true;
    setFound(null);
    const asked = field && mayHaveFew(field) ? valuesOf(place, field.name) : Promise.resolve(NONE);
    void asked.then((values) => isCurrent && setFound(values));
    return () => {
      isCurrent = false;
    };
  }, [place, field?.name]);
  return found;
}

/** Times are mostly different in every row, and are typed rather than chosen. */
function mayHaveFew(field: Field): boolean {
  const types = typesIn(field.type);
  return !types.includes("date") && !types.includes("list");
}

function valuesOf(place: Place, column: string): Promise<ValuesReply> {
  const ofPlace = known.get(place) ?? new Map<string, Promise<ValuesReply>>();
  known.set(place, ofPlace);
  const asked =
    ofPlace.get(column) ??
    place.source.values(column).then((outcome) => {
      if (!outcome.ok) ofPlace.delete(column); // asked again next time
      return outcome.ok && outcome.value.few ? outcome.value : NONE;
    });
  ofPlace.set(column, asked);
  return asked;
}
