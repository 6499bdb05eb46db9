/** Vega, as much of it as the charts need, and without making code out of text.
 *
 * The default policy of MCP Apps has no `unsafe-eval`: expressions are interpreted (`ast: true`).
 * Maps, trees, forces and word clouds are left out: that is a fifth of the file. */

import { transforms } from "vega-dataflow";
import * as encodings from "vega-encode";
import { expressionInterpreter } from "vega-interpreter";
import { type TopLevelSpec, compile } from "vega-lite";
import { parse } from "vega-parser";
import * as dataTransforms from "vega-transforms";
import { View } from "vega-view";
import * as viewTransforms from "vega-view-transforms";

Object.assign(transforms, dataTransforms, viewTransforms, encodings);

export interface Drawn {
  finish(): void;
}

/** Draws into an element, and says how to end it. Throws where Vega finds the spec impossible. */
export async function draw(spec: TopLevelSpec, element: HTMLElement): Promise<Drawn> {
  const { spec: vega } = compile(spec, { logger: QUIET });
  const view = new View(parse(vega, undefined, { ast: true }), {
    expr: expressionInterpreter,
    renderer: "svg",
    container: element,
    hover: true,
    loader: NO_LOADER,
    tooltip: (_handler, event, _item, value) => showTip(element, event, value),
  });
  await view.runAsync();
  return { finish: () => void view.finalize() };
}

/** Nothing is loaded: data comes with the spec. */
const NO_LOADER = {
  load: () => Promise.reject(new Error("Nothing is loaded.")),
  sanitize: () => Promise.reject(new Error("Nothing is linked.")),
  http: () => Promise.reject(new Error("Nothing is loaded.")),
  file: () => Promise.reject(new Error("Nothing is loaded.")),
};

/** Vega-Lite warns of what it leaves out; there is nobody here to read it. */
const QUIET = {
  level: () => QUIET,
  error: () => QUIET,
  warn: () => QUIET,
  info: () => QUIET,
  debug: () => QUIET,
};

function showTip(element: HTMLElement, event: MouseEvent, value: unknown): void {
  const isShown = typeof value === "object" && value !== null;
  const old = element.querySelector(".tip");
  if (!isShown) {
    old?.remove();
    return;
  }
  const tip = old ?? element.appendChild(document.createElement("div"));
  tip.className = "tip";
  tip.setAttribute("aria-hidden", "true");
  tip.replaceChildren(...Object.entries(value).map(([name, text]) => line(`${name}: ${String(text)}`)));
  const box = element.getBoundingClientRect();
  (tip as HTMLElement).style.transform =
    `translate(${Math.min(event.clientX - box.left + 12, box.width - 160)}px, ${event.clientY - box.top + 12}px)`;
}

function line(text: string): HTMLElement {
  const element = document.createElement("div");
  element.textContent = text;
  return element;
}
