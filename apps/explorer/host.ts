/** The host around the app: what it can do, how it looks, and the calls to it. */

import {
  App,
  type McpUiHostContext,
  applyDocumentTheme,
  applyHostFonts,
  applyHostStyleVariables,
} from "@modelcontextprotocol/ext-apps";
import { signal } from "@preact/signals";

import type { CallTool, ToolAnswer } from "./remote.ts";
import type { ContextMessage } from "./send.ts";

export type HostContext = McpUiHostContext;

export interface HostEvents {
  toolInput(args: Readonly<Record<string, unknown>>): void;
  toolResult(result: ToolAnswer): void;
  toolCancelled(reason: string): void;
}

export class Host {
  readonly context = signal<HostContext>({});
  readonly theme = signal<"light" | "dark">(systemTheme());
  private readonly app = new App(
    { name: "penstock-result-explorer", version: "1.0.0" },
    { availableDisplayModes: ["inline", "fullscreen"] },
    { autoResize: false },
  );
  private height = 0;
  private isConnected = false;

  async connect(events: HostEvents): Promise<void> {
    this.app.addEventListener("toolinput", (params) => events.toolInput(params.arguments ?? {}));
    this.app.addEventListener("toolresult", (params) => events.toolResult(params));
    this.app.addEventListener("toolcancelled", (params) => events.toolCancelled(params.reason ?? ""));
    this.app.addEventListener("hostcontextchanged", (params) =>
      this.follow({ ...this.context.peek(), ...params }),
    );
    this.app.onteardown = () => ({});
    await this.app.connect();
    this.isConnected = true;
    if (this.height > 0) void this.app.sendSizeChanged({ height: this.height });
    this.follow(this.app.getHostContext() ?? {});
    matchMedia(DARK).addEventListener("change", () => this.follow(this.context.peek()));
  }

  readonly call: CallTool = (name, args) => this.app.callServerTool({ name, arguments: args });

  /** The tool that this app was opened for, where the host says it. */
  get toolName(): string | undefined {
    return this.context.peek().toolInfo?.tool.name;
  }

  get canUpdateContext(): boolean {
    return this.app.getHostCapabilities()?.updateModelContext !== undefined;
  }

  get canDownload(): boolean {
    return this.app.getHostCapabilities()?.downloadFile !== undefined;
  }

  get canMessage(): boolean {
    return this.app.getHostCapabilities()?.message !== undefined;
  }

  get canGoFullScreen(): boolean {
    return this.context.value.availableDisplayModes?.includes("fullscreen") ?? false;
  }

  get isFullScreen(): boolean {
    return this.context.value.displayMode === "fullscreen";
  }

  async updateContext(message: ContextMessage): Promise<void> {
    await this.app.updateModelContext({ content: message.content.map((block) => ({ ...block })) });
  }

  /** False where the host refused, or the person did. */
  async download(name: string, mimeType: string, text: string): Promise<boolean> {
    const resource = { uri: `file:///${encodeURIComponent(name)}`, mimeType, text };
    const answer = await this.app.downloadFile({ contents: [{ type: "resource", resource }] });
    return answer.isError !== true;
  }

  async say(text: string): Promise<boolean> {
    const answer = await this.app.sendMessage({ role: "user", content: [{ type: "text", text }] });
    return answer.isError !== true;
  }

  async toggleFullScreen(): Promise<void> {
    const { mode } = await this.app.requestDisplayMode({
      mode: this.isFullScreen ? "inline" : "fullscreen",
    });
    this.context.value = { ...this.context.peek(), displayMode: mode };
  }

  /** Asks the host for so many pixels; a host with a fixed height need not be asked. */
  wantHeight(height: number): void {
    if (height === this.height) return;
    this.height = height;
    if (this.isConnected) void this.app.sendSizeChanged({ height });
  }

  private follow(context: HostContext): void {
    this.context.value = context;
    const theme = context.theme ?? systemTheme();
    this.theme.value = theme;
    applyDocumentTheme(theme);
    if (context.styles?.variables) applyHostStyleVariables(context.styles.variables);
    if (context.styles?.css?.fonts) applyHostFonts(context.styles.css.fonts);
    const insets = context.safeAreaInsets;
    for (const side of ["top", "right", "bottom", "left"] as const) {
      document.documentElement.style.setProperty(`--safe-${side}`, `${insets?.[side] ?? 0}px`);
    }
  }
}

const DARK = "(prefers-color-scheme: dark)";

/** For hosts that do not say theirs. */
function systemTheme(): "light" | "dark" {
  return matchMedia(DARK).matches ? "dark" : "light";
}
