/** One condition of the filter dialog: a column, a comparison, and what it compares with. */

import { type Field, typesIn } from "../columns.ts";
import { operatorsFor, takesValue, wordFor } from "../conditions.ts";
import type { Place } from "../place.ts";
import { clip, visible } from "../text.ts";
import { type Draft, type DraftOperator, type Problem, isOfEmpty, moved } from "./drafts.ts";
import { useFound } from "./found.ts";
import { ValueFields } from "./valuefields.tsx";

interface DraftRowProps {
  readonly place: Place;
  readonly draft: Draft;
  readonly fields: readonly Field[];
  readonly problem: Problem | null;
  readonly isLast: boolean;
  /** Whether it is the only condition, and nothing is searched for. */
  readonly isAlone: boolean;
  onChange(draft: Draft): void;
}

export function DraftRow({ place, draft, fields, problem, isLast, isAlone, onChange }: DraftRowProps) {
  const field = fields.find((one) => one.name === draft.column);
  const found = useFound(place, field);
  const choose = (column: string) =>
    onChange(
      moved(
        draft,
        fields.find((one) => one.name === column),
      ),
    );
  return (
    <>
      <select
        aria-label="Column"
        title={visible(field?.label ?? "")}
        value={draft.column}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        {fields.map((one) => (
          <option key={one.name} value={one.name}>
            {visible(clip(one.label, 60))}
          </option>
        ))}
      </select>
      <select
        aria-label="Condition"
        value={draft.op}
        onChange={(event) => onChange({ ...draft, op: event.currentTarget.value as DraftOperator })}
      >
        {choices(field).map((op) => (
          <option key={op} value={op}>
            {isOfEmpty(op) ? WORDS_FOR_EMPTY[op] : wordFor(op)}
          </option>
        ))}
      </select>
      {!isOfEmpty(draft.op) && takesValue(draft.op) && (
        <ValueFields {...{ draft, field, found, problem, isLast, isAlone, onChange }} />
      )}
    </>
  );
}

function choices(field: Field | undefined): readonly DraftOperator[] {
  const operators = operatorsFor(field?.type ?? "");
  return typesIn(field?.type ?? "").includes("str") ? [...operators, "is_empty", "not_empty"] : operators;
}

const WORDS_FOR_EMPTY = { is_empty: "is the empty text", not_empty: "is not the empty text" } as const;
