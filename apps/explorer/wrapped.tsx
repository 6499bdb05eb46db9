/** The lines of a log with all of their text, some at a time: wrapped lines have no common height, so
 * that they cannot be drawn by their number as the grid draws them. */

import { useEffect, useRef } from "preact/hooks";

import type { Row } from "./arrange.ts";
import { rowLabel, sizeOfCut } from "./cell.ts";
import { Marked } from "./cells.tsx";
import type { Explorer } from "./explorer.ts";
import type { Place, View } from "./place.ts";
import { count, visible } from "./text.ts";
import { Cut } from "./values.ts";

const AT_ONCE = 200;

interface Props {
  readonly explorer: Explorer;
  readonly place: Place;
  readonly view: View;
}

export function WrappedLines({ explorer, place, view }: Props) {
  void place.version.value;
  const region = useRef<HTMLDivElement>(null);
  const current = Math.max(0, place.active.value.row);
  const first = Math.floor(current / AT_ONCE) * AT_ONCE;
  const last = Math.min(view.total, first + AT_ONCE) - 1;
  useEffect(() => void view.pages.ensure(first, last), [view, first, last]);
  const isHere = view.pages.row(current) !== undefined;
  useEffect(() => {
    place.jump.value = null;
    region.current?.querySelector(".current")?.scrollIntoView({ block: "nearest" });
  }, [current, isHere]);
  const go = (row: number) => (place.active.value = { row, column: 0 });
  const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  return (
    <div ref={region} class="wrapped" role="region" aria-label="Wrapped lines" tabIndex={0}>
      {first > 0 && (
        <button type="button" onClick={() => go(first - 1)}>
          Earlier lines
        </button>
      )}
      {numbers.map((index) => (
        <WrappedLine
          key={index}
          row={view.pages.row(index)}
          needle={place.query.value.find}
          isCurrent={index === current}
          onOpen={(row) => void explorer.openRow(row)}
        />
      ))}
      {last < view.total - 1 && (
        <button type="button" onClick={() => go(last + 1)}>
          {`Later lines, from ${count(last + 2)} of ${count(view.total)}`}
        </button>
      )}
    </div>
  );
}

interface LineProps {
  readonly row: Row | undefined;
  readonly needle: string;
  readonly isCurrent: boolean;
  onOpen(row: Row): void;
}

function WrappedLine({ row, needle, isCurrent, onOpen }: LineProps) {
  if (!row) return <p class="wrapped-line">…</p>;
  const { value } = row;
  const text = value instanceof Cut ? value.preview : String(value);
  return (
    <p class={`wrapped-line${isCurrent ? " current" : ""}`}>
      <span class="line-number">{rowLabel(row.number)}</span>
      <bdi>
        <Marked text={visible(text)} needle={needle} />
        {value instanceof Cut && (
          <button type="button" class="link" onClick={() => onOpen(row)}>
            {`… Open all ${sizeOfCut(value)}`}
          </button>
        )}
      </bdi>
    </p>
  );
}

/** The switch above the lines. */
export function WrapSwitch({ place }: { readonly place: Place }) {
  if (place.shape.value !== "lines") return null;
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={place.isWrapped.value}
        onChange={(event) => {
          place.isWrapped.value = event.currentTarget.checked;
          if (!place.isWrapped.peek()) place.jump.value = place.active.peek().row;
        }}
      />
      Wrap lines
    </label>
  );
}
