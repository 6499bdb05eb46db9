/** The header row of the grid: names, types, sorting, filters and widths. */

import { Icon } from "./dialog.tsx";
import { headWidth, isNumeric, typeLabel } from "./columns.ts";
import { chooseAll } from "./choosing.ts";
import type { Explorer } from "./explorer.ts";
import { HEAD_HEIGHT, type Layout, type Placed, cellId } from "./layout.ts";
import type { Place, View } from "./place.ts";
import { canSort, cycleSort } from "./sorting.ts";
import { clip, visible } from "./text.ts";

interface HeadProps {
  readonly explorer: Explorer;
  readonly place: Place;
  readonly view: View;
  readonly layout: Layout;
  readonly drawn: readonly Placed[];
}

export function Head({ explorer, place, view, layout, drawn }: HeadProps) {
  const chosen = place.selection.value.size;
  const isAll = chosen > 0 && chosen >= view.total;
  const active = place.active.value;
  return (
    <div
      class="row head"
      role="row"
      aria-rowindex={1}
      style={{ height: `${HEAD_HEIGHT}px`, width: `${layout.width}px` }}
    >
      <div
        class={`pin${active.row === -1 && active.column === -1 ? " active" : ""}`}
        role="columnheader"
        id={cellId(-1, -1)}
        aria-colindex={1}
        style={{ width: `${layout.pinned}px` }}
      >
        <input
          type="checkbox"
          tabIndex={-1}
          checked={isAll}
          ref={(element) => {
            if (element) element.indeterminate = chosen > 0 && !isAll;
          }}
          aria-label={chosen > 0 ? "Clear the selection" : "Select all rows"}
          title={chosen > 0 ? "Clear the selection" : "Select all rows, or, where they are many, those that are loaded"}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => void chooseAll(explorer, place)}
        />
        <span class="number" aria-hidden="true">
          #
        </span>
      </div>
      {drawn.map((placed) => (
        <HeadCell
          key={placed.field.name}
          {...{ explorer, place, placed }}
          isActive={active.row === -1 && active.column === placed.index}
        />
      ))}
    </div>
  );
}

interface HeadCellProps {
  readonly explorer: Explorer;
  readonly place: Place;
  readonly placed: Placed;
  readonly isActive: boolean;
}

function HeadCell({ explorer, place, placed, isActive }: HeadCellProps) {
  const { field, index, left, width } = placed;
  const name = visible(clip(field.label, 120));
  const sort = place.query.value.sort;
  const isSorted = sort?.column === field.name;
  const sorts = canSort(place, field);
  return (
    <div
      class={`cell${isNumeric(field.type) ? " right" : ""}${sorts ? " sorts" : ""}${isActive ? " active" : ""}`}
      role="columnheader"
      id={cellId(-1, index)}
      aria-colindex={index + 2}
      aria-label={name}
      aria-sort={isSorted ? (sort.descending ? "descending" : "ascending") : "none"}
      title={field.type ? `${name} (${typeLabel(field)})` : name}
      style={{ left: `${left}px`, width: `${width}px` }}
      onClick={() => {
        place.active.value = { row: -1, column: index };
        cycleSort(explorer, place, field);
      }}
    >
      <bdi class="name">{name}</bdi>
      {isSorted && <Icon name={sort.descending ? "down" : "up"} />}
      {width >= headWidth(field, true) - 1 && <span class="type">{typeLabel(field)}</span>}
      {field.isAskable && <FilterButton explorer={explorer} place={place} column={field.name} name={name} />}
      <Grip place={place} column={field.name} width={width} />
    </div>
  );
}

interface FilterButtonProps {
  readonly explorer: Explorer;
  readonly place: Place;
  readonly column: string;
  readonly name: string;
}

function FilterButton({ explorer, place, column, name }: FilterButtonProps) {
  if (!place.source.can.includes("filter")) return null;
  const isOn = place.query.value.where.some((condition) => condition.column === column);
  return (
    <button
      type="button"
      tabIndex={-1}
      class={`funnel${isOn ? " on" : ""}`}
      aria-label={`Filter by ${name}`}
      onClick={(event) => {
        event.stopPropagation();
        explorer.dialogColumn.value = column;
        explorer.dialog.value = "filter";
      }}
    >
      <Icon name="filter" />
    </button>
  );
}

/** The edge of a column: dragged, it sets the width. */
function Grip({
  place,
  column,
  width,
}: {
  readonly place: Place;
  readonly column: string;
  readonly width: number;
}) {
  const drag = (event: PointerEvent) => {
    const grip = event.currentTarget as HTMLElement;
    const from = event.clientX;
    grip.setPointerCapture(event.pointerId);
    const resize = (move: PointerEvent) => {
      const next = Math.max(48, Math.round(width + move.clientX - from));
      place.resize(column, next);
    };
    grip.addEventListener("pointermove", resize);
    grip.addEventListener("pointerup", () => grip.removeEventListener("pointermove", resize), {
      once: true,
    });
  };
  return <span class="grip" onPointerDown={drag} onClick={(event) => event.stopPropagation()} />;
}
