/** How wide a text is. Counting characters is wrong by a third from one font to the next. */

const PER_CHARACTER = 7.5;
let isFontKnown = false;
let context: CanvasRenderingContext2D | null | undefined;

/** In pixels, in the font of the rows. */
export function widthOfText(text: string): number {
  context ??= typeof document === "undefined" ? null : document.createElement("canvas").getContext("2d");
  if (!context) return text.length * PER_CHARACTER;
  // Asking for the style costs a layout, so it is asked once a moment.
  if (!isFontKnown) {
    context.font = getComputedStyle(document.body).font;
    isFontKnown = true;
    setTimeout(() => (isFontKnown = false));
  }
  return context.measureText(text).width;
}

const LETTERS = 11 / 13; // of an axis, beside those of the rows

export function measureAxis(text: string): number {
  return widthOfText(text) * LETTERS;
}
