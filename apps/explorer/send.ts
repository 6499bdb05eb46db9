/** What of a selection goes into the model's context: as many rows as the budget holds.
 *
 * The budget counts the bytes of the whole message as UTF-8 JSON, so that is what is measured. */

import type { Row } from "./arrange.ts";
import type { ResultInfo } from "./contract.ts";
import { writeExact } from "./exactjson.ts";
import { bytes, clip, count } from "./text.ts";
import { Cut, type Value, dictOf, isDict, isList } from "./values.ts";

export interface ContextMessage {
  readonly content: ReadonlyArray<{ readonly type: "text"; readonly text: string }>;
}

export interface Fitting {
  readonly message: ContextMessage;
  /** Bytes of the message. */
  readonly size: number;
  readonly sent: number;
  readonly chosen: number;
  /** Whether long values were shortened so that at least one row fits. */
  readonly isShortened: boolean;
}

const SHORT = 200;

/** The most rows that fit, from the first on. */
export function fit(rows: readonly Row[], info: ResultInfo, noun: string): Fitting {
  const whole = fitLines(rows.map(line), rows, info, noun, false);
  if (whole.sent > 0 || rows.length === 0) return whole;
  return fitLines(
    rows.map((row) => line({ ...row, value: shortened(row.value) })),
    rows,
    info,
    noun,
    true,
  );
}

function fitLines(
  lines: readonly string[],
  rows: readonly Row[],
  info: ResultInfo,
  noun: string,
  isShortened: boolean,
): Fitting {
  // Bytes of escaped text add up, so one pass finds the number; the measure of the whole decides.
  let room = info.context_budget - measure(messageOf([], rows.length, info, noun));
  let fits = 0;
  for (const text of lines) {
    room -= bytes(JSON.stringify(text)) - 2 + ESCAPED_LINE_FEED;
    if (room < 0) break;
    fits += 1;
  }
  for (; fits > 0; fits -= 1) {
    if (measure(messageOf(lines.slice(0, fits), rows.length, info, noun)) <= info.context_budget) break;
  }
  const message = messageOf(lines.slice(0, fits), rows.length, info, noun);
  return {
    message,
    size: measure(message),
    sent: fits,
    chosen: rows.length,
    isShortened: isShortened && fits > 0,
  };
}

const ESCAPED_LINE_FEED = 2;

export function measure(message: ContextMessage): number {
  return bytes(JSON.stringify(message));
}

function messageOf(lines: readonly string[], chosen: number, info: ResultInfo, noun: string): ContextMessage {
  const rest = chosen - lines.length;
  const text = [
    `The person chose ${noun}s of a stored result in the result explorer.`,
    `${count(lines.length)} of ${count(chosen)} chosen ${noun}s follow, one a line, as JSON.` +
      (rest > 0 ? ` The other ${count(rest)} did not fit; they are in the stored result.` : ""),
    `Tool: ${info.tool || "unknown"}. Continuation token: ${info.continuation_token}.`,
    `"number" is what the person sees, from 1; in a path it is one less: number 5 is /4.`,
    ...lines,
  ].join("\n");
  return { content: [{ type: "text", text }] };
}

function line(row: Row): string {
  return `{"number":${row.number + 1},"value":${writeExact(told(row.value))}}`;
}

/** A cut value says where all of it is. */
function told(value: Value): Value {
  if (value instanceof Cut)
    return `${value.preview}… (cut; ${count(value.size)} bytes at path ${value.path})`;
  if (isList(value)) return value.map(told);
  if (isDict(value)) return dictOf(Object.entries(value).map(([key, item]) => [key, told(item)] as const));
  return value;
}

function shortened(value: Value): Value {
  if (typeof value === "string") return value.length > SHORT ? `${clip(value, SHORT)}… (cut)` : value;
  if (value instanceof Cut) return new Cut(clip(value.preview, SHORT), value.path, value.size, value.type);
  if (isDict(value))
    return dictOf(
      Object.entries(value).map(
        ([key, item]) =>
          [key, isDict(item) || isList(item) ? clip(writeExact(item), SHORT) : shortened(item)] as const,
      ),
    );
  return isList(value) ? clip(writeExact(value), SHORT) : value;
}
