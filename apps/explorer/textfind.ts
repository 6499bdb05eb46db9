/** Where a needle is in a text that is shown in parts, and the pieces of a part around it. */

import { anyCase } from "./text.ts";

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** More than these are counted, but only those around the current one are marked: a page with a
 * hundred thousand marks stands still. */
const MOST_MARKED = 500;

export function spansOf(text: string, needle: string): readonly Span[] {
  if (needle === "") return [];
  return Array.from(text.matchAll(anyCase(needle)), ({ index, 0: found }) => ({
    from: index,
    to: index + found.length,
  }));
}

/** Those that are marked, with the number of the first of them. */
export function around(spans: readonly Span[], current: number): readonly [number, readonly Span[]] {
  const first = Math.max(0, Math.min(current - MOST_MARKED / 2, spans.length - MOST_MARKED));
  return [first, spans.slice(first, first + MOST_MARKED)];
}

export interface TextPiece {
  readonly text: string;
  /** The number of the match that it belongs to, or -1. */
  readonly match: number;
}

/** A part of the text, which begins at `start`, in pieces. A match may go on in the next part. */
export function piecesOf(
  part: string,
  start: number,
  spans: readonly Span[],
  first: number,
): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  const end = start + part.length;
  let at = start;
  const add = (to: number, match: number) => {
    if (to > at) pieces.push({ text: part.slice(at - start, to - start), match });
    at = Math.max(at, to);
  };
  spans.forEach(({ from, to }, index) => {
    if (to <= start || from >= end) return;
    add(Math.max(from, start), -1);
    add(Math.min(to, end), first + index);
  });
  add(end, -1);
  return pieces;
}
