/** A long string, read a window at a time. */

import type { Failure, Reply } from "./contract.ts";
import type { Source } from "./source.ts";

export class TextWindows {
  readonly parts: string[] = [];
  failure: Failure | null = null;
  isLoading = false;
  /** Characters (code points) here, and in all. */
  here = 0;
  total = 0;

  constructor(
    private readonly source: Source,
    first: Reply,
    private readonly changed: () => void,
  ) {
    this.take(first);
  }

  get isWhole(): boolean {
    return this.here >= this.total;
  }

  private running: Promise<void> | null = null;

  async more(): Promise<void> {
    if (this.isWhole) return;
    this.running ??= this.load().finally(() => (this.running = null));
    await this.running;
  }

  private async load(): Promise<void> {
    this.isLoading = true;
    this.changed();
    const outcome = await this.source.browse({ offset: this.here });
    this.isLoading = false;
    this.failure = outcome.ok ? null : outcome.failure;
    if (outcome.ok) this.take(outcome.value);
    this.changed();
  }

  /** All that is left, window after window. */
  async rest(): Promise<void> {
    this.failure = this.failure?.kind === "gone" ? this.failure : null;
    while (!this.isWhole && !this.failure) await (this.running ?? this.more());
  }

  private take(reply: Reply): void {
    const part = reply.rows[0];
    const text = typeof part === "string" ? part : JSON.stringify(part ?? null);
    this.parts.push(text);
    this.here = reply.window?.to ?? text.length;
    this.total = reply.window?.of ?? text.length;
  }
}
