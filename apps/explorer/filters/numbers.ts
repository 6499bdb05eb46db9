/** Numbers as people type them, and as the explorer prints them. */

/** What was typed, as a value; or why it cannot be read. */
export type Read<T> = { readonly value: T } | { readonly problem: string };

const PLAIN = /^-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
/** Thousands apart: by commas, blanks, apostrophes or low lines, the same all through. `0,123` has none. */
const GROUPED = /^-?[1-9]\d{0,2}([,_'’ \u00a0\u2009\u202f])\d{3}(?:\1\d{3})*(?:\.\d+)?$/;
const PERHAPS_DECIMAL_COMMA = /^-?[\d.]*,\d+$/;
const SEPARATORS = /[,_'’ \u00a0\u2009\u202f]/g;

/** A number; as text where JavaScript cannot hold it, since the server can. */
export function readNumber(typed: string): Read<number | string> {
  const text = typed
    .trim()
    .replace(/^\u2212/, "-")
    .replace(/^\+/, "");
  if (GROUPED.test(text)) return { value: held(text.replace(SEPARATORS, "")) };
  if (PLAIN.test(text)) return { value: held(text) };
  if (PERHAPS_DECIMAL_COMMA.test(text))
    return { problem: `“${typed.trim()}” can be read in two ways. Write 1234.5 or 1,234.5.` };
  return { problem: `“${typed.trim()}” is not a number.` };
}

function held(text: string): number | string {
  const number = Number(text);
  const isHeld = Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number));
  return isHeld ? number : text.replace(/^(-?)0+(?=\d)/, "$1");
}
