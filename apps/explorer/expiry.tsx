/** The end of a stored result, in words for a person, and the way to a new one. */

import { useState } from "preact/hooks";

import type { Explorer } from "./explorer.ts";
import { EXPIRED } from "./remote.ts";

interface Props {
  /** Whether rows are on screen, which can still be read. */
  readonly hasRows: boolean;
  readonly canAsk: boolean;
  ask(): Promise<boolean>;
}

/** One sentence, and one button, which is gone once it was used. */
export function Expired({ hasRows, canAsk, ask }: Props) {
  const [state, setState] = useState<"ready" | "asked" | "refused">("ready");
  const send = async () => setState((await ask().catch(() => false)) ? "asked" : "refused");
  return (
    <div class="banner bad" role="alert">
      <span>
        <strong>{EXPIRED}</strong>
        {hasRows && " What was loaded can still be read."}{" "}
        {state === "asked"
          ? "The assistant was asked to run the tool again."
          : state === "refused" || !canAsk
            ? "Ask the assistant to run the tool again."
            : ""}
      </span>
      {canAsk && state === "ready" && (
        <button type="button" onClick={() => void send()}>
          Ask to run it again
        </button>
      )}
    </div>
  );
}

/** Above rows that are still here. */
export function ExpiredBanner({ explorer }: { readonly explorer: Explorer }) {
  const hasRows = explorer.place.value.view.value !== null || explorer.place.value.text.value !== null;
  return <Expired hasRows={hasRows} canAsk={explorer.host.canMessage} ask={() => explorer.askAgain()} />;
}
