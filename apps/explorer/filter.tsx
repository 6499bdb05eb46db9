/** The dialog for filters: conditions that must all hold. */

import { useState } from "preact/hooks";

import type { Field } from "./columns.ts";
import { isBoolean, operatorsFor, takesValue, valueOf, wordFor } from "./conditions.ts";
import type { Condition, Operator } from "./contract.ts";
import { Dialog, Icon } from "./dialog.tsx";
import type { Explorer } from "./explorer.ts";
import { clip, visible } from "./text.ts";

/** A condition while it is being written. */
interface Draft {
  readonly column: string;
  readonly op: Operator;
  readonly typed: string;
}

export function FilterDialog({ explorer }: { readonly explorer: Explorer }) {
  const place = explorer.place.value;
  const fields = place.fields.value.filter((field) => field.isNamed);
  const [drafts, setDrafts] = useState(() =>
    firstDrafts(place.query.peek().where, fields, explorer.dialogColumn.peek()),
  );
  const close = () => (explorer.dialog.value = null);
  const apply = () => {
    close();
    void place.ask({ ...place.query.peek(), where: conditionsOf(drafts, fields) });
  };
  const change = (index: number, draft: Draft) => setDrafts(drafts.with(index, draft));
  return (
    <Dialog title="Filter rows" onClose={close}>
      {/* No form: a sandbox without `allow-forms` would block it before anybody hears of it. */}
      <div
        class="part"
        onKeyDown={(event) => event.key === "Enter" && event.target instanceof HTMLInputElement && apply()}
      >
        <ul class="conditions">
          {drafts.map((draft, index) => (
            <li key={index}>
              <DraftRow
                draft={draft}
                fields={fields}
                isLast={index === drafts.length - 1}
                onChange={(next) => change(index, next)}
              />
              <button
                type="button"
                class="icon"
                aria-label="Remove"
                onClick={() => setDrafts(drafts.toSpliced(index, 1))}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
        {drafts.length === 0 && <p class="hint">No conditions: all rows are shown.</p>}
        <footer>
          <button type="button" onClick={() => setDrafts([...drafts, draftFor(fields, null)])}>
            Add condition
          </button>
          <span class="spring" />
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button type="button" class="primary" onClick={apply}>
            Apply
          </button>
        </footer>
      </div>
    </Dialog>
  );
}

interface DraftRowProps {
  readonly draft: Draft;
  readonly fields: readonly Field[];
  readonly isLast: boolean;
  onChange(draft: Draft): void;
}

function DraftRow({ draft, fields, isLast, onChange }: DraftRowProps) {
  const type = typeOf(fields, draft.column);
  const operators = operatorsFor(type);
  const choose = (column: string) => {
    const possible = operatorsFor(typeOf(fields, column));
    onChange({
      column,
      op: possible.includes(draft.op) ? draft.op : (possible[0] as Operator),
      typed: isBoolean(typeOf(fields, column)) ? "true" : draft.typed,
    });
  };
  return (
    <>
      <select
        aria-label="Column"
        value={draft.column}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        {fields.map((field) => (
          <option key={field.name} value={field.name}>
            {visible(clip(field.label, 60))}
          </option>
        ))}
      </select>
      <select
        aria-label="Condition"
        value={draft.op}
        onChange={(event) => onChange({ ...draft, op: event.currentTarget.value as Operator })}
      >
        {operators.map((op) => (
          <option key={op} value={op}>
            {wordFor(op)}
          </option>
        ))}
      </select>
      {takesValue(draft.op) && <ValueInput draft={draft} type={type} isLast={isLast} onChange={onChange} />}
    </>
  );
}

interface ValueInputProps {
  readonly draft: Draft;
  readonly type: string;
  readonly isLast: boolean;
  onChange(draft: Draft): void;
}

function ValueInput({ draft, type, isLast, onChange }: ValueInputProps) {
  if (isBoolean(type)) {
    return (
      <select
        aria-label="Value"
        data-first={isLast ? "" : undefined}
        value={draft.typed}
        onChange={(event) => onChange({ ...draft, typed: event.currentTarget.value })}
      >
        <option value="true">true</option>
        <option value="false">false</option>
      </select>
    );
  }
  return (
    <input
      type="text"
      dir="auto"
      aria-label="Value"
      data-first={isLast ? "" : undefined}
      value={draft.typed}
      onInput={(event) => onChange({ ...draft, typed: event.currentTarget.value })}
    />
  );
}

function typeOf(fields: readonly Field[], column: string): string {
  return fields.find((field) => field.name === column)?.type ?? "";
}

function firstDrafts(
  where: readonly Condition[],
  fields: readonly Field[],
  column: string | null,
): readonly Draft[] {
  const drafts = where.map((condition) => ({
    column: condition.column,
    op: condition.op,
    typed: String(condition.value ?? ""),
  }));
  const isThere = drafts.some((draft) => draft.column === column);
  return fields.length > 0 && (drafts.length === 0 || (column !== null && !isThere))
    ? [...drafts, draftFor(fields, column)]
    : drafts;
}

function draftFor(fields: readonly Field[], column: string | null): Draft {
  const field = fields.find((one) => one.name === column) ?? fields[0];
  const type = field?.type ?? "";
  return {
    column: field?.name ?? "",
    op: operatorsFor(type)[0] as Operator,
    typed: isBoolean(type) ? "true" : "",
  };
}

/** Conditions without a value yet are left out; "is" with no text means the empty text. */
function conditionsOf(drafts: readonly Draft[], fields: readonly Field[]): readonly Condition[] {
  return drafts.flatMap(({ column, op, typed }): readonly Condition[] => {
    if (!takesValue(op)) return [{ column, op }];
    const mayBeEmpty = op === "equals" || op === "not_equals";
    if (typed === "" && !mayBeEmpty) return [];
    return [{ column, op, value: valueOf(typed, typeOf(fields, column), op) }];
  });
}
