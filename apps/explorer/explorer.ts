/** The explorer's own state: which places are open, what is said, what is over. */

import { computed, signal } from "@preact/signals";

import type { Row } from "./arrange.ts";
import { rowLabel } from "./cell.ts";
import type { Failure, Opening, ResultInfo } from "./contract.ts";
import type { Field } from "./columns.ts";
import type { Host } from "./host.ts";
import { Place } from "./place.ts";
import { RemoteSource } from "./remote.ts";
import { Said } from "./said.ts";
import { inOrder } from "./selection.ts";
import { EitherSource, LocalSource, type Source } from "./source.ts";
import { clip, visible } from "./text.ts";
import { type Cell, Cut, MISSING, type Value, member } from "./values.ts";
import { mayBeTable, pathOfCell } from "./whereabouts.ts";

/** What the assistant is asked for when a result has expired. */
export function askingFor(tool: string): string {
  return `The stored result of ${tool} has expired. Please run ${tool} again and show the new result.`;
}

export type DialogName = "columns" | "filter" | "download" | "send";

export class Explorer {
  readonly info: ResultInfo;
  readonly places = signal<readonly Place[]>([]);
  readonly place = computed(() => this.places.value.at(-1) as Place);
  /** Said once the server says it: no clock here knows when a result ends. */
  readonly expired = signal<Failure | null>(null);
  readonly dialog = signal<DialogName | null>(null);
  /** For the filter dialog: the column that it was opened for. */
  readonly dialogColumn = signal<string | null>(null);
  /** The last thing done, for everyone who does not see it happen. */
  readonly said = new Said(() => this.view());
  readonly remote: RemoteSource;
  readonly opened = Date.now();

  constructor(
    readonly host: Host,
    opening: Opening,
    readonly remark: string,
  ) {
    this.info = opening.result;
    this.remote = new RemoteSource(host.call, opening.result, {
      isOver: () => this.expired.value !== null,
      end: (failure) => this.end(failure),
    });
    this.remote.learn(opening.page);
    const place = this.placeOf("Result", this.remote);
    this.places.value = [place];
    void place.open(opening.page);
  }

  /** Opens a cell's value: from here where it came whole, else by its path. */
  openCell(row: Row, field: Field): void {
    const cell = field.read(row.value);
    const isAll = !field.isNamed; // the row, or the value of a key: its title is enough
    const path = pathOfCell(this.place.peek(), row, field);
    this.openValue(isAll ? this.rowTitle(row) : `${this.rowTitle(row)}, ${field.label}`, cell, path);
  }

  /** `path`: where the server has the value, if it is known. */
  openValue(title: string, cell: Cell, path: string | null = null): void {
    if (cell === MISSING) return;
    this.push(this.placeOf(title, this.sourceOf(cell, path)));
  }

  private sourceOf(cell: Value, path: string | null): Source {
    if (cell instanceof Cut) return this.remote.at(cell.path);
    const here = new LocalSource(cell);
    const isAsked = path !== null && mayBeTable(cell) && !this.expired.peek();
    return isAsked ? new EitherSource(this.remote.at(path), here) : here;
  }

  /** Opens a whole row. Hidden columns are fetched for it, since they did not come with it. */
  async openRow(row: Row): Promise<void> {
    const place = this.place.peek();
    const whole = await place.wholeRow(row);
    this.openValue(this.rowTitle(row), place.shape.peek() === "members" ? member(whole, "value") : whole);
  }

  private rowTitle(row: Row): string {
    const shape = this.place.peek().shape.peek();
    const key = shape === "members" ? member(row.value, "key") : MISSING;
    if (typeof key === "string") return key;
    return `${shape === "lines" ? "Line" : "Row"} ${rowLabel(row.number)}`;
  }

  private placeOf(title: string, source: Source): Place {
    return new Place(visible(clip(title, 80)), source);
  }

  /** Whether the next rows or text to be drawn take the focus: so it is after opening and going back. */
  private takesFocus = false;

  claimFocus(): boolean {
    const isMine = this.takesFocus;
    this.takesFocus = false;
    return isMine;
  }

  private push(place: Place): void {
    this.takesFocus = true;
    this.places.value = [...this.places.peek(), place];
    void place.open();
  }

  /** Back to the place at this depth. */
  back(depth = this.places.peek().length - 2): void {
    if (depth < 0) return;
    this.takesFocus = true;
    this.places.value = this.places.peek().slice(0, depth + 1);
  }

  /** Says what was done, to everyone. */
  say(text: string): void {
    this.said.say(text, true);
  }

  /** Says what is drawn elsewhere on the screen, to those who cannot see it. */
  tell(text: string): void {
    this.said.say(text, false);
  }

  /** What a word about the last action is about: it is no longer true once this has changed. */
  private view(): readonly unknown[] {
    const place = this.place.value;
    return [place, place.query.value, place.selection.value, place.tab.value, this.expired.value];
  }

  chosen(): readonly Row[] {
    return inOrder(this.place.value.selection.value);
  }

  private end(failure: Failure): void {
    this.expired.value = failure;
    for (const place of this.places.peek()) place.stop();
  }

  /** Text that asks for the same result again. */
  askAgain(): Promise<boolean> {
    const tool = this.info.tool || "the tool";
    return this.host.say(askingFor(tool));
  }
}
