/** Cells as elements. Data only ever becomes text nodes, each with a direction of its own. */

import type { Field } from "./columns.ts";
import { LONGEST_LINE, isNumeric } from "./columns.ts";
import { brief, sizeOfCut, spoken } from "./cell.ts";
import { clip, marked, visible } from "./text.ts";
import { type Cell, Cut } from "./values.ts";

export function Content({ cell, needle }: { readonly cell: Cell; readonly needle: string }) {
  const { kind, text } = brief(cell);
  const said = spoken(cell);
  const shown = (
    <bdi>{kind === "dict" || kind === "list" ? text : <Marked text={text} needle={needle} />}</bdi>
  );
  if (said === undefined) return shown;
  return (
    <>
      <span class="unseen">{said}</span>
      <span aria-hidden="true" class="spoken">
        {shown}
        {cell instanceof Cut && <span class="badge">{sizeOfCut(cell)}</span>}
      </span>
    </>
  );
}

export function Line({ text, needle }: { readonly text: string; readonly needle: string }) {
  return (
    <bdi>
      <Marked text={visible(clip(text, LONGEST_LINE))} needle={needle} />
      {text.length > LONGEST_LINE && <span class="cut-off">…</span>}
    </bdi>
  );
}

export function Marked({ text, needle }: { readonly text: string; readonly needle: string }) {
  return (
    <>
      {marked(text, needle).map((piece, index) =>
        piece.isMatch ? <mark key={index}>{piece.text}</mark> : piece.text,
      )}
    </>
  );
}

/** Numbers stand right, so do the heads of their columns. */
export function classOf(field: Field, cell: Cell | undefined): string {
  const kind = cell === undefined ? "waiting" : brief(cell).kind;
  return `cell is-${kind}${isNumeric(field.type) && kind !== "text" ? " right" : ""}`;
}
