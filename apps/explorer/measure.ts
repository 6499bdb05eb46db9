/** How wide a text is. Counting characters is wrong by a third from one font to the next. */

const PER_CHARACTER = 7.5;
let context: CanvasRenderingContext2D | null | undefined;

/** In pixels, in the font of the rows. */
export function widthOfText(text: string): number {
  context ??= typeof document === "undefined" ? null : document.createElement("canvas").getContext("2d");
  if (!context) return text.length * PER_CHARACTER;
  context.font = getComputedStyle(document.body).font;
  return context.measureText(text).width;
}
