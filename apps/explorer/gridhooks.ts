/** What the grid does about its element: measuring it, scrolling it, keeping the active cell in sight. */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import { type Layout, layoutOf, sideways } from "./layout.ts";
import type { Place, View } from "./place.ts";
import { type Extent, type Scroll, centred, moved, revealing, settled } from "./scroll.ts";

/** The bar is put in line when nothing has moved for so long. */
const SETTLES_AFTER = 150;

interface Scroller {
  readonly current: HTMLDivElement | null;
}

export function useLayout(place: Place, view: View, room: number): Layout {
  const shape = place.shape.value;
  const fields = place.shownFields.value;
  const stretches = shape !== "rows" || fields.length === 1;
  return layoutOf(fields, place.widths.value, view.unfiltered, room, stretches);
}

export function useRoom(scroller: Scroller, set: (room: { width: number; height: number }) => void): boolean {
  const [isMeasured, setMeasured] = useState(false);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const measure = () => set({ width: element.clientWidth, height: element.clientHeight });
    measure();
    setMeasured(true);
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return isMeasured;
}

/** Keeps the scroll bar and what is seen together. */
export function useScrolling(scroller: Scroller, place: Place, extent: Extent, isMeasured: boolean): void {
  const now = useRef(extent);
  now.current = extent;
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    element.scrollTop = place.scroll.peek().bar;
    let timer = 0;
    const follow = () => {
      place.scroll.value = moved(place.scroll.peek(), element.scrollTop, now.current);
      clearTimeout(timer);
      timer = window.setTimeout(
        () => setBar(element, place, settled(place.scroll.peek(), now.current)),
        SETTLES_AFTER,
      );
    };
    element.addEventListener("scroll", follow, { passive: true });
    return () => {
      clearTimeout(timer);
      element.removeEventListener("scroll", follow);
    };
  }, [place]);
  const jump = place.jump.value;
  useEffect(() => {
    if (jump === null || !isMeasured || !scroller.current) return;
    const element = scroller.current;
    setBar(element, place, centred(jump, now.current));
    // A match may stand far along its line.
    requestAnimationFrame(() =>
      element.querySelector(".row.current mark")?.scrollIntoView({ block: "nearest", inline: "nearest" }),
    );
    place.jump.value = null;
  }, [jump, isMeasured]);
}

function setBar(element: HTMLElement, place: Place, scroll: Scroll): void {
  if (Math.abs(element.scrollTop - scroll.bar) > 1) element.scrollTop = scroll.bar;
  // What the browser made of it, so that its event is no movement.
  place.scroll.value = { top: scroll.top, bar: element.scrollTop };
}

/** Brings the active cell into sight when it moves. */
export function useActive(
  scroller: Scroller,
  place: Place,
  extent: Extent,
  layout: Layout,
  room: number,
): void {
  const active = place.active.value;
  const isFirst = useRef(true);
  useEffect(() => {
    const element = scroller.current;
    if (!element || isFirst.current) {
      isFirst.current = false;
      return;
    }
    if (active.row >= 0 && place.jump.peek() === null)
      setBar(element, place, revealing(place.scroll.peek(), active.row, extent));
    if (active.column >= 0) element.scrollLeft = sideways(layout, active.column, element.scrollLeft, room);
  }, [active.row, active.column]);
}
