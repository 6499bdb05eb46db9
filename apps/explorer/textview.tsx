/** A long text, a window at a time. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import type { Explorer } from "./explorer.ts";
import type { Place } from "./place.ts";
import { counted, visibleLines } from "./text.ts";
import { type Span, around, piecesOf, spansOf } from "./textfind.ts";
import { TextTools } from "./texttools.tsx";
import type { TextWindows } from "./textwindows.ts";

/** More than this at once would make the page slow. */
const LONGEST = 5_000_000;

interface Props {
  readonly explorer: Explorer;
  readonly place: Place;
  readonly text: TextWindows;
}

export function TextView({ explorer, place, text }: Props) {
  void place.version.value;
  const [isWrapped, setWrapped] = useState(true);
  const region = useRef<HTMLDivElement>(null);
  const parts = useMemo(() => text.parts.map(visibleLines), [text.parts.length]);
  const find = useFind(parts, text);
  useEffect(() => {
    if (explorer.claimFocus()) region.current?.focus();
  }, []);
  useEffect(() => {
    region.current?.querySelector("mark.current")?.scrollIntoView({ block: "center", inline: "nearest" });
  }, [find.found.current, find.found.needle]);
  const [first, marked] = around(find.spans, find.found.current);
  let start = 0;
  return (
    <>
      <TextTools {...{ explorer, text, isWrapped }} {...find} onWrap={setWrapped} />
      <div
        ref={region}
        class={`text${isWrapped ? "" : " unwrapped"}`}
        tabIndex={0}
        role="region"
        aria-label="Text"
      >
        {parts.map((part, index) => {
          const from = start;
          start += part.length;
          return <Part key={index} {...{ part, from, first, marked }} current={find.found.current} />;
        })}
        <More text={text} />
      </div>
    </>
  );
}

/** Searches what is here. The rest is fetched for the search, if a page can hold it. */
function useFind(parts: readonly string[], text: TextWindows) {
  const [needle, setNeedle] = useState("");
  const [current, setCurrent] = useState(-1);
  const spans = useMemo(() => spansOf(parts.join(""), needle), [parts, needle]);
  const total = spans.length;
  return {
    spans,
    found: { needle, total, current: Math.min(current, total - 1) },
    onFind: (typed: string) => {
      setNeedle(typed);
      setCurrent(-1);
      if (typed !== "" && text.total <= LONGEST) void text.rest();
    },
    onStep: (by: 1 | -1) => {
      if (total > 0) setCurrent(current < 0 ? (by > 0 ? 0 : total - 1) : (current + by + total) % total);
    },
  };
}

interface PartProps {
  readonly part: string;
  readonly from: number;
  readonly first: number;
  readonly marked: readonly Span[];
  readonly current: number;
}

function Part({ part, from, first, marked, current }: PartProps) {
  return (
    <pre dir="auto">
      {piecesOf(part, from, marked, first).map(({ text, match }, index) =>
        match < 0 ? (
          text
        ) : (
          <mark key={index} class={match === current ? "current" : ""}>
            {text}
          </mark>
        ),
      )}
    </pre>
  );
}

function More({ text }: { readonly text: TextWindows }) {
  const isGone = text.failure?.kind === "gone"; // which the banner says, and no button can mend
  return (
    <p class="more">
      <span class="hint" role="status">
        {text.isWhole
          ? counted(text.total, "character")
          : `${text.here.toLocaleString("en-US")} of ${counted(text.total, "character")}`}
      </span>
      {!text.isWhole && !isGone && (
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
      {text.failure && !isGone && <span role="alert">{text.failure.message}</span>}
    </p>
  );
}
