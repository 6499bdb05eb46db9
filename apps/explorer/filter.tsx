/** The dialog for filters: conditions that must all hold. */

import { useEffect, useRef, useState } from "preact/hooks";

import type { Field } from "./columns.ts";
import type { Condition, Failure } from "./contract.ts";
import { Dialog, Icon } from "./dialog.tsx";
import type { Explorer } from "./explorer.ts";
import { DraftRow } from "./filters/draftrow.tsx";
import { type Draft, type Problem, draftFor, draftOf, read } from "./filters/drafts.ts";
import type { Place } from "./place.ts";

/** What can be asked depends on all rows, so they are looked at first. */
export function FilterDialog({ explorer }: { readonly explorer: Explorer }) {
  const place = explorer.place.value;
  const [isKnown, setKnown] = useState(false);
  const close = () => (explorer.dialog.value = null);
  useEffect(() => void place.learn().then(() => setKnown(true)), [place]);
  return (
    <Dialog title="Filter rows" onClose={close}>
      {isKnown ? (
        <Conditions explorer={explorer} close={close} />
      ) : (
        <p class="waiting" role="status">
          Looking at the columns…
        </p>
      )}
    </Dialog>
  );
}

interface ConditionsProps {
  readonly explorer: Explorer;
  close(): void;
}

function Conditions({ explorer, close }: ConditionsProps) {
  const place = explorer.place.value;
  const fields = place.fields.value.filter((field) => field.isAskable);
  const [drafts, setDrafts] = useState(() =>
    firstDrafts(place.query.peek().where, fields, explorer.dialogColumn.peek()),
  );
  const [problems, setProblems] = useState<ReadonlyMap<number, Problem>>(new Map());
  const { refusal, isAsking, ask } = useAsking(place, close);
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    // While values are counted, there is no field for one yet.
    const first = list.current?.querySelector<HTMLElement>("[data-first]");
    const last = list.current?.querySelector<HTMLElement>("li:last-child select");
    (first ?? last)?.focus();
  }, []);
  const apply = () => {
    const readings = drafts.map((draft) => read(draft, fieldOf(fields, draft)));
    const found = readings.flatMap((one, index) => ("problem" in one ? [[index, one.problem] as const] : []));
    setProblems(new Map(found));
    if (found.length === 0) ask(readings.flatMap((one) => ("condition" in one ? [one.condition] : [])));
    else setTimeout(() => list.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus());
  };
  const change = (next: readonly Draft[]) => {
    setDrafts(next);
    setProblems(new Map()); // they are about what was there before
  };
  return (
    // No form: a sandbox without `allow-forms` would block it before anybody hears of it.
    <div
      class="part"
      onKeyDown={(event) => event.key === "Enter" && event.target instanceof HTMLInputElement && apply()}
    >
      <ul class="conditions" ref={list}>
        {drafts.map((draft, index) => (
          <li key={index}>
            <DraftRow
              place={place}
              draft={draft}
              fields={fields}
              problem={problems.get(index) ?? null}
              isLast={index === drafts.length - 1}
              isAlone={drafts.length === 1 && place.query.value.find === ""}
              onChange={(next) => change(drafts.with(index, next))}
            />
            <button
              type="button"
              class="icon"
              aria-label="Remove"
              onClick={() => change(drafts.toSpliced(index, 1))}
            >
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ul>
      {drafts.length === 0 && <p class="hint">No conditions: all rows are shown.</p>}
      {refusal && (
        <p class="problem" role="alert">
          {refusal.message} {refusal.nextStep}
        </p>
      )}
      <footer>
        <button type="button" onClick={() => change([...drafts, draftFor(fields[0])])}>
          Add condition
        </button>
        <span class="spring" />
        <button type="button" onClick={close}>
          Cancel
        </button>
        <button type="button" class="primary" disabled={isAsking} onClick={apply}>
          Apply
        </button>
      </footer>
    </div>
  );
}

/** Asks, and closes the dialog when the rows are here. It stays open where the server refused. */
function useAsking(place: Place, close: () => void) {
  const [refusal, setRefusal] = useState<Failure | null>(null);
  const [isAsking, setAsking] = useState(false);
  const ask = (where: readonly Condition[]) => {
    setAsking(true);
    setRefusal(null);
    void place.ask({ ...place.query.peek(), where }).then((failure) => {
      setAsking(false);
      if (failure?.kind !== "refused") close();
      else {
        setRefusal(failure);
        place.forgive(); // it is said here, beside what has to change
      }
    });
  };
  return { refusal, isAsking, ask };
}

function fieldOf(fields: readonly Field[], { column }: Draft): Field | undefined {
  return fields.find((field) => field.name === column);
}

function firstDrafts(
  where: readonly Condition[],
  fields: readonly Field[],
  column: string | null,
): readonly Draft[] {
  const drafts = where.map(draftOf);
  const isThere = drafts.some((draft) => draft.column === column);
  const field = fields.find((one) => one.name === column) ?? fields[0];
  return field && (drafts.length === 0 || (column !== null && !isThere))
    ? [...drafts, draftFor(field)]
    : drafts;
}
