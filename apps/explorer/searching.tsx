/** The search box. In a table it leaves out what does not match; in a log it goes from one match
 * to the next, and leaves the rest out on request. */

import { batch } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";

import { Icon } from "./dialog.tsx";
import type { Explorer } from "./explorer.ts";
import type { Place, View } from "./place.ts";
import { count } from "./text.ts";

/** Typing is over when nothing was typed for so long. */
const PAUSE = 300;

export function Search({ explorer, place }: { readonly explorer: Explorer; readonly place: Place }) {
  const [typed, setTyped] = useState(place.query.peek().find);
  const timer = useRef(0);
  const find = place.query.value.find;
  useEffect(() => setTyped(find), [place, find]);
  const isLog = place.shape.value === "lines";
  const asking = useRef<Promise<unknown>>(Promise.resolve());
  const ask = (text: string) => {
    clearTimeout(timer.current);
    if (text !== place.query.peek().find)
      asking.current = place.ask({ ...place.query.peek(), find: text });
    return asking.current;
  };
  /** The answer may still be under way: the key means the match that will be found. */
  const go = async (by: 1 | -1) => {
    await ask(typed);
    if (isLog && place.query.peek().find === typed) step(explorer, place, by);
  };
  if (!place.source.can.includes("find") || place.shape.value === "text") return null;
  return (
    <div class="search">
      <label>
        <Icon name="search" />
        <input
          type="search"
          dir="auto"
          aria-label={isLog ? "Find in lines" : "Find in rows"}
          placeholder="Find"
          value={typed}
          onInput={(event) => {
            const text = event.currentTarget.value;
            setTyped(text);
            clearTimeout(timer.current);
            timer.current = window.setTimeout(() => void ask(text), PAUSE);
          }}
          onKeyDown={(event) => {
            if (event.key === "Enter") void go(event.shiftKey ? -1 : 1);
            else if (event.key === "Escape" && typed !== "") {
              event.stopPropagation(); // the first Escape empties the box, the next one goes back
              setTyped("");
              void ask("");
            }
          }}
        />
      </label>
      {isLog && find !== "" && <LogSteps explorer={explorer} place={place} />}
    </div>
  );
}

function LogSteps({ explorer, place }: { readonly explorer: Explorer; readonly place: Place }) {
  const matches = place.matches.value;
  const total = matches?.total ?? 0;
  return (
    <>
      <span class="hint" role="status">
        {place.busy.value
          ? "Searching…"
          : total === 0
            ? "No matches"
            : `${count(total)} ${total === 1 ? "match" : "matches"}`}
      </span>
      <button
        type="button"
        class="icon"
        aria-label="Previous match"
        disabled={total === 0}
        onClick={() => step(explorer, place, -1)}
      >
        <Icon name="up" />
      </button>
      <button
        type="button"
        class="icon"
        aria-label="Next match"
        disabled={total === 0}
        onClick={() => step(explorer, place, 1)}
      >
        <Icon name="down" />
      </button>
      <label class="check">
        <input
          type="checkbox"
          checked={place.onlyFound.value}
          onChange={(event) => void showOnly(place, event.currentTarget.checked)}
        />
        Only matching lines
      </label>
    </>
  );
}

/** What a person has gone through already, in each place. */
const begun = new WeakMap<Place, View>();

/** To the next or the previous match from where the person is; at first to the first, or the last. */
function step(explorer: Explorer, place: Place, by: 1 | -1): void {
  const matches = place.matches.peek();
  if (!matches || matches.total === 0) return;
  const isFirst = begun.get(place) !== matches;
  begun.set(place, matches);
  if (place.onlyFound.peek()) {
    const from = isFirst ? (by > 0 ? -1 : 0) : place.active.peek().row;
    const row = (from + by + matches.total) % matches.total;
    place.active.value = { row, column: 0 };
    explorer.say(`Match ${count(row + 1)} of ${count(matches.total)}.`);
    return;
  }
  const from = isFirst ? (by > 0 ? -1 : Number.MAX_SAFE_INTEGER) : place.active.peek().row;
  void nearest(matches, from, by).then((found) => {
    if (!found) return;
    place.active.value = { row: found.line, column: 0 };
    place.jump.value = found.line;
    explorer.say(
      `Match ${count(found.match + 1)} of ${count(matches.total)}, line ${count(found.line + 1)}.`,
    );
  });
}

/** Leaves the other lines out, or brings them back, and stays at the line where the person is. */
async function showOnly(place: Place, isOnly: boolean): Promise<void> {
  const matches = place.matches.peek();
  const row = place.active.peek().row;
  if (!isOnly) {
    const found = place.view.peek()?.pages.row(row);
    if (found) place.showInContext(found);
    else place.onlyFound.value = false;
    return;
  }
  const near = matches && matches.total > 0 ? await nearest(matches, row - 1, 1) : null;
  batch(() => {
    place.onlyFound.value = true;
    place.active.value = { row: near?.match ?? 0, column: 0 };
    place.jump.value = near?.match ?? 0;
  });
}

/** Matches come in the order of the lines: halving finds the next one in a few pages. */
async function nearest(
  { pages, total }: View,
  line: number,
  by: 1 | -1,
): Promise<{ readonly match: number; readonly line: number } | null> {
  let low = 0;
  let high = total;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (await pages.ensure(middle, middle)) return null;
    const number = pages.row(middle)?.number ?? 0;
    if (by > 0 ? number <= line : number < line) low = middle + 1;
    else high = middle;
  }
  const match = (by > 0 ? low : low - 1 + total) % total;
  if (await pages.ensure(match, match)) return null;
  const row = pages.row(match);
  return row ? { match, line: row.number } : null;
}
