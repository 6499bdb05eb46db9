/** What a widget was given, told apart: rows, something else, or a host's note in their place.
 *
 * Hosts put a cap on a tool's result. Over it, some replace the result by a sentence that says where
 * they saved it, some cut it off, and some leave structuredContent out. A widget that expects JSON
 * then shows a JSON error, or nothing. `readPayload` says which of these happened, in plain words.
 *
 *     import { describe, readPayload, showProblem } from "./payload.js";
 *     app.ontoolresult = (result) => {
 *       const payload = readPayload(result);
 *       if (payload.kind === "rows") draw(payload.rows, describe(payload));
 *       else showProblem(document.body, payload);
 *     };
 *
 * No dependencies. It may be imported as a module or pasted into a script. */

/** Rows, and what was left out to make them fit. */
export interface RowsPayload {
  readonly kind: "rows";
  readonly rows: readonly unknown[];
  /** Rows left out. */
  readonly truncated: number;
  /** Columns left out. */
  readonly columnsDropped: number;
}

/** Whatever else the tool gave. */
export interface OtherPayload {
  readonly kind: "other";
  readonly value: unknown;
}

/** The host, or Penstock, put a note in the place of the result. */
export interface ReplacedPayload {
  readonly kind: "replaced";
  readonly message: string;
  /** Where the host says it saved the result. The widget cannot read it. */
  readonly path?: string;
  /** How large the host says the result was, in its own words: "151,234 characters". */
  readonly size?: string;
}

/** Nothing that can be shown. */
export interface BrokenPayload {
  readonly kind: "broken";
  readonly message: string;
}

export type Payload = RowsPayload | OtherPayload | ReplacedPayload | BrokenPayload;

/** As much of a tool's result as is looked at. */
export interface ToolResult {
  readonly structuredContent?: unknown;
  readonly content?: unknown;
  readonly isError?: boolean | undefined;
}

/** Tells what a tool result holds. It never throws. */
export function readPayload(result: ToolResult | null | undefined): Payload {
  if (typeof result !== "object" || result === null) return broken("No result came.");
  const text = firstText(result.content);
  if (result.isError === true) return failure(text);
  const structured = result.structuredContent;
  // A host may put its note into structuredContent too, as a string or as the only member.
  if (structured !== undefined && structured !== null) return readValue(onlyText(structured) ?? structured);
  if (text === "") return broken("The result came without structuredContent and without text.");
  return readText(text);
}

function readValue(value: unknown): Payload {
  if (typeof value === "string") return readText(value);
  if (Array.isArray(value)) return rowsOf(value, {});
  if (isRecord(value)) {
    if (isProbe(value)) return stored();
    for (const name of ["rows", "result", "items", "data"]) {
      const rows = value[name];
      if (Array.isArray(rows)) return rowsOf(rows, value);
    }
  }
  return { kind: "other", value };
}

/** Penstock's own note: the model has it, and can read the stored result in parts. */
function isProbe(value: Record<string, unknown>): boolean {
  return typeof value.continuation_token === "string" && Array.isArray(value.available_modes);
}

function stored(): ReplacedPayload {
  return {
    kind: "replaced",
    message:
      "The result was too large for one reply and is stored: the assistant can read it in parts. " +
      "Whoever made the tool can give its rows as structured content, which is held to what the host takes.",
  };
}

function rowsOf(rows: readonly unknown[], beside: Record<string, unknown>): RowsPayload {
  return {
    kind: "rows",
    rows,
    truncated: countIn(beside.truncated),
    columnsDropped: countIn(beside.columns_dropped),
  };
}

function countIn(value: unknown): number {
  if (Array.isArray(value)) return value.length; // names are as good as their number
  return typeof value === "number" && value > 0 ? value : 0;
}

function readText(text: string): Payload {
  const note = hostNote(text);
  const parsed = parse(text);
  if (parsed.ok)
    return typeof parsed.value === "string"
      ? { kind: "other", value: parsed.value }
      : readValue(parsed.value);
  if (note) return note;
  if (startsLikeJson(text)) return cutOff(text);
  return { kind: "other", value: text };
}

function parse(text: string): { readonly ok: true; readonly value: unknown } | { readonly ok: false } {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false };
  }
}

// Wordings seen in hosts, in 2025 and 2026. What they share: something is too large (or exceeds,
// or was truncated), and it was saved, stored or written to a place.
//   Error: result (179,889 characters) exceeds maximum allowed tokens. Output has been saved to …
//   MCP tool "x" response (94702 tokens) exceeds maximum allowed tokens (25000). Please use …
//   <persisted-output> Output too large (63.3KB). Full output saved to: …
//   Tool output was too large and has been truncated. The full output has been saved to: …
//   Output too large to read at once (55.3 KB). Saved to: …
//   Tool result too large for context, stored at …
//   Large tool result (54KB) written to file. Use the read_file tool to access the content at: …
const TOO_LARGE =
  /too large|too long|exceed(?:s|ed)|truncated|large (?:tool )?(?:result|output|response)|persisted-output/i;
