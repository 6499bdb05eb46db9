/** One place in the result that a person looks at: all of it, or a value that was opened.
 *
 * A place has one or two views: its rows as they are, and those that a query has found. In a table
 * the second hides the first. In a log both matter: the lines are read in their context, and the
 * found ones say where to go next. */

import { type Signal, batch, computed, signal } from "@preact/signals";

import { type Row, arrange } from "./arrange.ts";
import { type Field, extended, fieldsOf, isNumeric, widthOf, widthOfCells, widthOfLines } from "./columns.ts";
import {
  type BrowseArguments,
  type Column,
  type Failure,
  NO_QUERY,
  type Outcome,
  type Query,
  type Reply,
  type Shape,
  isPlain,
  succeeded,
} from "./contract.ts";
import { CHUNK, Pages } from "./pages.ts";
import type { Scroll } from "./scroll.ts";
import { NOTHING, type Selection } from "./selection.ts";
import type { Source } from "./source.ts";
import { TextWindows } from "./textwindows.ts";
import { type Dict, type Value, isDict } from "./values.ts";

export interface View {
  readonly pages: Pages;
  readonly query: Query;
  /** The server's name for these rows in this order, while it lasts. */
  readonly order: Signal<string | undefined>;
  readonly total: number;
  readonly unfiltered: number;
}

/** A cell by its place on screen; row -1 is the header, column -1 the row's number. */
export interface Position {
  readonly row: number;
  readonly column: number;
}

export class Place {
  readonly shape = signal<Shape | null>(null);
  readonly fields = signal<readonly Field[]>([]);
  readonly hidden = signal<ReadonlySet<string>>(new Set());
  readonly widths = signal<ReadonlyMap<string, number>>(new Map());
  readonly selection = signal<Selection>(NOTHING);
  readonly active = signal<Position>({ row: 0, column: 0 });
  readonly scroll = signal<Scroll>({ top: 0, bar: 0 });
  /** Where to scroll next: a row by its index in the view that is shown. */
  readonly jump = signal<number | null>(null);
  readonly query = signal<Query>(NO_QUERY);
  readonly onlyFound = signal(true);
  /** Whether long lines go on below, and are not cut off. */
  readonly isWrapped = signal(false);
  readonly tab = signal<"rows" | "chart">("rows");
  readonly busy = signal(false);
  readonly failure = signal<Failure | null>(null);
  readonly notice = signal("");
  readonly envelope = signal<Dict | null>(null);
  /** Where the server has the rows; null where it has not. */
  rowsAt: string | null = null;
  readonly text = signal<TextWindows | null>(null);
  /** Counts up when rows have come: pages are not signals themselves. */
  readonly version = signal(0);

  private readonly base = signal<View | null>(null);
  private readonly found = signal<View | null>(null);
  private readonly resized = new Set<string>();
  private generation = 0;

  readonly view = computed(() =>
    this.isSearchOnly() ? this.base.value : (this.found.value ?? this.base.value),
  );
  /** The found lines of a log, whether they alone are shown or not. */
  readonly matches = computed(() => (this.query.value.find === "" ? null : this.found.value));
  readonly shownFields = computed(() =>
    this.fields.value.filter((field) => !this.hidden.value.has(field.name)),
  );

  constructor(
    readonly title: string,
    readonly source: Source,
  ) {}

  async open(first?: Reply): Promise<void> {
    this.busy.value = true;
    const outcome = first ? succeeded(first) : await this.source.browse({ start: 0, count: CHUNK });
    this.busy.value = false;
    if (outcome.ok) this.opened(outcome.value);
    else this.failure.value = outcome.failure;
  }

  private opened(reply: Reply): void {
    batch(() => {
      this.failure.value = null;
      this.shape.value = reply.shape;
      this.rowsAt = this.source.path === null ? null : (reply.rows_at ?? this.source.path);
      this.onlyFound.value = reply.shape !== "lines";
      this.envelope.value = isDict(reply.envelope as Dict) ? (reply.envelope as Dict) : null;
      if (reply.shape === "text")
        this.text.value = new TextWindows(this.source, reply, () => (this.version.value += 1));
      this.takeFields(reply);
      this.base.value = this.viewOf(reply, NO_QUERY);
      this.remark(reply);
    });
  }

