/** The result explorer: connects to the host, and draws what it is given. */

import "./style.css";

import { signal } from "@preact/signals";
import { render } from "preact";
import { useEffect } from "preact/hooks";

import { ChartPane } from "./chart.tsx";
import { ColumnsDialog, canChooseColumns } from "./columnsdialog.tsx";
import { DownloadDialog } from "./download.tsx";
import { Expired } from "./expiry.tsx";
import { Explorer, askingFor } from "./explorer.ts";
import { FilterDialog } from "./filter.tsx";
import { useFindKeys } from "./findkeys.ts";
import { Grid } from "./grid.tsx";
import { Host } from "./host.ts";
import { HEAD_HEIGHT, ROW_HEIGHT } from "./layout.ts";
import { LastAction } from "./lastaction.tsx";
import { type Opened, opening, recover } from "./opening.ts";
import type { Place } from "./place.ts";
import { SendDialog } from "./senddialog.tsx";
import { Banners, NoRows, Trouble } from "./states.tsx";
import { TextView } from "./textview.tsx";
import { Crumbs, Header, StatusLine, Toolbar, hasStatusLine } from "./toolbar.tsx";
import { WrappedLines } from "./wrapped.tsx";

type Stage =
  | { readonly kind: "waiting"; readonly text: string }
  | { readonly kind: "trouble"; readonly text: string }
  | { readonly kind: "expired" }
  | { readonly kind: "open"; readonly explorer: Explorer };

const LOWEST = 240;
/** Room for a dialog, a chart or an opened value. */
const LOW = 380;
const USUAL = 520;
/** Everything that is not rows: header, tools, status. */
const AROUND = 112;
const SCROLL_BAR = 18;
/** A host may allow more; a chat is still read around it. */
const HIGHEST = 640;

const host = new Host();
const stage = signal<Stage>({ kind: "waiting", text: "Loading the result…" });
let token: string | null = null;

function App() {
  const now = stage.value;
  useHeight(now);
  if (now.kind === "open") return <Main explorer={now.explorer} />;
  return (
    <main>
      <h1 class="unseen">Stored result</h1>
      <Closed stage={now} />
    </main>
  );
}

/** In the place of a result. */
function Closed({ stage: now }: { readonly stage: Exclude<Stage, { readonly kind: "open" }> }) {
  switch (now.kind) {
    case "waiting":
      return (
        <p class="waiting" role="status">
          {now.text}
        </p>
      );
    case "expired":
      return (
        <Expired hasRows={false} canAsk={host.canMessage} ask={() => host.say(askingFor("the tool"))} />
      );
    case "trouble":
      return <Trouble title="The result cannot be shown" text={now.text} />;
  }
}

function Main({ explorer }: { readonly explorer: Explorer }) {
  const place = explorer.place.value;
  const dialog = explorer.dialog.value;
  useEscape(explorer);
  useFindKeys(explorer);
  return (
    <>
      <Header explorer={explorer} />
      <Crumbs explorer={explorer} />
      <main class={explorer.expired.value ? "over" : ""}>
        <Toolbar explorer={explorer} place={place} />
        <Banners explorer={explorer} place={place} />
        <StatusLine explorer={explorer} place={place} />
        <div class="body">
          <Body key={explorer.places.value.length} explorer={explorer} place={place} />
        </div>
      </main>
      {!hasStatusLine(place) && !place.text.value && <LastAction explorer={explorer} />}
      {dialog === "columns" && canChooseColumns(explorer) && <ColumnsDialog explorer={explorer} />}
      {dialog === "filter" && <FilterDialog explorer={explorer} />}
      {dialog === "download" && <DownloadDialog explorer={explorer} />}
      {dialog === "send" && <SendDialog explorer={explorer} />}
    </>
  );
}

function Body({ explorer, place }: { readonly explorer: Explorer; readonly place: Place }) {
  const view = place.view.value;
  const text = place.text.value;
  if (text) return <TextView explorer={explorer} place={place} text={text} />;
  if (!view)
    return place.failure.value ? null : (
      <p class="waiting" role="status">
        Loading…
      </p>
    );
  if (place.tab.value === "chart") return <ChartPane place={place} />;
  if (view.total === 0) return <NoRows place={place} view={view} />;
  return place.isWrapped.value ? (
    <WrappedLines explorer={explorer} place={place} view={view} />
  ) : (
    <Grid explorer={explorer} place={place} view={view} />
  );
}

/** Escape goes back from an opened value. A dialog takes its own Escape first. */
function useEscape(explorer: Explorer): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.defaultPrevented || explorer.dialog.peek()) return;
      explorer.back();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, [explorer]);
}

/** As high as the rows need, within what the host allows; all of it in full screen. */
function useHeight(now: Stage): void {
  const context = host.context.value;
  const first = now.kind === "open" ? now.explorer.places.value[0] : undefined;
  const rows = first?.view.value?.unfiltered ?? 0;
  const isBusy =
    now.kind === "open" &&
    (now.explorer.places.value.length > 1 || first?.tab.value === "chart" || first?.shape.value === "text");
  const box = context.containerDimensions;
  const isFilled = context.displayMode === "fullscreen" || (box !== undefined && "height" in box);
  const most = box !== undefined && "maxHeight" in box ? (box.maxHeight ?? USUAL) : USUAL;
  const fitted = AROUND + HEAD_HEIGHT + rows * ROW_HEIGHT + SCROLL_BAR;
  const wished = now.kind !== "open" || rows === 0 ? LOWEST : Math.max(isBusy ? USUAL : LOW, fitted);
  const height = Math.min(wished, Math.max(USUAL, Math.min(most, HIGHEST)), most);
  useEffect(() => {
    document.documentElement.style.setProperty("--height", isFilled ? "100dvh" : `${height}px`);
    if (!isFilled) host.wantHeight(height);
  }, [isFilled, height]);
}

function show(opened: Opened): void {
  if (opened.kind === "open")
    stage.value = { kind: "open", explorer: new Explorer(host, opened.opening, opened.remark) };
  else if (opened.kind === "gone") stage.value = { kind: "expired" };
  else stage.value = { kind: "trouble", text: opened.message };
}

const root = document.getElementById("app") as HTMLElement;
root.replaceChildren();
render(<App />, root);
// A result may arrive while the handshake is still ending; calls have to wait for its end.
const connected: Promise<void> = host
  .connect({
    toolInput: (args) => {
      if (typeof args.continuation_token === "string") token = args.continuation_token;
    },
    toolResult: (result) => {
      const opened = opening(result);
      if (opened.kind !== "closed" || token === null) {
        show(opened);
        return;
      }
      stage.value = {
        kind: "waiting",
        text: "The host kept the result back. Asking the server for it…",
      };
      void connected
        .then(() => recover(host.call, host.toolName, token as string, opened.message))
        .then(show);
    },
    toolCancelled: (reason) => {
      stage.value = { kind: "trouble", text: `The call was cancelled${reason ? `: ${reason}` : "."}` };
    },
  })
  .catch((error: unknown) => {
    stage.value = {
      kind: "trouble",
      text: `The host did not answer: ${error instanceof Error ? error.message : String(error)}`,
    };
  });
