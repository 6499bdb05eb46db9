/** The words beside the mouse. */

import { othersLabel, pointLabel, title, valueLabel, valueTitle } from "./chartspec.ts";
import type { ChartReply } from "./contract.ts";
import { valueOf } from "./plot.ts";
import { count } from "./text.ts";

export interface Tip {
  readonly left: number;
  readonly top: number;
  readonly words: readonly string[];
}

export function tipFor(chart: ChartReply, event: MouseEvent, element: HTMLElement | null): Tip | null {
  const index = Number((event.target as Element).getAttribute("data-index") ?? "-1");
  if (index < 0 || !element) return null;
  const box = element.getBoundingClientRect();
  const left = Math.max(0, Math.min(event.clientX - box.left + 12, box.width - 180));
  const top = Math.max(0, Math.min(event.clientY - box.top + 14, box.height - 60));
  return { left, top, words: wordsOf(chart, index) };
}

function wordsOf(chart: ChartReply, index: number): readonly string[] {
  const point = chart.points[index];
  const name = point ? pointLabel(chart, point) : chart.others ? othersLabel(chart.others) : "";
  const told = point ?? chart.others ?? { count: 0 };
  const value = valueLabel(chart, valueOf(chart, told));
  const first = `${title(chart.x)}: ${name}`;
  if (chart.kind === "scatter") return [first, `${title(chart.y ?? "")}: ${value}`];
  const rows = `rows: ${count(told.count ?? 0)}`;
  return chart.y === null ? [first, rows] : [first, `${valueTitle(chart)}: ${value}`, rows];
}
