/** The dialog that sends rows to the model: what goes and what does not is said before. */

import { useMemo, useState } from "preact/hooks";

import { Dialog } from "./dialog.tsx";
import type { Explorer } from "./explorer.ts";
import { type Fitting, fit } from "./send.ts";
import { count, counted, size } from "./text.ts";

export function SendDialog({ explorer }: { readonly explorer: Explorer }) {
  const noun = explorer.place.value.shape.value === "lines" ? "line" : "row";
  const rows = explorer.chosen();
  const fitting = useMemo(() => fit(rows, explorer.info, noun), []);
  const [state, setState] = useState<"ready" | "sending" | "sent" | "failed">("ready");
  const [problem, setProblem] = useState("");
  const close = () => (explorer.dialog.value = null);
  const send = async () => {
    setState("sending");
    try {
      await explorer.host.updateContext(fitting.message);
      setState("sent");
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      setState("failed");
    }
  };
  return (
    <Dialog title="Send to model" onClose={close}>
      <p role="status">
        {state === "sent"
          ? `Sent: ${wentIn(fitting, noun)}`
          : `${counted(rows.length, noun)} selected. ${willGo(fitting, noun)}`}
      </p>
      <p class="hint">
        The model also gets the tool's name, the numbers of the {noun}s and the token of the stored result.
        The host passes it on with the next message, and it replaces what was sent from here before.
      </p>
      {state === "failed" && <p role="alert">The host did not take it: {problem}</p>}
      <footer>
        <span class="spring" />
        <button type="button" onClick={close}>
          {state === "sent" ? "Close" : "Cancel"}
        </button>
        {state !== "sent" && (
          <button
            type="button"
            class="primary"
            data-first=""
            disabled={state === "sending"}
            onClick={() => void send()}
          >
            {state === "sending"
              ? "Sending…"
              : fitting.sent === 0
                ? "Send a reference"
                : `Send ${counted(fitting.sent, noun)}`}
          </button>
        )}
      </footer>
    </Dialog>
  );
}

function willGo(fitting: Fitting, noun: string): string {
  if (fitting.sent === 0)
    return `Not even one ${noun} fits in the model's budget: it will be told where they are.`;
  const short = fitting.isShortened ? " Long values are shortened." : "";
  if (fitting.sent === fitting.chosen)
    return `${fitting.chosen === 1 ? "It fits" : "All fit"} in the model's budget (${size(fitting.size)}).${short}`;
  return `${count(fitting.sent)} of ${counted(fitting.chosen, noun)} fit in the model's budget (${size(fitting.size)}); the model is told that the rest are in the stored result.${short}`;
}

function wentIn(fitting: Fitting, noun: string): string {
  const rest = fitting.chosen - fitting.sent;
  const left = rest > 0 ? ` The other ${count(rest)} did not fit; they are in the stored result.` : "";
  return `${count(fitting.sent)} of ${counted(fitting.chosen, noun)} (${size(fitting.size)}).${left}`;
}