const SAVED =
  /(?:saved|stored|written|persisted|redirected|content at)(?:[^/\\~\n]{0,40}?)[\s:("'`]((?:[a-z]:\\|~?\/|\\\\|file:\/\/)[^\n"'`<>|]*)/i;
const SIZE = /\(?~?(\d[\d,. ]*\s?(?:characters?|chars?|tokens?|bytes?|lines?|[kmg]i?b))\b/i;
/** A note is short; a real result that speaks of such things is mostly not, and does not begin so. */
const BEGINNING = 600;

/** The note that a host has put in the place of a result, if the text is one. */
function hostNote(text: string): ReplacedPayload | null {
  const beginning = text.slice(0, BEGINNING);
  const tooLarge = TOO_LARGE.exec(beginning);
  if (!tooLarge || tooLarge.index > 250 || startsLikeJson(text)) return null;
  const saved = SAVED.exec(beginning)?.[1]
    ?.replace(/[.,;]\s.*$/, "")
    .trim()
    .replace(/[.,;)\]]+$/, "");
  const size = SIZE.exec(beginning)?.[1]?.trim();
  if (saved === undefined && size === undefined) return null;
  const large = size ? ` (${size})` : "";
  const where = saved ? ` and saved it to a file that this view cannot read (${saved})` : "";
  return {
    kind: "replaced",
    message:
      `The result was too large for this app's host${large}: the host kept it back${where}. ` +
      "Ask for fewer rows or columns, or for a smaller part. " +
      "Whoever made the tool can fit its rows to the host's limit before they are sent.",
    ...(saved ? { path: saved } : {}),
    ...(size ? { size } : {}),
  };
}

function startsLikeJson(text: string): boolean {
  return /^\s*(?:\{\s*["}]|\[\s*[[{"\]\d\-tfn])/.test(text);
}

function cutOff(text: string): BrokenPayload {
  const length = text.length.toLocaleString("en-US");
  return broken(
    `The result begins as JSON but ends early, after ${length} characters: it was cut off on its way. ` +
      "Ask for fewer rows or columns.",
  );
}

function failure(text: string): BrokenPayload {
  const note = hostNote(text);
  if (note) return broken(note.message);
  const said = parse(text);
  const error =
    said.ok && isRecord(said.value) && typeof said.value.error === "string" ? said.value.error : text;
  return broken(
    error === "" ? "The tool failed without saying why." : `The tool failed: ${error.slice(0, BEGINNING)}`,
  );
}

/** The sentence that a widget shows beside its data, or in the place of it. */
export function describe(payload: Payload): string {
  switch (payload.kind) {
    case "rows":
      return describeRows(payload);
    case "other":
      return typeof payload.value === "string" ? payload.value : "The tool gave something other than rows.";
    case "replaced":
    case "broken":
      return payload.message;
  }
}

function describeRows({ rows, truncated, columnsDropped }: RowsPayload): string {
  const shown = rows.length.toLocaleString("en-US");
  const all = (rows.length + truncated).toLocaleString("en-US");
  const what =
    truncated > 0
      ? `Showing ${shown} of ${all} rows`
      : `Showing ${shown} ${rows.length === 1 ? "row" : "rows"}`;
  if (columnsDropped === 0) return `${what}.`;
  return `${what}; ${columnsDropped} ${columnsDropped === 1 ? "column" : "columns"} left out.`;
}

/** Says in an element, as text, what came in the place of data. */
export function showProblem(element: HTMLElement, payload: Payload): void {
  const note = element.ownerDocument.createElement("p");
  note.setAttribute("role", "alert");
  note.textContent = describe(payload); // text, never markup: it holds words of others
  element.replaceChildren(note);
}

function broken(message: string): BrokenPayload {
  return { kind: "broken", message };
}

function firstText(content: unknown): string {
  if (!Array.isArray(content)) return "";
  const block: unknown = content.find((one) => isRecord(one) && one.type === "text");
  return isRecord(block) && typeof block.text === "string" ? block.text : "";
}

/** The text, where a structured value holds nothing but one. */
function onlyText(value: unknown): string | null {
  if (typeof value === "string") return value;
  if (!isRecord(value)) return null;
  const members = Object.values(value);
  const only = members.length === 1 ? members[0] : null;
  return typeof only === "string" && hostNote(only) ? only : null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
