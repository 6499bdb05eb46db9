/** How a file leaves the sandbox, and what a person can do where it does not. */

import { useRef, useState } from "preact/hooks";

import type { Explorer } from "./explorer.ts";
import { type Format, MIME, fileName } from "./files.ts";
import { bytes, clip, size } from "./text.ts";

/** Characters of a file that are shown where it can be copied. */
const SHOWN = 300_000;

export interface Done {
  readonly text: string;
  readonly said: string;
  /** Whether the file may not have come: then it can be copied. */
  readonly mayCopy: boolean;
}

/** By the host where it can; else the browser is asked, which a sandbox may forbid in silence. */
export async function deliver(explorer: Explorer, format: Format, text: string, what: string): Promise<Done> {
  const name = fileName(explorer.info.tool, format);
  const file = `${name}: ${what}, ${size(bytes(text))}.`;
  if (explorer.host.canDownload) {
    const isTaken = await explorer.host.download(name, MIME[format], text).catch(() => false);
    if (isTaken) return { text, said: `The host has saved ${file}`, mayCopy: false };
    return { text, said: `The host did not save the file. It can be copied instead.`, mayCopy: true };
  }
  const url = URL.createObjectURL(new Blob([text], { type: MIME[format] }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
  return {
    text,
    said: `The browser was asked to save ${file} If no file came, this host forbids it: copy it instead.`,
    mayCopy: true,
  };
}

export function Delivered({ done }: { readonly done: Done }) {
  const [said, setSaid] = useState("");
  const area = useRef<HTMLTextAreaElement>(null);
  const copy = async () => {
    // The old way needs no leave from the host; the new one does, and the browser reports a refusal.
    area.current?.select();
    const isCopied = document.execCommand("copy") || (await writeToClipboard(done.text));
    setSaid(
      isCopied
        ? "Copied to the clipboard."
        : "The clipboard is closed to this view: the text below is selected, copy it with Ctrl+C.",
    );
  };
  const giveAll = (event: ClipboardEvent) => {
    event.clipboardData?.setData("text/plain", done.text);
    event.preventDefault();
  };
  return (
    <div class="delivered">
      <p role="status">{said || done.said}</p>
      {done.mayCopy && (
        <>
          {/* Only how it begins: a box with megabytes freezes. Whoever copies from it gets all. */}
          <textarea
            ref={area}
            readOnly
            rows={3}
            aria-label="The file's text"
            value={clip(done.text, SHOWN)}
            onCopy={giveAll}
          />
          <button type="button" onClick={() => void copy()}>
            Copy to clipboard
          </button>
        </>
      )}
    </div>
  );
}

/** Copies a text that stands in no box, and says whether that was allowed. */
export async function copyText(text: string): Promise<boolean> {
  const give = (event: ClipboardEvent) => {
    event.clipboardData?.setData("text/plain", text);
    event.preventDefault();
  };
  document.addEventListener("copy", give);
  const isCopied = document.execCommand("copy");
  document.removeEventListener("copy", give);
  return isCopied || (await writeToClipboard(text));
}

async function writeToClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
