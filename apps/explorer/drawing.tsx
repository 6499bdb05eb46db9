/** The picture of a chart. Its colours are the page's, so that it follows the theme by itself.
 *
 * It is drawn here rather than by a library: a library of charts takes longer to start than the
 * server takes to count 100,000 rows, and it knows nothing of bins that are filled in part. */

import { useLayoutEffect, useRef, useState } from "preact/hooks";

import { Bars, leastHeight } from "./bars.tsx";
import { type Tip, tipFor } from "./charttip.ts";
import type { ChartReply } from "./contract.ts";
import { Plot } from "./plotted.tsx";

export function Drawing({ chart }: { readonly chart: ChartReply }) {
  const element = useRef<HTMLDivElement>(null);
  const room = useRoomIn(element);
  const [tip, setTip] = useState<Tip | null>(null);
  const height = Math.max(room.height, leastHeight(chart));
  const point = (event: MouseEvent) => setTip(tipFor(chart, event, element.current));
  return (
    <div ref={element} class="drawing" onMouseMove={point} onMouseLeave={() => setTip(null)}>
      {room.width > 0 && (
        <svg class="marks" width={room.width} height={height} aria-hidden="true">
          {chart.kind === "categories" ? (
            <Bars chart={chart} width={room.width} height={height} />
          ) : (
            <Plot chart={chart} width={room.width} height={height} />
          )}
        </svg>
      )}
      {tip && (
        <div class="tip" aria-hidden="true" style={{ transform: `translate(${tip.left}px, ${tip.top}px)` }}>
          {tip.words.map((line, index) => (
            <div key={index}>{line}</div>
          ))}
        </div>
      )}
    </div>
  );
}

function useRoomIn(element: { readonly current: HTMLElement | null }) {
  const [room, setRoom] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const frame = element.current?.parentElement;
    if (!frame) return;
    const look = () => setRoom({ width: frame.clientWidth, height: frame.clientHeight });
    look();
    const observer = new ResizeObserver(look);
    observer.observe(frame);
    return () => observer.disconnect();
  }, []);
  return room;
}
