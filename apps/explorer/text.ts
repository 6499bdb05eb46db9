/** Words and signs for people: text that shows what is in it, and numbers that can be read. */

const COUNTS = new Intl.NumberFormat("en-US");
const SIZES = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });

export function count(number: number): string {
  return COUNTS.format(number);
}

export function counted(number: number, one: string, many = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : many}`;
}

export function size(bytes: number): string {
  if (bytes < 1_000) return counted(bytes, "byte");
  if (bytes < 1_000_000) return `${SIZES.format(bytes / 1_000)} kB`;
  if (bytes < 1_000_000_000) return `${SIZES.format(bytes / 1_000_000)} MB`;
  return `${SIZES.format(bytes / 1_000_000_000)} GB`;
}

export function duration(seconds: number): string {
  if (seconds < 120) return counted(Math.round(seconds), "second");
  if (seconds < 7_200) return counted(Math.round(seconds / 60), "minute");
  return counted(Math.round(seconds / 3_600), "hour");
}

const CLOCK = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });

/** A time of today, on the person's own clock. */
export function clock(time: number): string {
  return CLOCK.format(time);
}

// Characters that act on the text around them, or that nobody sees: C0 and C1 controls, marks and
// overrides of direction, zero-width spaces, line separators, and halves of surrogate pairs.
// The joiners U+200C and U+200D stay: Persian, Indic scripts and emoji are spelled with them.
const ACTIVE =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** The text on one line, with a sign in the place of each character that would act or hide. */
export function visible(text: string): string {
  return text.replace(ACTIVE, sign);
}

/** The same for text of many lines, where line feeds and tabs do what they are for. */
export function visibleLines(text: string): string {
  return text.replace(ACTIVE, (found) => (found === "\n" || found === "\t" ? found : sign(found)));
}

function sign(found: string): string {
  const code = found.charCodeAt(0);
  if (found === "\n") return "⏎";
  if (found === "\t") return "⇥";
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}

/** A value as a choice or a label, which must not be blank. */
export function valueName(value: string | number | boolean | null): string {
  const name = visible(clip(String(value), 60));
  if (name.trim() !== "") return name;
  return name === "" ? "(the empty text)" : `“${name}”`;
}

/** The beginning of a text, not cut inside a surrogate pair. */
export function clip(text: string, most: number): string {
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most);
}

const ENCODER = new TextEncoder();

/** Bytes of the text in UTF-8. */
export function bytes(text: string): number {
  return ENCODER.encode(text).length;
}

export interface Piece {
  readonly text: string;
  readonly isMatch: boolean;
}

/** Finds this text, in any case. */
export function anyCase(needle: string): RegExp {
  return new RegExp(needle.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"), "giu");
}

/** The text in pieces, those that match the needle (in any case) marked. */
export function marked(text: string, needle: string): readonly Piece[] {
  if (needle === "") return [{ text, isMatch: false }];
  const pieces: Piece[] = [];
  const pattern = anyCase(needle);
  let from = 0;
  for (const found of text.matchAll(pattern)) {
    if (found.index > from) pieces.push({ text: text.slice(from, found.index), isMatch: false });
    pieces.push({ text: found[0], isMatch: true });
    from = found.index + found[0].length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), isMatch: false });
  return pieces;
}
