/** The rows of one view, as far as they are here, and the fetching of the rest.
 *
 * Rows are kept in chunks, the least recently seen of which are dropped. What is wanted is said
 * anew at every scroll: a chunk that scrolled away before its turn is never asked for. A reply may
 * hold fewer rows than were asked for, so that a chunk may take several calls. */

import type { Row } from "./arrange.ts";
import type { Failure, Outcome } from "./contract.ts";

export const CHUNK = 100;
const KEPT = 60;
/** A third may run beside these, for a selection or a search. */
const AT_ONCE = 2;

/** Fetches rows from `start`; at most `count`, at least one. */
export type FetchRows = (start: number, count: number) => Promise<Outcome<readonly Row[]>>;

interface Chunk {
  rows: Row[];
}

export class Pages {
  private readonly chunks = new Map<number, Chunk>(); // in the order of use: the oldest first
  private readonly running = new Map<number, Promise<void>>();
  private readonly failures = new Map<number, Failure>();
  private wanted: number[] = [];
  private isStopped = false;

  constructor(
    readonly total: number,
    private readonly fetchRows: FetchRows,
    private readonly changed: () => void,
  ) {}

  /** Rows that came without being asked for: the first page. */
  fill(start: number, rows: readonly Row[]): void {
    for (const [index, row] of rows.entries()) {
      const chunk = this.chunk(Math.floor((start + index) / CHUNK));
      // A chunk is filled from its beginning; what does not join on is fetched in its turn.
      if (chunk.rows.length === (start + index) % CHUNK) chunk.rows.push(row);
    }
    this.changed();
  }

  row(index: number): Row | undefined {
    return this.chunks.get(Math.floor(index / CHUNK))?.rows[index % CHUNK];
  }

  /** All rows that are here, in order of their index. */
  loaded(): ReadonlyArray<readonly [number, Row]> {
    const numbers = [...this.chunks.keys()].sort((a, b) => a - b);
    return numbers.flatMap((number) =>
      (this.chunks.get(number)?.rows ?? []).map((row, at) => [number * CHUNK + at, row] as const),
    );
  }

  /** What is on screen now: it is fetched first, then its neighbours. */
  want(first: number, last: number): void {
    const from = Math.floor(Math.max(0, first) / CHUNK);
    const to = Math.floor(Math.min(this.total - 1, last) / CHUNK);
    const seen = range(from, to);
    for (const number of seen) this.touch(number);
    this.wanted = [...seen, to + 1, from - 1].filter(
      (number) => this.isLacking(number) && !this.failures.has(number),
    );
    this.pump();
  }

  /** Fetches until all of these rows are here; the failure, if one came. */
  async ensure(first: number, last: number): Promise<Failure | null> {
    for (const number of range(
      Math.floor(first / CHUNK),
      Math.floor(Math.min(last, this.total - 1) / CHUNK),
    )) {
      if (!this.isLacking(number)) continue;
      this.failures.delete(number);
      await (this.running.get(number) ?? this.start(number));
      const failure = this.failures.get(number);
      if (failure) return failure;
    }
    return null;
  }

  /** The first failure among what was asked for, and what rows it left out. */
  failure(): Failure | null {
    return this.failures.values().next().value ?? null;
  }

  retry(): void {
    this.wanted = [...this.failures.keys()];
    this.failures.clear();
    this.changed();
    this.pump();
  }

  /** No more calls: the result has expired, or this view has been replaced. */
  stop(): void {
    this.isStopped = true;
    this.wanted = [];
  }

  private pump(): void {
    while (!this.isStopped && this.running.size < AT_ONCE) {
      const next = this.wanted.shift();
      if (next === undefined) return;
      if (this.isLacking(next) && !this.running.has(next)) void this.start(next);
    }
  }

  private start(number: number): Promise<void> {
    const run = this.load(number).finally(() => {
      this.running.delete(number);
      this.drop();
      this.changed();
      this.pump();
    });
    this.running.set(number, run);
    return run;
  }

  private async load(number: number): Promise<void> {
    const chunk = this.chunk(number);
    while (this.isLacking(number)) {
      const start = number * CHUNK + chunk.rows.length;
      const outcome = await this.fetchRows(start, this.size(number) - chunk.rows.length);
      if (!outcome.ok) {
        this.failures.set(number, outcome.failure);
        return;
      }
      if (outcome.value.length === 0) {
        const message = `Row ${start + 1} did not come; the list may have become shorter.`;
        this.failures.set(number, { kind: "refused", message, nextStep: "" });
        return;
      }
      chunk.rows.push(...outcome.value.slice(0, this.size(number) - chunk.rows.length));
      this.chunks.set(number, chunk);
      this.changed();
    }
  }

  private isLacking(number: number): boolean {
    const size = this.size(number);
    return size > 0 && (this.chunks.get(number)?.rows.length ?? 0) < size;
  }

  private size(number: number): number {
    return number < 0 ? 0 : Math.max(0, Math.min(CHUNK, this.total - number * CHUNK));
  }

  private chunk(number: number): Chunk {
    const chunk = this.chunks.get(number) ?? { rows: [] };
    this.chunks.set(number, chunk);
    return chunk;
  }

  private touch(number: number): void {
    const chunk = this.chunks.get(number);
    if (!chunk) return;
    this.chunks.delete(number);
    this.chunks.set(number, chunk);
  }

  private drop(): void {
    for (const number of this.chunks.keys()) {
      if (this.chunks.size <= KEPT) return;
      if (!this.running.has(number)) this.chunks.delete(number);
    }
  }
}

function range(from: number, to: number): number[] {
  return to < from ? [] : Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
