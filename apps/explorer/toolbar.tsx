/** The two lines above the rows: what this is, and what can be done with it. */

import { canChooseColumns } from "./columnsdialog.tsx";
import { inWords } from "./conditions.ts";
import { Icon } from "./dialog.tsx";
import type { DialogName, Explorer } from "./explorer.ts";
import type { Place, View } from "./place.ts";
import { LastAction } from "./lastaction.tsx";
import { Search } from "./searching.tsx";
import { NOTHING } from "./selection.ts";
import { sortInWords } from "./sorting.ts";
import { WrapSwitch } from "./wrapped.tsx";
import { clip, clock, count, counted, duration, size, visible } from "./text.ts";

export function Header({ explorer }: { readonly explorer: Explorer }) {
  const { info } = explorer;
  return (
    <header class="about">
      <h1 title={visible(info.tool)}>{visible(clip(info.tool, 120)) || "Stored result"}</h1>
      <p class="hint">{[info.size > 0 && size(info.size), lifeOf(explorer)].filter(Boolean).join(" · ")}</p>
      <span class="spring" />
      {explorer.host.canGoFullScreen && (
        <button
          type="button"
          class="icon"
          aria-label={explorer.host.isFullScreen ? "Leave full screen" : "Full screen"}
          onClick={() =>
            void explorer.host
              .toggleFullScreen()
              .catch(() => explorer.say("The host did not change the display."))
          }
        >
          <Icon name={explorer.host.isFullScreen ? "shrink" : "expand"} />
        </button>
      )}
    </header>
  );
}

function lifeOf({ info, opened, expired }: Explorer): string {
  if (expired.value) return "";
  if (info.live) return "read anew at each look";
  if (info.expires_in <= 0) return "";
  return info.slides
    ? `kept for ${duration(info.expires_in)} after the last look`
    : `kept until ${clock(opened + info.expires_in * 1_000)}`;
}

