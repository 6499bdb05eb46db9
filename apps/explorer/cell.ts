/** One cell in brief: what to write, and how to draw it. */

import { count, counted, clip, size, visible } from "./text.ts";
import { type Cell, Cut, Exact, MISSING, Raw, isDict, isList } from "./values.ts";

export type CellKind = "number" | "text" | "empty" | "bool" | "null" | "missing" | "dict" | "list" | "cut";

export interface Brief {
  readonly kind: CellKind;
  readonly text: string;
  /** Whether there is more to see than the text says. */
  readonly opens: boolean;
}

/** More than fits in any column, and little enough to draw at once. */
const LONGEST = 300;
/** Text up to here is shown whole often enough that it need not look as if it opened. */
const SHORT = 60;

export function brief(cell: Cell): Brief {
  if (cell === MISSING) return { kind: "missing", text: "—", opens: false };
  if (cell === null) return { kind: "null", text: "null", opens: false };
  if (cell instanceof Exact)
    return { kind: "number", text: visible(clip(cell.text, LONGEST)), opens: cell.text.length > SHORT };
  if (cell instanceof Cut)
    return { kind: "cut", text: `${visible(clip(cell.preview, LONGEST))}`, opens: true };
  if (cell instanceof Raw) return { kind: "text", text: visible(clip(cell.json, LONGEST)), opens: true };
  if (isList(cell)) return { kind: "list", text: `[${counted(cell.length, "item")}]`, opens: true };
  if (isDict(cell))
    return { kind: "dict", text: `{${counted(Object.keys(cell).length, "key")}}`, opens: true };
  if (typeof cell === "string") return briefText(cell);
  if (typeof cell === "boolean") return { kind: "bool", text: String(cell), opens: false };
  return { kind: "number", text: String(cell), opens: false };
}

function briefText(text: string): Brief {
  if (text === "") return { kind: "empty", text: '""', opens: false };
  return {
    kind: "text",
    text: visible(clip(text, LONGEST)),
    opens: text.length > SHORT || text.includes("\n"),
  };
}

/** What a screen reader says of a cell, where its look says more than its text. */
export function spoken(cell: Cell): string | undefined {
  if (cell === MISSING) return "missing";
  if (cell === "") return "empty text";
  if (cell instanceof Cut) return `${visible(clip(cell.preview, 80))}, ${sizeOfCut(cell)}, opens`;
  return undefined;
}

export function sizeOfCut(cut: Cut): string {
  return cut.type === "list" || cut.type === "dict" ? size(cut.size) : `${size(cut.size)} of text`;
}

export function rowLabel(number: number): string {
  return count(number + 1);
}
