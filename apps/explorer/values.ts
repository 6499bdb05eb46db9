/** The values that a result is made of, as the explorer holds them.
 *
 * JSON as JavaScript parses it loses two things: numbers that a double cannot hold, and cells that
 * were too large to send. Both get a class of their own, so that no other module can take them for
 * ordinary values by mistake. */

/** A number that JavaScript cannot hold: its JSON, as the server spelled it. */
export class Exact {
  constructor(readonly text: string) {}
}

/** A value that was too large to send: how it begins, and where all of it is. */
export class Cut {
  constructor(
    readonly preview: string,
    readonly path: string,
    readonly size: number,
    readonly type: string,
  ) {}
}

/** A value as the JSON that the server has of it: for a file, nothing need be parsed. */
export class Raw {
  constructor(readonly json: string) {}
}

export type Value = null | boolean | number | string | Exact | Cut | Raw | readonly Value[] | Dict;
export interface Dict {
  readonly [key: string]: Value;
}

/** What stands in a table where a row has no such key: not the same as null. */
export const MISSING = Symbol("missing");
export type Cell = Value | typeof MISSING;

export function isDict(value: Cell | undefined): value is Dict {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Exact) &&
    !(value instanceof Cut) &&
    !(value instanceof Raw)
  );
}

export function isList(value: Cell | undefined): value is readonly Value[] {
  return Array.isArray(value);
}

/** The value of a key, own keys only: a column may be called `toString` or `__proto__`. */
export function member(value: Cell | undefined, key: string): Cell {
  return isDict(value) && Object.hasOwn(value, key) ? (value[key] as Value) : MISSING;
}

/** A dict without a prototype, where every key is an ordinary key. */
export function dictOf(entries: Iterable<readonly [string, Value]>): Dict {
  const made = Object.create(null) as Record<string, Value>;
  for (const [key, value] of entries) made[key] = value;
  return made;
}

/** One step of a JSON Pointer (RFC 6901). */
export function pointerStep(key: string | number): string {
  return "/" + String(key).replaceAll("~", "~0").replaceAll("/", "~1");
}
