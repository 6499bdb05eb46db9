/** The dialog that shows and hides columns. */

import { useEffect, useState } from "preact/hooks";

import { typeLabel } from "./columns.ts";
import { Dialog } from "./dialog.tsx";
import type { Explorer } from "./explorer.ts";
import { clip, count, visible } from "./text.ts";

/** Whether other columns can be shown. Once the result has expired, rows that came without a column
 * cannot come again. */
export function canChooseColumns(explorer: Explorer): boolean {
  return explorer.expired.value === null || explorer.place.value.source.path === null;
}

export function ColumnsDialog({ explorer }: { readonly explorer: Explorer }) {
  const place = explorer.place.value;
  const [needle, setNeedle] = useState("");
  useEffect(() => void place.learn(), [place]);
  const fields = place.fields.value.filter((field) => field.isNamed);
  const hidden = place.hidden.value;
  const listed = fields.filter((field) => field.label.toLowerCase().includes(needle.toLowerCase()));
  const set = (names: readonly string[], isShown: boolean) => {
    const next = new Set(hidden);
    for (const name of names) isShown ? next.delete(name) : next.add(name);
    if (next.size < fields.length) place.setHidden(next);
    else explorer.say("One column has to stay.");
  };
  const close = () => (explorer.dialog.value = null);
  return (
    <Dialog title="Columns" onClose={close}>
      {fields.length > 8 && (
        <input
          type="search"
          class="wide"
          aria-label="Find a column"
          placeholder="Find a column"
          value={needle}
          onInput={(event) => setNeedle(event.currentTarget.value)}
        />
      )}
      <ul class="checks">
        {listed.map((field) => (
          <li key={field.name}>
            <label>
              <input
                type="checkbox"
                checked={!hidden.has(field.name)}
                onChange={(event) => set([field.name], event.currentTarget.checked)}
              />
              <bdi class="name">{visible(clip(field.label, 80))}</bdi>
              <span class="type">{typeLabel(field)}</span>
            </label>
          </li>
        ))}
      </ul>
      <footer>
        <button
          type="button"
          onClick={() =>
            set(
              fields.map((field) => field.name),
              true,
            )
          }
        >
          Show all
        </button>
        <button
          type="button"
          onClick={() =>
            set(
              listed.slice(needle === "" ? 1 : 0).map((field) => field.name),
              false,
            )
          }
        >
          Hide all but one
        </button>
        <span class="spring" />
        <span class="hint">
          {count(fields.length - hidden.size)} of {count(fields.length)} shown
        </span>
        <button type="button" class="primary" data-first="" onClick={close}>
          Done
        </button>
      </footer>
    </Dialog>
  );
}