  private takeFields(reply: Reply): void {
    this.fields.value = fieldsOf(reply);
    const rows = arrange(reply);
    this.widths.value = new Map(
      this.fields.value.map((field) => [field.name, widthOf(field, rows)] as const),
    );
    this.widen(rows);
  }

  private learned: Promise<void> | null = null;

  /** Learns the columns from all rows, once: the first page knows those of some rows. */
  learn(): Promise<void> {
    const canAsk = this.source.can.includes("filter") && this.fields.peek().some((field) => field.isNamed);
    if (!canAsk) return Promise.resolve();
    this.learned ??= this.source.columns().then((outcome) => {
      if (outcome.ok) this.extend(outcome.value);
      else if (outcome.failure.kind === "lost") this.learned = null; // asked again next time
    });
    return this.learned;
  }

  private extend(columns: readonly Column[]): void {
    const before = new Set(this.fields.peek().map((field) => field.name));
    const fields = extended(this.fields.peek(), this.shape.peek() ?? "rows", columns);
    const more = fields.filter((field) => !before.has(field.name));
    const rows = this.view.peek()?.pages.loaded().map(([, row]) => row) ?? [];
    batch(() => {
      const names = new Set(fields.map((field) => field.name));
      const hadHidden = this.hidden.peek().size > 0;
      this.hidden.value = new Set([...this.hidden.peek()].filter((name) => names.has(name)));
      this.fields.value = fields;
      const widths = more.map((field) => [field.name, widthOf(field, rows)] as const);
      this.widths.value = new Map([...this.widths.peek(), ...widths]);
      this.widen(rows);
      if (hadHidden && more.length > 0) this.fetchAgain(); // the rows came without them
    });
  }

  /** Makes room for what came. A log is as wide as its longest line, since lines are read along; and a
   * number is never cut off, since it would read as another one. Nothing becomes narrower again. */
  private widen(rows: readonly Row[]): void {
    const wider = new Map<string, number>();
    for (const field of this.fields.peek()) {
      const isGrowing =
        this.shape.peek() === "lines" || (isNumeric(field.type) && !this.resized.has(field.name));
      if (!isGrowing) continue;
      const width = this.shape.peek() === "lines" ? widthOfLines(rows) : Math.ceil(widthOfCells(field, rows));
      if (width > (this.widths.peek().get(field.name) ?? 0)) wider.set(field.name, width);
    }
    if (wider.size > 0) this.widths.value = new Map([...this.widths.peek(), ...wider]);
  }

  /** Sets a width as a person wants it. */
  resize(column: string, width: number): void {
    this.resized.add(column);
    this.widths.value = new Map(this.widths.peek()).set(column, width);
  }

  private viewOf(reply: Reply, query: Query): View {
    const order = signal(reply.order);
    const fetchRows = async (start: number, count: number): Promise<Outcome<readonly Row[]>> => {
      let outcome = await this.source.browse({
        start,
        count,
        ...this.columns(),
        ...named(order.peek(), query),
      });
      if (!outcome.ok && order.peek() && outcome.failure.kind !== "lost") {
        // The order may have ended before the result did: said in full, it is made anew.
        outcome = await this.source.browse({ start, count, ...this.columns(), ...spelled(query) });
        if (outcome.ok) order.value = outcome.value.order;
      }
      if (!outcome.ok) return outcome;
      this.remark(outcome.value);
      const rows = arrange(outcome.value);
      this.widen(rows);
      return succeeded(rows);
    };
    const pages = new Pages(reply.total, fetchRows, () => (this.version.value += 1));
    pages.fill(reply.start, arrange(reply));
    return {
      pages,
      query,
      order,
      total: reply.total,
      unfiltered: reply.unfiltered ?? this.base.peek()?.total ?? reply.total,
    };
  }

