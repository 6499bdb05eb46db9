/** Scrolling over more rows than a browser can make an element high.
 *
 * Browsers cap the height of an element at some 17 to 33 million pixels. Past a safe height the
 * scroll bar stands for a share of the rows, and rows are drawn at where it is. A small movement
 * (wheel, touch, arrows) still moves by its own pixels, else one notch would skip hundreds of rows;
 * a large one (dragging the bar) goes to its share. The two drift apart by what the small movements
 * add up to, and `settled` brings the bar back in line when nothing moves. */

export const TALLEST = 8_000_000;

export interface Scroll {
  /** Pixels from the first row, as if there were no cap. */
  readonly top: number;
  /** Where the scroll bar stands. */
  readonly bar: number;
}

export interface Extent {
  readonly rows: number;
  readonly rowHeight: number;
  /** Height of what is seen of the rows. */
  readonly seen: number;
}

function fullHeight({ rows, rowHeight }: Extent): number {
  return rows * rowHeight;
}

export function barHeight(extent: Extent): number {
  return Math.min(fullHeight(extent), TALLEST);
}

function highest(extent: Extent): number {
  return Math.max(0, fullHeight(extent) - extent.seen);
}

function ratio(extent: Extent): number {
  const bar = Math.max(1, barHeight(extent) - extent.seen);
  return Math.max(1, highest(extent) / bar);
}

function within(top: number, extent: Extent): number {
  return Math.min(Math.max(0, top), highest(extent));
}

/** What is seen after the bar has moved. */
export function moved(before: Scroll, bar: number, extent: Extent): Scroll {
  const scale = ratio(extent);
  if (scale === 1) return { top: within(bar, extent), bar };
  const step = bar - before.bar;
  const isAtAnEnd = bar <= 0 || bar >= barHeight(extent) - extent.seen - 1;
  if (isAtAnEnd || Math.abs(step) > extent.seen) return { top: within(bar * scale, extent), bar };
  return { top: within(before.top + step, extent), bar };
}

/** The same view with the bar where it belongs. */
export function settled(scroll: Scroll, extent: Extent): Scroll {
  return { top: scroll.top, bar: scroll.top / ratio(extent) };
}

/** Scrolled as little as it takes to see a row. */
export function revealing(scroll: Scroll, row: number, extent: Extent): Scroll {
  const from = row * extent.rowHeight;
  const to = from + extent.rowHeight;
  if (from >= scroll.top && to <= scroll.top + extent.seen) return scroll;
  const top = within(from < scroll.top ? from : to - extent.seen, extent);
  return settled({ top, bar: 0 }, extent);
}

/** Scrolled so that a row stands a third down. */
export function centred(row: number, extent: Extent): Scroll {
  return settled({ top: within(row * extent.rowHeight - extent.seen / 3, extent), bar: 0 }, extent);
}

export function rowsSeen(scroll: Scroll, extent: Extent): { readonly first: number; readonly last: number } {
  const first = Math.floor(scroll.top / extent.rowHeight);
  const last = Math.ceil((scroll.top + extent.seen) / extent.rowHeight) - 1;
  return { first: Math.max(0, first), last: Math.min(extent.rows - 1, Math.max(first, last)) };
}
