/** The dialog that makes a file: which rows, and as what. */

import { useRef, useState } from "preact/hooks";

import type { Row } from "./arrange.ts";
import type { Outcome } from "./contract.ts";
import { succeeded } from "./contract.ts";
import { Delivered, type Done, deliver } from "./delivery.tsx";
import { Dialog } from "./dialog.tsx";
import type { Explorer } from "./explorer.ts";
import { type Format, fileText } from "./files.ts";
import { type Place, spelled } from "./place.ts";
import { count, counted } from "./text.ts";
import { CANCELLED, type Reading, completed, readRows } from "./whole.ts";

interface Wish {
  readonly format: Format;
  readonly isSelection: boolean;
  /** Whether hidden columns are left out. */
  readonly isNarrow: boolean;
}

export function DownloadDialog({ explorer }: { readonly explorer: Explorer }) {
  const place = explorer.place.value;
  const chosen = explorer.chosen().length;
  const isText = place.shape.value === "lines";
  const isOver = explorer.expired.value !== null;
  const first: Wish = { format: isText ? "txt" : "json", isSelection: chosen > 0 || isOver, isNarrow: false };
  const [wish, setWish] = useState<Wish>(first);
  const { progress, done, problem, run, abort } = useDownload(explorer, place);
  const isRunning = progress !== null;
  const wanted = wish.isSelection ? chosen : (place.view.value?.total ?? 0);
  const close = () => {
    abort();
    explorer.dialog.value = null;
  };
  return (
    <Dialog title="Download" onClose={close}>
      <Choices {...{ place, chosen, wish, isOver }} isDisabled={isRunning} onChange={setWish} />
      <p class="hint">{ABOUT[wish.format]}</p>
      {isRunning && (
        <p class="progress" role="status">
          <progress max={wanted} value={progress} aria-label="Rows fetched" />
          {`${count(progress)} of ${counted(wanted, isText ? "line" : "row")}`}
        </p>
      )}
      {problem && <p role="alert">{problem}</p>}
      {done && <Delivered done={done} />}
      <footer>
        <span class="spring" />
        <button type="button" onClick={isRunning ? abort : close}>
          {done && !isRunning ? "Close" : "Cancel"}
        </button>
        <button
          type="button"
          class="primary"
          data-first=""
          disabled={isRunning || wanted === 0 || (isOver && !wish.isSelection)}
          onClick={() => void run(wish)}
        >
          {problem && !isOver ? "Try again" : "Download"}
        </button>
      </footer>
    </Dialog>
  );
}

const ABOUT_CSV =
  "Cells that a spreadsheet would run as a formula (they begin with =, +, -, @, a tab or a return, and are " +
  "no number) get an apostrophe in front. Nested values are written as JSON.";
const ABOUT_JSON =
  "Numbers are written as the server spelled them; values too large for the table are fetched whole.";
const ABOUT: Readonly<Record<Format, string>> = {
  csv: ABOUT_CSV,
  json: ABOUT_JSON,
  txt: "The lines as the tool gave them; lines too long to be shown are fetched whole.",
};
const LABELS: Readonly<Record<Format, string>> = { txt: "Text", json: "JSON", csv: "CSV" };

interface ChoicesProps {
  readonly place: Place;
  readonly chosen: number;
  readonly wish: Wish;
  readonly isDisabled: boolean;
  /** Whether the result has expired: then rows that are not here cannot be fetched. */
  readonly isOver: boolean;
  onChange(wish: Wish): void;
}

