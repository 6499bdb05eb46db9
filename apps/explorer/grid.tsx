/** The table: rows as they come into sight, under a header that stays.
 *
 * The focus stays on the grid itself and the active cell is named to assistive technology
 * (`aria-activedescendant`): an element that scrolled out of sight and was removed would take the
 * focus with it. */

import { useComputed } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";

import type { Row } from "./arrange.ts";
import { brief, rowLabel } from "./cell.ts";
import { Content, Line, classOf } from "./cells.tsx";
import { chooseTo, toggle } from "./choosing.ts";
import type { Explorer } from "./explorer.ts";
import { useActive, useLayout, useRoom, useScrolling } from "./gridhooks.ts";
import { Head } from "./head.tsx";
import { onKey } from "./keys.ts";
import { HEAD_HEIGHT, type Layout, type Placed, ROW_HEIGHT, cellId, inSight } from "./layout.ts";
import type { Place, View } from "./place.ts";
import { type Extent, barHeight, rowsSeen } from "./scroll.ts";

/** Rows drawn beyond the edges, so that slow scrolling never shows one missing. */
const BEYOND = 4;

export interface GridProps {
  readonly explorer: Explorer;
  readonly place: Place;
  readonly view: View;
}

export function Grid({ explorer, place, view }: GridProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState({ width: 800, height: 400 });
  const [aside, setAside] = useState(0);
  const isMeasured = useRoom(scroller, setRoom);
  void place.version.value; // drawn anew when rows have come

  const extent: Extent = {
    rows: view.total,
    rowHeight: ROW_HEIGHT,
    seen: Math.max(ROW_HEIGHT, room.height - HEAD_HEIGHT),
  };
  const layout = useLayout(place, view, room.width);
  const scroll = place.scroll.value;
  const { first, last } = rowsSeen(scroll, extent);

  useEffect(() => view.pages.want(first, last), [view, first, last, place.version.value]);
  useScrolling(scroller, place, extent, isMeasured);
  useActive(scroller, place, extent, layout, room.width);
  useEffect(() => {
    if (explorer.claimFocus()) scroller.current?.focus();
  }, []);

  const drawn = inSight(layout, aside, room.width);
  const rows = [];
  for (
    let index = Math.max(0, first - BEYOND);
    index <= Math.min(view.total - 1, last + BEYOND);
    index += 1
  ) {
    const top = HEAD_HEIGHT + index * ROW_HEIGHT - scroll.top + scroll.bar;
    rows.push(
      <GridRow key={index} {...{ explorer, place, index, top, layout, drawn }} row={view.pages.row(index)} />,
    );
  }
  const active = place.active.value;
  // A name must not lead to an element that has scrolled out of sight and is gone.
  const isDrawn =
    (active.row === -1 || (active.row >= first - BEYOND && active.row <= last + BEYOND)) &&
    (active.column === -1 || drawn.some((placed) => placed.index === active.column));
  return (
    <div
      ref={scroller}
      class={`grid${place.shape.value === "lines" ? " log" : ""}`}
      role="grid"
      tabIndex={0}
      aria-label={place.shape.value === "lines" ? "Lines" : "Rows"}
      aria-rowcount={view.total + 1}
      aria-colcount={layout.columns.length + 1}
      aria-multiselectable="true"
      aria-busy={place.busy.value}
      aria-activedescendant={isDrawn ? cellId(active.row, active.column) : undefined}
      onScroll={(event) => setAside(event.currentTarget.scrollLeft)}
      onKeyDown={(event) =>
        onKey(event, explorer, place, Math.max(1, Math.floor(extent.seen / ROW_HEIGHT) - 1))
      }
    >
      <div
        class="canvas"
        role="presentation"
        style={{ height: `${HEAD_HEIGHT + barHeight(extent)}px`, width: `${layout.width}px` }}
      >
        <Head {...{ explorer, place, view, layout, drawn }} />
        {rows}
      </div>
    </div>
  );
}

interface RowProps {
  readonly explorer: Explorer;
  readonly place: Place;
  readonly row: Row | undefined;
  readonly index: number;
  readonly top: number;
  readonly layout: Layout;
  readonly drawn: readonly Placed[];
}

function GridRow({ explorer, place, row, index, top, layout, drawn }: RowProps) {
  const isChosen = row !== undefined && place.selection.value.has(row.number);
  const active = place.active.value;
  const noun = place.shape.value === "lines" ? "line" : "row";
  const label = row ? rowLabel(row.number) : "…";
  return (
    <div
      class={`row${isChosen ? " chosen" : ""}${index === active.row ? " current" : ""}`}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isChosen}
      aria-busy={row === undefined}
      style={{ top: `${top}px`, width: `${layout.width}px` }}
    >
      <div
        class={`pin${isActive(active, index, -1)}`}
        role="rowheader"
        id={cellId(index, -1)}
        aria-colindex={1}
        style={{ width: `${layout.pinned}px` }}
      >
        <input
          type="checkbox"
          tabIndex={-1}
          checked={isChosen}
          disabled={row === undefined}
          aria-label={`Select ${noun} ${label}`}
          onMouseDown={(event) => event.preventDefault()}
          onClick={(event) => {
            if (event.shiftKey) void chooseTo(explorer, place, index);
            else toggle(explorer, place, index);
          }}
        />
        <button
          type="button"
          tabIndex={-1}
          class="number"
          disabled={row === undefined}
          title={`Open ${noun} ${label}`}
          onClick={() => row && void explorer.openRow(row)}
        >
          {label}
        </button>
      </div>
      {drawn.map((placed) => (
        <GridCell
          key={placed.field.name}
          {...{ explorer, place, row, index, placed }}
          isActive={index === active.row && placed.index === active.column}
        />
      ))}
    </div>
  );
}

function isActive(active: { row: number; column: number }, row: number, column: number): string {
  return active.row === row && active.column === column ? " active" : "";
}

interface CellProps {
  readonly explorer: Explorer;
  readonly place: Place;
  readonly row: Row | undefined;
  readonly index: number;
  readonly placed: Placed;
  readonly isActive: boolean;
}

function GridCell({ explorer, place, row, index, placed, isActive }: CellProps) {
  const { field, left, width } = placed;
  const cell = row && field.read(row.value);
  const needle = useComputed(() => place.query.value.find).value;
  const click = (event: MouseEvent) => {
    place.active.value = { row: index, column: placed.index };
    if (row && cell !== undefined && opensOnClick(event.currentTarget as HTMLElement, brief(cell).kind))
      explorer.openCell(row, field);
  };
  const isLine = place.shape.value === "lines" && typeof cell === "string";
  return (
    <div
      class={`${classOf(field, cell)}${isActive ? " active" : ""}`}
      role="gridcell"
      id={cellId(index, placed.index)}
      aria-colindex={placed.index + 2}
      style={{ left: `${left}px`, width: `${width}px` }}
      onClick={click}
      onDblClick={() => row && void explorer.openRow(row)}
    >
      {cell === undefined ? (
        <span class="bone" />
      ) : isLine ? (
        <Line text={cell} needle={needle} />
      ) : (
        <Content cell={cell} needle={needle} />
      )}
    </div>
  );
}

/** Whatever does not show all of itself opens; what does is only made active. */
function opensOnClick(element: HTMLElement, kind: string): boolean {
  if (kind === "dict" || kind === "list" || kind === "cut") return true;
  return (
    kind === "text" &&
    (element.scrollWidth > element.clientWidth + 1 || element.querySelector(".cut-off") !== null)
  );
}