export function Crumbs({ explorer }: { readonly explorer: Explorer }) {
  const places = explorer.places.value;
  if (places.length < 2) return null;
  return (
    <nav class="crumbs" aria-label="Path">
      <button type="button" class="icon" aria-label="Back" onClick={() => explorer.back()}>
        <Icon name="back" />
      </button>
      <ol>
        {places.map((place, depth) => (
          <li key={depth}>
            {depth === places.length - 1 ? (
              <span aria-current="location">
                <bdi>{place.title}</bdi>
              </span>
            ) : (
              <button type="button" class="link" onClick={() => explorer.back(depth)}>
                <bdi>{place.title}</bdi>
              </button>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}

export function Toolbar({ explorer, place }: { readonly explorer: Explorer; readonly place: Place }) {
  const named = place.fields.value.filter((field) => field.isNamed).length;
  const isAskable = place.fields.value.some((field) => field.isAskable);
  if (place.shape.value === "text") return null;
  const open = (name: DialogName) => () => {
    explorer.dialogColumn.value = null;
    explorer.dialog.value = name;
  };
  const filters = place.query.value.where.length;
  return (
    <div class="toolbar" role="group" aria-label="Tools">
      <Search explorer={explorer} place={place} />
      <WrapSwitch place={place} />
      {isAskable && place.source.can.includes("filter") && (
        <Tool icon="filter" label="Filter" mark={filters} onClick={open("filter")} />
      )}
      {named > 0 && canChooseColumns(explorer) && (
        <Tool icon="columns" label="Columns" mark={place.hidden.value.size} onClick={open("columns")} />
      )}
      {named > 0 && (place.source.can.includes("chart") || place.tab.value === "chart") && (
        <ChartSwitch place={place} />
      )}
      <span class="spring" />
      <Tool icon="download" label="Download" onClick={open("download")} />
      <SendButton explorer={explorer} place={place} onClick={open("send")} />
    </div>
  );
}

interface ToolProps {
  readonly icon: "filter" | "columns" | "download" | "send";
  readonly label: string;
  /** How many of its kind are on. */
  readonly mark?: number;
  onClick(): void;
}

function Tool({ icon, label, mark = 0, onClick }: ToolProps) {
  return (
    <button type="button" aria-label={label} aria-haspopup="dialog" onClick={onClick}>
      <Icon name={icon} />
      <span class="label">{label}</span>
      {mark > 0 && <Badge number={mark} />}
    </button>
  );
}

/** For the eye: drawn, not written, since it is no part of the button's name. */
function Badge({ number }: { readonly number: number }) {
  return <span class="badge" data-number={count(number)} />;
}

function ChartSwitch({ place }: { readonly place: Place }) {
  const isOn = place.tab.value === "chart";
  return (
    <button
      type="button"
      aria-label="Chart"
      aria-pressed={isOn}
      onClick={() => (place.tab.value = isOn ? "rows" : "chart")}
    >
      <Icon name="chart" />
      <span class="label">Chart</span>
    </button>
  );
}

function SendButton({
  explorer,
  place,
  onClick,
}: {
  readonly explorer: Explorer;
  readonly place: Place;
  onClick(): void;
}) {
  const chosen = place.selection.value.size;
  const reason = !explorer.host.canUpdateContext
    ? "This host does not take context from apps."
    : chosen === 0
      ? "Select rows first."
      : "";
  return (
    <button
      type="button"
      class={chosen > 0 && !reason ? "primary" : ""}
      aria-label="Send to model"
      aria-haspopup="dialog"
      aria-disabled={reason !== ""}
      {...(reason ? { title: reason, "aria-description": reason } : {})}
      onClick={() => (reason ? explorer.say(reason) : onClick())}
    >
      <Icon name="send" />
      <span class="label">Send to model</span>
      {chosen > 0 && <Badge number={chosen} />}
    </button>
  );
}

export function hasStatusLine(place: Place): boolean {
  return place.view.value !== null && place.shape.value !== "text";
}

/** How many rows there are, and what holds them back. */
export function StatusLine({ explorer, place }: { readonly explorer: Explorer; readonly place: Place }) {
  const view = place.view.value;
  const { where, find } = place.query.value;
  const noun = place.shape.value === "lines" ? "line" : place.shape.value === "members" ? "key" : "row";
  const chosen = place.selection.value.size;
  if (!view || !hasStatusLine(place)) return null;
  return (
    <div class="status">
      <span role="status" aria-label="Count" class="count">
        {place.busy.value ? "Searching…" : holds(view, noun)}
      </span>
      <LastAction explorer={explorer} />
      {where.map((condition, index) => (
        <span class="chip" key={index}>
          <bdi>{inWords(condition)}</bdi>
          <button
            type="button"
            aria-label={`Remove filter: ${inWords(condition)}`}
            onClick={() => void place.ask({ ...place.query.peek(), where: where.toSpliced(index, 1) })}
          >
            <Icon name="close" />
          </button>
        </span>
      ))}
      <HiddenSort place={place} />
      {(where.length > 0 || find !== "") && !place.isSearchOnly() && <ContextButton place={place} />}
      <span class="spring" />
      {chosen > 0 && (
        <span class="chip">
          {count(chosen)} selected
          <button
            type="button"
            aria-label="Clear the selection"
            onClick={() => (place.selection.value = NOTHING)}
          >
            <Icon name="close" />
          </button>
        </span>
      )}
      {place.envelope.value && (
        <button
          type="button"
          class="link"
          onClick={() => explorer.openValue("Rest of the result", place.envelope.peek())}
        >
          Rest of the result
        </button>
      )}
    </div>
  );
}

/** A sort by a column that is hidden, which no arrow in a head shows. */
function HiddenSort({ place }: { readonly place: Place }) {
  const { sort } = place.query.value;
  const field = place.fields.value.find((one) => one.name === sort?.column);
  if (!sort || !field || !place.hidden.value.has(field.name)) return null;
  const how = visible(clip(sortInWords(sort, field), 60));
  return (
    <span class="chip">
      <bdi>sorted by {how}</bdi>
      <button
        type="button"
        aria-label={`Remove sort: ${how}`}
        onClick={() => void place.ask({ ...place.query.peek(), sort: null })}
      >
        <Icon name="close" />
      </button>
    </span>
  );
}

function holds(view: View, noun: string): string {
  if (view.total === view.unfiltered) return counted(view.total, noun);
  return `${count(view.total)} of ${counted(view.unfiltered, noun)}`;
}

/** From the active row among the found ones to its place among all. */
function ContextButton({ place }: { readonly place: Place }) {
  const row = place.view.value?.pages.row(Math.max(0, place.active.value.row));
  if (!row) return null;
  return (
    <button type="button" class="link" onClick={() => place.showInContext(row)}>
      Show in context
    </button>
  );
}
