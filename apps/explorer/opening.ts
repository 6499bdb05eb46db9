/** From what the host hands over to a result that is open. Hosts differ: some leave out
 * structuredContent, some put a note in the place of a large result. The token in the tool's own
 * arguments then still leads to the result. */

import { describe, readPayload } from "../payload/payload.ts";
import { type Opening, asOpening, asReply, defaultInfo } from "./contract.ts";
import { type CallTool, type ToolAnswer, callBrowse } from "./remote.ts";

export type Opened =
  | { readonly kind: "open"; readonly opening: Opening; readonly remark: string }
  | { readonly kind: "gone" }
  | { readonly kind: "closed"; readonly message: string };

export function opening(result: ToolAnswer): Opened {
  const direct = asOpening(result.structuredContent);
  if (direct && result.isError !== true) return { kind: "open", opening: direct, remark: "" };
  if (result.isError === true && saysGone(result)) return { kind: "gone" };
  const payload = readPayload(result);
  const inText = payload.kind === "other" ? asOpening(payload.value) : null;
  if (inText) return { kind: "open", opening: inText, remark: "" };
  const message =
    payload.kind === "rows" || payload.kind === "other"
      ? "The host passed on the text for the model only, not the result."
      : describe(payload);
  return { kind: "closed", message };
}

/** Asks the tool once more, then browse itself, which says less of what the result is. */
export async function recover(
  call: CallTool,
  tool: string | undefined,
  token: string,
  why: string,
): Promise<Opened> {
  const again = await call(tool ?? "show_result", { continuation_token: token }).catch(() => null);
  const opened = again ? opening(again) : null;
  if (opened && opened.kind !== "closed") return opened;
  const info = defaultInfo(token);
  const outcome = await callBrowse(call, info, {});
  const page = outcome.ok ? asReply(outcome.value) : null;
  if (page) return { kind: "open", opening: { result: info, page }, remark: why };
  if (!outcome.ok && outcome.failure.kind === "gone") return { kind: "gone" };
  const failure = outcome.ok
    ? "The server's answer is not a page of rows."
    : `${outcome.failure.message} ${outcome.failure.nextStep}`;
  return { kind: "closed", message: `${why} ${failure}`.trim() };
}

/** A host may pass on the text alone, which is for models and begins like this. */
const GONE = "Continuation token expired or not found.";

function saysGone({ structuredContent, content }: ToolAnswer): boolean {
  const said = structuredContent as { readonly gone?: unknown } | null | undefined;
  if (said?.gone === true) return true;
  return content?.some(({ text }) => typeof text === "string" && text.includes(GONE)) ?? false;
}
