/** What a condition compares with: fields that suit the column. */

import { useEffect, useId } from "preact/hooks";

import { type Field, isNumeric, typesIn } from "../columns.ts";
import { isBoolean } from "../conditions.ts";
import type { Scalar, ValuesReply } from "../contract.ts";
import { count, counted, valueName } from "../text.ts";
import { type Draft, type Problem, emptyOperator, kindOf } from "./drafts.ts";
import { readTime, meaning } from "./times.ts";

export interface ValueFieldsProps {
  readonly draft: Draft;
  readonly field: Field | undefined;
  readonly found: ValuesReply | null;
  readonly problem: Problem | null;
  readonly isLast: boolean;
  readonly isAlone: boolean;
  onChange(draft: Draft): void;
}

export function ValueFields(props: ValueFieldsProps) {
  const { draft, field, found, problem } = props;
  const about = useId();
  if (isBoolean(field?.type ?? "")) return <BooleanField {...props} />;
  const isOpen = draft.op === "one_of";
  return (
    <div class="values">
      {isOpen ? <Several {...props} about={about} /> : <Single {...props} about={about} />}
      <p id={about} class={problem ? "problem" : "hint"} role={problem ? "alert" : undefined}>
        {problem?.text ?? hintFor(draft, field)}
      </p>
      {(draft.op === "equals" || draft.op === "not_equals") && found && found.items.length > 0 && (
        <Suggestions {...props} found={found} />
      )}
    </div>
  );
}

const COMPARED: readonly string[] = ["less", "at_most", "more", "at_least", "between"];

function hintFor(draft: Draft, field: Field | undefined): string {
  if (typesIn(field?.type ?? "").join() === "str" && COMPARED.includes(draft.op))
    return "Texts are compared by the alphabet; as numbers only if every text is a number.";
  if (draft.op === "one_of" || draft.op === "contains" || draft.op === "matches" || !kindOf(field)) return "";
  const said = [draft.typed, ...(draft.op === "between" ? [draft.to] : [])].flatMap((typed) => {
    const time = readTime(typed, field?.epoch);
    return "value" in time ? [meaning(time.value)] : [];
  });
  return said.length > 0 ? `${said.join(" to ")}${field?.epoch ? " (UTC)" : ""}` : "";
}

function BooleanField({ draft, found, isLast, onChange }: ValueFieldsProps) {
  const rows = (value: boolean) => {
    const item = found?.items.find((one) => one.value === value);
    return item ? ` (${count(item.count)})` : "";
  };
  return (
    <select
      aria-label="Value"
      data-first={isLast ? "" : undefined}
      value={draft.typed}
      onChange={(event) => onChange({ ...draft, typed: event.currentTarget.value })}
    >
      <option value="true">true{rows(true)}</option>
      <option value="false">false{rows(false)}</option>
    </select>
  );
}

type WithAbout = ValueFieldsProps & { readonly about: string };

function Single(props: WithAbout) {
  const { draft, problem, onChange } = props;
  if (draft.op !== "between")
    return (
      <Typed
        {...props}
        label="Value"
        value={draft.typed}
        isWrong={problem !== null}
        onType={(typed) => onChange({ ...draft, typed })}
      />
    );
  return (
    <>
      <Typed
        {...props}
        label="From"
        value={draft.typed}
        isWrong={problem !== null && !problem.isAtEnd}
        onType={(typed) => onChange({ ...draft, typed })}
      />
      <Typed
        {...props}
        isLast={false}
        label="To"
        value={draft.to}
        isWrong={problem?.isAtEnd ?? false}
        onType={(to) => onChange({ ...draft, to })}
      />
    </>
  );
}

interface TypedProps extends WithAbout {
  readonly label: string;
  readonly value: string;
  readonly isWrong: boolean;
  onType(text: string): void;
}