function Choices({ place, chosen, wish, isDisabled, isOver, onChange }: ChoicesProps) {
  const view = place.view.value;
  const isText = place.shape.value === "lines";
  const noun = isText ? "line" : "row";
  const formats: readonly Format[] = isText ? ["txt", "json"] : ["json", "csv"];
  const all = `All ${counted(view?.total ?? 0, noun)}${view?.total === view?.unfiltered ? "" : " that match"}`;
  return (
    <>
      <fieldset disabled={isDisabled}>
        <legend>Format</legend>
        {formats.map((format) => (
          <Radio
            key={format}
            name="format"
            label={LABELS[format]}
            isOn={wish.format === format}
            onChoose={() => onChange({ ...wish, format })}
          />
        ))}
      </fieldset>
      <fieldset disabled={isDisabled}>
        <legend>{isText ? "Lines" : "Rows"}</legend>
        <Radio
          name="rows"
          label={all}
          isOn={!wish.isSelection}
          isDisabled={isOver}
          onChoose={() => onChange({ ...wish, isSelection: false })}
        />
        <Radio
          name="rows"
          label={counted(chosen, `selected ${noun}`)}
          isOn={wish.isSelection}
          isDisabled={chosen === 0}
          onChoose={() => onChange({ ...wish, isSelection: true })}
        />
        {place.hidden.value.size > 0 && (
          <label class="check">
            <input
              type="checkbox"
              checked={wish.isNarrow}
              onChange={(event) => onChange({ ...wish, isNarrow: event.currentTarget.checked })}
            />
            Leave out hidden columns
          </label>
        )}
      </fieldset>
    </>
  );
}

interface RadioProps {
  readonly name: string;
  readonly label: string;
  readonly isOn: boolean;
  readonly isDisabled?: boolean;
  onChoose(): void;
}

function Radio({ name, label, isOn, isDisabled = false, onChoose }: RadioProps) {
  return (
    <label class="check">
      <input type="radio" name={name} checked={isOn} disabled={isDisabled} onChange={onChoose} />
      {label}
    </label>
  );
}

interface Download {
  /** Rows fetched, while it runs. */
  readonly progress: number | null;
  readonly done: Done | null;
  readonly problem: string;
  run(wish: Wish): Promise<void>;
  abort(): void;
}

function useDownload(explorer: Explorer, place: Place): Download {
  const [progress, setProgress] = useState<number | null>(null);
  const [done, setDone] = useState<Done | null>(null);
  const [problem, setProblem] = useState("");
  const control = useRef(new AbortController());
  const run = async (wish: Wish) => {
    control.current = new AbortController();
    setProblem("");
    setDone(null);
    setProgress(0);
    const reading = {
      at: (path: string) => explorer.remote.at(path),
      progress: setProgress,
      signal: control.current.signal,
    };
    const outcome = await gather(place, wish.isSelection ? explorer.chosen() : null, wish.isNarrow, reading);
    setProgress(null);
    if (outcome.ok) {
      const fields = wish.isNarrow ? place.shownFields.peek() : place.fields.peek();
      setDone(
        await deliver(
          explorer,
          wish.format,
          fileText(wish.format, outcome.value, place, fields),
          counted(outcome.value.length, wish.format === "txt" ? "line" : "row"),
        ),
      );
    } else if (outcome.failure.message !== CANCELLED)
      setProblem(`${outcome.failure.message} ${outcome.failure.nextStep}`);
  };
  return { progress, done, problem, run, abort: () => control.current.abort() };
}

/** All rows of the view, or those that were chosen: whole, whatever is hidden or was cut. */
async function gather(
  place: Place,
  chosen: readonly Row[] | null,
  isNarrow: boolean,
  reading: Reading,
): Promise<Outcome<readonly Row[]>> {
  if (chosen === null) {
    const query = place.view.peek()?.query ?? place.query.peek();
    return readRows(place.source, { ...(isNarrow ? place.columns() : {}), ...spelled(query) }, reading);
  }
  const rows: Row[] = [];
  for (const row of chosen) {
    const value = await completed(isNarrow ? row.value : await place.wholeRow(row), reading);
    if (!value.ok) return value;
    rows.push({ ...row, value: value.value });
    reading.progress(rows.length);
  }
  return succeeded(rows);
}
