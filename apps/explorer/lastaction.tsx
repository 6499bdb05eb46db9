/** What was done last. A screen reader hears it, and everyone can read it. */

import type { Explorer } from "./explorer.ts";

export function LastAction({ explorer }: { readonly explorer: Explorer }) {
  const { text, isShown } = explorer.said.now.value;
  return (
    <span class={isShown ? "said" : "unseen"} role="status" aria-label="Last action">
      {text}
    </span>
  );
}
