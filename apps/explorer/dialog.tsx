/** A modal dialog. The browser's own element keeps the focus inside, closes on Escape and gives
 * the focus back to what opened it. */

import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

interface Props {
  readonly title: string;
  readonly children: ComponentChildren;
  onClose(): void;
}

export function Dialog({ title, children, onClose }: Props) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const dialog = element.current;
    const opener = document.activeElement;
    dialog?.showModal();
    // Not by `autofocus`, which browsers refuse to frames of other origins.
    dialog?.querySelector<HTMLElement>("[data-first]")?.focus();
    return () => {
      dialog?.close();
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  const closeOutside = (event: MouseEvent) => {
    if (event.target === element.current) onClose();
  };
  return (
    <dialog ref={element} aria-labelledby={heading} onClose={onClose} onClick={closeOutside}>
      <div class="sheet">
        <header>
          <h2 id={heading}>{title}</h2>
          <button type="button" class="icon" aria-label="Close" onClick={onClose}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}

const PATHS = {
  close: "M4 4l8 8M12 4l-8 8",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.5 10.5 14 14",
  filter: "M2 3.5h12M4.5 8h7M7 12.5h2",
  columns: "M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10",
  chart: "M2.5 13.5h11M4.5 11V7M8 11V3M11.5 11V5.5",
  table: "M2.5 3h11v10h-11zM2.5 6.5h11M2.5 9.8h11M6 3v10",
  download: "M8 2.5v8M4.8 7.5 8 10.7l3.2-3.2M2.5 13.5h11",
  send: "M14 2 2 7l4.6 2.2L9 14z",
  expand: "M9.5 2.5h4v4M6.5 13.5h-4v-4M13.5 2.5 9 7M2.5 13.5 7 9",
  shrink: "M13.5 6.5h-4v-4M2.5 9.5h4v4M9.5 6.5l4-4M6.5 9.5l-4 4",
  back: "M9.5 3.5 5 8l4.5 4.5",
  up: "M8 13V3.5M4 7.2 8 3.2l4 4",
  down: "M8 3v9.5M4 8.8l4 4 4-4",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
} as const;

export function Icon({ name }: { readonly name: keyof typeof PATHS }) {
  return (
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" class="glyph">
      <path d={PATHS[name]} />
    </svg>
  );
}