  /** Filters and orders. Rows on screen stay until the answer is here; only the last question counts.
   * A question that failed is not shown as if it held: the rows are still those of the one before. */
  async ask(query: Query): Promise<Failure | null> {
    const generation = ++this.generation;
    this.failed = null;
    this.query.value = query;
    if (isPlain(query)) {
      this.show(null);
      return null;
    }
    this.busy.value = true;
    const outcome = await this.source.browse({
      start: 0,
      count: CHUNK,
      ...this.columns(),
      ...spelled(query),
    });
    if (generation !== this.generation) return null;
    this.busy.value = false;
    if (!outcome.ok) {
      batch(() => {
        this.failed = query;
        this.query.value = this.found.peek()?.query ?? NO_QUERY;
        this.failure.value = outcome.failure;
      });
      void this.learn(); // the question may have been about a column that is none
      return outcome.failure;
    }
    this.show(this.viewOf(outcome.value, query));
    this.remark(outcome.value);
    return null;
  }

  /** Takes a refusal back that is said elsewhere. */
  forgive(): void {
    this.failed = null;
    this.failure.value = null;
  }

  /** The question that failed, to ask it again. */
  private failed: Query | null = null;

  private show(found: View | null): void {
    batch(() => {
      this.busy.value = false;
      this.failure.value = null;
      this.found.peek()?.pages.stop();
      this.found.value = found;
      if (this.isSearchOnly()) return;
      this.scroll.value = { top: 0, bar: 0 };
      const { row, column } = this.active.peek();
      this.active.value = { row: Math.min(row, 0), column }; // whoever sorts from the header stays there
      this.jump.value = 0;
    });
  }

  /** Shows other columns. Those that are hidden are not asked for any more. */
  setHidden(hidden: ReadonlySet<string>): void {
    const before = this.hidden.peek();
    const isMore = [...before].some((name) => !hidden.has(name));
    this.hidden.value = hidden;
    if (!isMore) return;
    this.fetchAgain();
  }

  /** Drops the rows that came without a column. They come again. */
  private fetchAgain(): void {
    for (const view of [this.base, this.found]) view.value = view.peek() && this.emptied(view.peek() as View);
    this.version.value += 1;
  }

  private emptied(view: View): View {
    view.pages.stop();
    const { total, unfiltered } = view;
    const order = view.order.peek();
    return this.viewOf(
      { shape: "rows", path: "", start: 0, rows: [], total, unfiltered, ...(order ? { order } : {}) },
      view.query,
    );
  }

  /** The columns to ask for, when not all are shown. */
  columns(): Pick<BrowseArguments, "columns"> {
    const hidden = this.hidden.peek();
    if (hidden.size === 0) return {};
    return {
      columns: this.fields
        .peek()
        .flatMap((field) => (hidden.has(field.name) || !field.isNamed ? [] : [field.name])),
    };
  }

  /** A row with all its columns; as it is here, where it cannot be fetched. */
  async wholeRow(row: Row): Promise<Value> {
    if (this.hidden.peek().size === 0) return row.value;
    const outcome = await this.source.browse({ start: row.number, count: 1 });
    return (outcome.ok ? arrange(outcome.value)[0]?.value : undefined) ?? row.value;
  }

  /** From a found row to the same row among all. */
  showInContext(row: Row): void {
    batch(() => {
      if (this.shape.peek() === "lines") this.onlyFound.value = false;
      else void this.ask({ ...NO_QUERY });
      this.active.value = { row: row.number, column: 0 };
      this.jump.value = row.number;
    });
  }

  /** Whether a search marks rows without leaving the others out: so it is in a log. */
  isSearchOnly(): boolean {
    return this.shape.value === "lines" && !this.onlyFound.value;
  }

  retry(): void {
    if (this.base.peek() === null) void this.open();
    else if (this.failure.peek()) void this.ask(this.failed ?? this.query.peek());
    else this.view.peek()?.pages.retry();
  }

  stop(): void {
    this.base.peek()?.pages.stop();
    this.found.peek()?.pages.stop();
  }

  private remark(reply: Reply): void {
    if (reply.changed) this.notice.value = "The list has changed since it was opened: rows may have moved.";
    if (reply.notice) this.notice.value = reply.notice;
  }
}

function named(order: string | undefined, query: Query): BrowseArguments {
  return order ? { order } : spelled(query);
}

/** A query in the words of the contract. */
export function spelled(query: Query): BrowseArguments {
  return {
    ...(query.sort ? { sort: query.sort } : {}),
    ...(query.where.length > 0 ? { where: query.where } : {}),
    ...(query.find ? { find: query.find } : {}),
  };
}
