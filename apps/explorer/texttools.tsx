/** What can be done with one text: find in it, copy it, save it, and choose whether its lines wrap. */

import { useState } from "preact/hooks";

import { copyText, deliver } from "./delivery.tsx";
import { Icon } from "./dialog.tsx";
import type { Explorer } from "./explorer.ts";
import { LastAction } from "./lastaction.tsx";
import { count, counted } from "./text.ts";
import type { TextWindows } from "./textwindows.ts";

export interface Found {
  readonly needle: string;
  readonly total: number;
  /** The number of the match that is shown, from 0, or -1 before one is. */
  readonly current: number;
}

interface Props {
  readonly explorer: Explorer;
  readonly text: TextWindows;
  readonly found: Found;
  readonly isWrapped: boolean;
  onFind(needle: string): void;
  onStep(by: 1 | -1): void;
  onWrap(isWrapped: boolean): void;
}

export function TextTools({ explorer, text, found, isWrapped, onFind, onStep, onWrap }: Props) {
  const [isBusy, setBusy] = useState(false);
  const withAll = (act: (all: string) => Promise<string>) => async () => {
    setBusy(true);
    await text.rest();
    const isCut = !text.isWhole;
    explorer.say(isCut ? "The rest of the text could not be loaded." : await act(text.parts.join("")));
    setBusy(false);
  };
  const copy = withAll(async (all) =>
    (await copyText(all)) ? "Copied to the clipboard." : "The clipboard is closed to this view.",
  );
  const save = withAll(async (all) => {
    const done = await deliver(explorer, "txt", all, counted(all.length, "character"));
    return done.mayCopy ? `${done.said.replace(": copy it instead.", "; copy it instead.")}` : done.said;
  });
  return (
    <div class="toolbar" role="group" aria-label="Tools">
      <FindBox {...{ found, text, onFind, onStep }} />
      <label class="check">
        <input
          type="checkbox"
          checked={isWrapped}
          onChange={(event) => onWrap(event.currentTarget.checked)}
        />
        Wrap lines
      </label>
      <LastAction explorer={explorer} />
      <span class="spring" />
      <button type="button" disabled={isBusy} onClick={() => void copy()}>
        Copy
      </button>
      <button type="button" aria-label="Download" disabled={isBusy} onClick={() => void save()}>
        <Icon name="download" />
        <span class="label">Download</span>
      </button>
    </div>
  );
}

interface FindProps {
  readonly found: Found;
  readonly text: TextWindows;
  onFind(needle: string): void;
  onStep(by: 1 | -1): void;
}

function FindBox({ found, text, onFind, onStep }: FindProps) {
  return (
    <div class="search">
      <label>
        <Icon name="search" />
        <input
          type="search"
          dir="auto"
          aria-label="Find in text"
          placeholder="Find"
          value={found.needle}
          onInput={(event) => onFind(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter") onStep(event.shiftKey ? -1 : 1);
            else if (event.key === "Escape" && found.needle !== "") {
              event.stopPropagation(); // the first Escape empties the box, the next one goes back
              onFind("");
            }
          }}
        />
      </label>
      {found.needle !== "" && (
        <>
          <span class="hint" role="status">
            {wordsFor(found) + within(text)}
          </span>
          <StepButton name="Previous match" icon="up" found={found} onClick={() => onStep(-1)} />
          <StepButton name="Next match" icon="down" found={found} onClick={() => onStep(1)} />
        </>
      )}
    </div>
  );
}

function wordsFor({ total, current }: Found): string {
  if (total === 0) return "No matches";
  if (current < 0) return counted(total, "match", "matches");
  return `Match ${count(current + 1)} of ${count(total)}`;
}

/** Only what is here was searched: a longer text has to be loaded by hand. */
function within(text: TextWindows): string {
  return text.isWhole ? "" : ` in the first ${count(text.here)} of ${counted(text.total, "character")}`;
}

interface StepProps {
  readonly name: string;
  readonly icon: "up" | "down";
  readonly found: Found;
  onClick(): void;
}

function StepButton({ name, icon, found, onClick }: StepProps) {
  return (
    <button type="button" class="icon" aria-label={name} disabled={found.total === 0} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}
