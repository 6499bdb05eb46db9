/** A long text, a window at a time. */

import { useEffect, useRef } from "preact/hooks";

import type { Explorer } from "./explorer.ts";
import type { Place } from "./place.ts";
import { counted, visibleLines } from "./text.ts";
import type { TextWindows } from "./textwindows.ts";

/** More than this at once would make the page slow. */
const LONGEST = 5_000_000;

export function TextView({
  explorer,
  place,
  text,
}: {
  readonly explorer: Explorer;
  readonly place: Place;
  readonly text: TextWindows;
}) {
  void place.version.value;
  const region = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (explorer.claimFocus()) region.current?.focus();
  }, []);
  return (
    <div ref={region} class="text" tabIndex={0} role="region" aria-label="Text">
      {text.parts.map((part, index) => (
        <pre key={index} dir="auto">
          {visibleLines(part)}
        </pre>
      ))}
      <p class="more">
        <span class="hint" role="status">
          {text.isWhole
            ? counted(text.total, "character")
            : `${text.here.toLocaleString("en-US")} of ${counted(text.total, "character")}`}
        </span>
        {!text.isWhole && (
          <>
            <button type="button" disabled={text.isLoading} onClick={() => void text.more()}>
              {text.isLoading ? "Loading…" : "Show more"}
            </button>
            {text.total <= LONGEST && (
              <button type="button" disabled={text.isLoading} onClick={() => void text.rest()}>
                Show all
              </button>
            )}
          </>
        )}
        {text.failure && <span role="alert">{text.failure.message}</span>}
      </p>
    </div>
  );
}
