/** What is shown when there is nothing to show, and what went wrong when something did. */

import type { ComponentChildren } from "preact";

import { ExpiredBanner } from "./expiry.tsx";
import type { Explorer } from "./explorer.ts";
import type { Place, View } from "./place.ts";

interface TroubleProps {
  readonly title: string;
  readonly text: string;
  readonly children?: ComponentChildren;
  onRetry?(): void;
}

/** In the place of rows. */
export function Trouble({ title, text, children, onRetry }: TroubleProps) {
  return (
    <div class="trouble" role="alert">
      <h2>{title}</h2>
      <p>{text}</p>
      {onRetry && (
        <button type="button" onClick={onRetry}>
          Retry
        </button>
      )}
      {children}
    </div>
  );
}

/** In the place of rows and of their chart, where there are none. */
export function NoRows({ place, view }: { readonly place: Place; readonly view: View }) {
  const isEmpty = view.unfiltered === 0;
  if (place.busy.value && !isEmpty) return <div class="trouble" />; // another question may find rows
  return (
    <div class="trouble" role="status">
      <h2>{isEmpty ? "No rows" : "Nothing matches"}</h2>
      <p>{isEmpty ? "The result is empty: the tool gave nothing." : "No row fits the search and the filters."}</p>
      {!isEmpty && (
        <button
          type="button"
          onClick={() => void place.ask({ ...place.query.peek(), where: [], find: "" })}
        >
          Show all rows
        </button>
      )}
    </div>
  );
}

/** Above the rows, which stay as they are. */
export function Banners({ explorer, place }: { readonly explorer: Explorer; readonly place: Place }) {
  void place.version.value;
  if (explorer.expired.value) return <ExpiredBanner explorer={explorer} />;
  const failure = place.failure.value ?? place.view.value?.pages.failure() ?? null;
  return (
    <>
      {failure && (
        <div class="banner bad" role="alert">
          <span>
            <strong>
              {failure.kind === "lost"
                ? "Connection lost."
                : place.failure.value
                  ? "That did not work."
                  : "Some rows could not be loaded."}
            </strong>{" "}
            {failure.message} {failure.nextStep}
          </span>
          <button type="button" onClick={() => place.retry()}>
            Retry
          </button>
        </div>
      )}
      {(place.notice.value || explorer.remark) && (
        <div class="banner" role="note">
          {place.notice.value || explorer.remark}
        </div>
      )}
    </>
  );
}