/** One field. A time can be typed, or picked from a calendar; a number has the keys for one. */
function Typed({ draft, field, label, value, isWrong, isLast, about, onType }: TypedProps) {
  const isText = draft.op === "contains" || draft.op === "matches";
  const isTime = !isText && kindOf(field) !== null;
  const isNumber = !isText && !isTime && isNumeric(field?.type ?? "");
  return (
    <span class="typed">
      <input
        type="text"
        dir="auto"
        class={isNumber ? "right" : ""}
        {...(isNumber ? { inputMode: "decimal" } : {})}
        {...(isTime ? { placeholder: "2023-03-01 14:30" } : {})}
        {...(!isTime && label !== "Value" ? { placeholder: label } : {})}
        aria-label={label}
        aria-describedby={about}
        aria-invalid={isWrong}
        data-first={isLast ? "" : undefined}
        value={value}
        onInput={(event) => onType(event.currentTarget.value)}
      />
      {isTime && (
        <input
          type="date"
          class="day"
          aria-label={label === "Value" ? "Pick a day" : `Pick a day: ${label.toLowerCase()}`}
          value={dayIn(value, field)}
          onChange={(event) => event.currentTarget.value && onType(event.currentTarget.value)}
        />
      )}
    </span>
  );
}

/** The day for the calendar: of a whole day or of a time, not of a month. */
function dayIn(typed: string, field: Field | undefined): string {
  const time = readTime(typed, field?.epoch);
  return "value" in time ? (/^\d{4}-\d\d-\d\d/.exec(time.value)?.[0] ?? "") : "";
}

/** `is one of`: the values with a box each if they are few, else one typed on each line. */
function Several(props: WithAbout) {
  const { draft, found, isLast, about, problem, onChange } = props;
  if (found === null)
    return (
      <p class="hint" role="status">
        Counting the values…
      </p>
    );
  if (found.items.length > 0) return <Boxes {...props} found={found} />;
  return (
    <>
      <textarea
        rows={4}
        dir="auto"
        aria-label="Values, one a line"
        aria-describedby={about}
        aria-invalid={problem !== null}
        data-first={isLast ? "" : undefined}
        value={draft.chosen.length > 0 ? draft.chosen.map(String).join("\n") : draft.typed}
        onInput={(event) => onChange({ ...draft, chosen: [], typed: event.currentTarget.value })}
      />
      <p class="hint">One value a line. A comma is a part of a value.</p>
    </>
  );
}

const COUNTED_IN_ALL = "Rows are counted in the whole table.";
type WithFound = ValueFieldsProps & { readonly found: ValuesReply };

function Boxes({ draft, found, isAlone, onChange }: WithFound) {
  // What was typed for another condition is a box that is ticked here, or nothing.
  useEffect(() => {
    if (draft.typed === "" || draft.chosen.length > 0) return;
    const chosen = found.items.map((item) => item.value).filter((value) => isSame(value, draft.typed));
    onChange({ ...draft, typed: "", chosen });
  }, [found]);
  const toggle = (value: Scalar, isOn: boolean) =>
    onChange({
      ...draft,
      chosen: isOn ? [...draft.chosen, value] : draft.chosen.filter((one) => !isSame(one, value)),
    });
  return (
    <ul class="checks" aria-label="Values found">
      {found.items.map(({ value, count: rows }) => (
        <li key={String(value)}>
          <label>
            <input
              type="checkbox"
              checked={draft.chosen.some((one) => isSame(one, value))}
              onChange={(event) => toggle(value, event.currentTarget.checked)}
            />
            <bdi class="name">{valueName(value)}</bdi>
            <span class="type">{counted(rows, "row")}</span>
          </label>
        </li>
      ))}
      {found.missing > 0 && <li class="hint">{counted(found.missing, "row")} without a value</li>}
      {!isAlone && <li class="hint">{COUNTED_IN_ALL}</li>}
    </ul>
  );
}

/** The server takes texts for the same that differ only in case. */
function isSame(one: Scalar, other: Scalar): boolean {
  return String(one).toLowerCase() === String(other).toLowerCase();
}

/** Values to choose from, below the field that they are written into. */
function Suggestions({ draft, found, isAlone, onChange }: WithFound) {
  return (
    <ul class="suggested" aria-label="Values found">
      {found.items.map(({ value, count: rows }) => (
        <li key={String(value)}>
          <button
            type="button"
            aria-pressed={value !== "" && draft.typed === String(value)}
            onClick={() =>
              onChange(value === ""
                  ? { ...draft, op: emptyOperator(draft.op) }
                  : { ...draft, typed: String(value) })
            }
          >
            <bdi>{valueName(value)}</bdi> <span class="type">{count(rows)}</span>
          </button>
        </li>
      ))}
      {!isAlone && <li class="hint">{COUNTED_IN_ALL}</li>}
    </ul>
  );
}
