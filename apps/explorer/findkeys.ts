/** The keys that lead to the search box from anywhere: `/`, and the one that a browser finds with. */

import { useEffect } from "preact/hooks";

import type { Explorer } from "./explorer.ts";

export function useFindKeys(explorer: Explorer): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (explorer.dialog.peek() || event.defaultPrevented || !asksToFind(event)) return;
      const box = document.querySelector<HTMLInputElement>("input[type=search]");
      if (!box) return; // the browser's own search then does what it can
      event.preventDefault();
      box.focus();
      box.select();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, [explorer]);
}

function asksToFind(event: KeyboardEvent): boolean {
  const isOther = event.altKey || event.shiftKey;
  if (event.key.toLowerCase() === "f") return (event.ctrlKey || event.metaKey) && !isOther;
  const isTyping = event.target instanceof Element && event.target.matches("input, textarea, select");
  return event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey;
}
