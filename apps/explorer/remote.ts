/** Calls of browse: every answer and every failure becomes a value. */

import { type References, inPaths, namedAsHere, referencesIn } from "./asking.ts";
import type {
  BrowseArguments,
  ChartReply,
  Column,
  Failure,
  Outcome,
  Reply,
  ResultInfo,
  ValuesReply,
} from "./contract.ts";
import { asChart, asColumns, asReply, asValues, failed, succeeded } from "./contract.ts";
import type { Source } from "./source.ts";

/** As much of a tool's result as is looked at here. */
export interface ToolAnswer {
  readonly isError?: boolean | undefined;
  readonly structuredContent?: unknown;
  readonly content?: ReadonlyArray<{ readonly type: string; readonly text?: unknown }> | undefined;
}

export type CallTool = (name: string, args: Record<string, unknown>) => Promise<ToolAnswer>;

export async function callBrowse(
  call: CallTool,
  info: ResultInfo,
  args: Readonly<Record<string, unknown>>,
): Promise<Outcome<unknown>> {
  let answer: ToolAnswer;
  try {
    answer = await call(info.browse, { continuation_token: info.continuation_token, ...args });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return failed(
      "lost",
      `The server did not answer: ${why.replace(/[.\s]+$/, "")}.`,
      "Try again; if it goes on, the server or its connection is gone.",
    );
  }
  const content = contentOf(answer);
  return answer.isError ? refusal(content, answer) : succeeded(content);
}

/** structuredContent, or the same as JSON text where a host leaves the former out. */
function contentOf(answer: ToolAnswer): unknown {
  if (answer.structuredContent !== undefined && answer.structuredContent !== null)
    return answer.structuredContent;
  try {
    return JSON.parse(firstText(answer)) as unknown;
  } catch {
    return undefined;
  }
}

function firstText(answer: ToolAnswer): string {
  const text = answer.content?.find((block) => block.type === "text")?.text;
  return typeof text === "string" ? text : "";
}

function refusal(content: unknown, answer: ToolAnswer): Outcome<unknown> {
  const said = (typeof content === "object" && content !== null ? content : {}) as Record<string, unknown>;
  const message =
    typeof said.error === "string" ? said.error : firstText(answer) || "The server refused without a reason.";
  return failed(
    said.gone === true ? "gone" : "refused",
    message,
    typeof said.next_step === "string" ? said.next_step : "",
  );
}

/** Whether the result is still stored, and whom to tell that it is not. */
export interface Life {
  isOver(): boolean;
  end(failure: Failure): void;
}

/** The server's own words are for models. */
export const EXPIRED = "This result has expired.";

/** One part of the stored result, named by its path. */
export class RemoteSource implements Source {
  private references: References = new Map();
  constructor(
    private readonly call: CallTool,
    private readonly info: ResultInfo,
    private readonly life: Life,
    readonly path = "",
  ) {}

  /** Nothing, once the result has expired: each of these is a question to the server. */
  get can(): readonly string[] {
    if (this.life.isOver()) return [];
    return this.info.can.includes("filter") ? [...this.info.can, "find"] : this.info.can;
  }

  /** Learns the columns from a first page. */
  learn(page: Reply): void {
    this.references = new Map([...this.references, ...referencesIn(page)]);
  }

  at(path: string): RemoteSource {
    return new RemoteSource(this.call, this.info, this.life, path);
  }

  async browse(args: BrowseArguments): Promise<Outcome<Reply>> {
    const outcome = await this.ask(args);
    if (!outcome.ok) return outcome;
    const reply = asReply(outcome.value);
    if (!reply) return failed("refused", "The server's answer is not a page of rows.");
    this.learn(reply);
    return succeeded(reply);
  }

  async values(column: string): Promise<Outcome<ValuesReply>> {
    const outcome = await this.ask({ values: { column } });
    if (!outcome.ok) return outcome;
    const values = asValues(outcome.value);
    return values ? succeeded(values) : failed("refused", "The server's answer has no values.");
  }

  async columns(): Promise<Outcome<readonly Column[]>> {
    const outcome = await this.ask({ all_columns: true });
    if (!outcome.ok) return outcome;
    const columns = asColumns(outcome.value);
    if (!columns) return failed("refused", "The server's answer has no columns.");
    const named = namedAsHere(columns, this.references);
    this.references = new Map([...this.references, ...referencesIn({ columns: named })]);
    return succeeded(named);
  }

  async chart(args: BrowseArguments): Promise<Outcome<ChartReply>> {
    const outcome = await this.ask(args);
    if (!outcome.ok) return outcome;
    const chart = asChart(outcome.value);
    if (!chart) return failed("refused", "The server's answer is not a chart.");
    const asked = args.chart;
    return succeeded(asked ? { ...chart, x: asked.x, y: chart.y === null ? null : asked.y } : chart);
  }

  private async ask(args: BrowseArguments): Promise<Outcome<unknown>> {
    const asked = inPaths(args, this.references);
    const outcome = await callBrowse(
      this.call,
      this.info,
      this.path === "" ? asked : { ...asked, path: this.path },
    );
    // An order may end before the result does: then only the order is gone.
    if (outcome.ok || outcome.failure.kind !== "gone" || args.order !== undefined) return outcome;
    this.life.end(outcome.failure);
    return failed("gone", EXPIRED);
  }
}
