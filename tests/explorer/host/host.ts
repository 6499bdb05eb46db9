// A small host: a page with a real MCP client. It shows a tool's UI resource in a sandbox, and
// records everything that the view asks for. Tests drive it through `window.host`.

import {
  AppBridge,
  PostMessageTransport,
  getToolUiResourceUri,
  type McpUiHostCapabilities,
  type McpUiHostContext,
  type McpUiResourceMeta,
} from "@modelcontextprotocol/ext-apps/app-bridge";
import { Client, StreamableHTTPClientTransport, type CallToolResult, type Tool } from "@modelcontextprotocol/client";
import { allowanceOf } from "./policy";

const EXTENSION = "io.modelcontextprotocol/ui";
const MIME = "text/html;profile=mcp-app";
const NEGOTIATION = { legacy: "legacy", modern: { pin: "2026-07-28" } } as const;
const CAPABILITIES: McpUiHostCapabilities = {
  serverTools: {},
  openLinks: {},
  downloadFile: {},
  logging: {},
  updateModelContext: { text: {}, structuredContent: {} },
  message: { text: {} },
};

interface Showing {
  arguments: Record<string, unknown>;
  sandbox?: string;
  context?: McpUiHostContext;
  without?: (keyof McpUiHostCapabilities)[];
  /** Whether the view gets the permissions that its resource declares. */
  grants?: boolean;
  /** A result that the view gets in place of the tool's result. */
  replacement?: CallToolResult;
}

const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length;

class Host {
  readonly record = {
    calls: [] as { name: string; arguments: Record<string, unknown>; bytes: number; reply: unknown }[],
    modelContext: [] as unknown[],
    downloads: [] as unknown[],
    links: [] as string[],
    messages: [] as unknown[],
    sizes: [] as unknown[],
    modes: [] as string[],
    resource: {} as { html?: number; mimeType?: string; meta?: unknown },
  };
  private client!: Client;
  private tools: Tool[] = [];
  private bridge!: AppBridge;
  private context: McpUiHostContext = {};
  private frame!: HTMLIFrameElement;

  /** Connects, and returns the agreed era and version, and the names of all tools. */
  async connect(url: string, era: keyof typeof NEGOTIATION) {
    const capabilities = { extensions: { [EXTENSION]: { mimeTypes: [MIME] } } };
    const versionNegotiation = { mode: NEGOTIATION[era] };
    this.client = new Client({ name: "host", version: "1" }, { capabilities, versionNegotiation });
    await this.client.connect(new StreamableHTTPClientTransport(new URL(url)));
    this.tools = (await this.client.listTools()).tools;
    return { version: this.client.getNegotiatedProtocolVersion(), tools: this.tools };
  }

  call(name: string, args: Record<string, unknown>) {
    return this.client.callTool({ name, arguments: args });
  }

  /** Calls a tool that has a view, and shows the view; done when the view has its result. */
  async show(name: string, showing: Showing): Promise<CallToolResult> {
    const tool = this.tools.find((candidate) => candidate.name === name);
    if (!tool) throw new Error(`There is no tool ${name}`);
    const { contents } = await this.client.readResource({ uri: getToolUiResourceUri(tool)! });
    const { text, mimeType, _meta } = contents[0] as { text: string; mimeType: string; _meta?: { ui?: McpUiResourceMeta } };
    this.record.resource = { html: text.length, mimeType, meta: _meta };
    const ready = this.mount(tool, text, _meta?.ui ?? {}, showing);
    const result = (await this.call(name, showing.arguments)) as CallToolResult;
    await ready;
    performance.mark("result");
    await this.bridge.sendToolInput({ arguments: showing.arguments });
    await this.bridge.sendToolResult(showing.replacement ?? result);
    return result;
  }

  /** Merges changes into the host's context, as a switch of the theme does. */
  change(changes: McpUiHostContext) {
    this.context = { ...this.context, ...changes };
    this.bridge.setHostContext(this.context);
  }

  private async mount(tool: Tool, html: string, meta: McpUiResourceMeta, showing: Showing) {
    const capabilities = { ...CAPABILITIES };
    for (const name of showing.without ?? []) delete capabilities[name];
    this.context = { toolInfo: { tool }, theme: "light", displayMode: "inline", availableDisplayModes: ["inline", "fullscreen"], ...showing.context };
    this.bridge = new AppBridge(null, { name: "host", version: "1" }, capabilities, { hostContext: this.context });
    this.answer();
    this.frame = document.createElement("iframe");
    this.frame.title = "Sandbox";
    this.frame.setAttribute("sandbox", `allow-scripts allow-same-origin${downloads(showing.sandbox)}`);
    const permissions = showing.grants === false ? undefined : meta.permissions;
    this.frame.allow = allowanceOf(permissions);
    const sandboxed = new Promise<void>((done) => (this.bridge.onsandboxready = () => done()));
    const initialized = new Promise<void>((done) => (this.bridge.oninitialized = () => done()));
    document.body.replaceChildren(this.frame);
    await this.bridge.connect(new PostMessageTransport(this.frame.contentWindow!, this.frame.contentWindow!));
    this.frame.src = new URL(location.hash.slice(1)).href;
    await sandboxed;
    await this.bridge.sendSandboxResourceReady({ html, csp: meta.csp, permissions, sandbox: showing.sandbox });
    await initialized;
  }

  /** Answers everything that a view may ask. The bridge refuses what this host does not offer. */
  private answer() {
    const { bridge, record } = this;
    bridge.oncalltool = (params) => this.callFromView(params.name, params.arguments ?? {});
    bridge.onupdatemodelcontext = async (params) => (record.modelContext.push(params), {});
    bridge.ondownloadfile = async (params) => (record.downloads.push(params), {});
    bridge.onopenlink = async ({ url }) => (record.links.push(url), {});
    bridge.onmessage = async (params) => (record.messages.push(params), {});
    bridge.onrequestdisplaymode = async ({ mode }) => {
      record.modes.push(mode);
      this.change({ displayMode: mode });
      if (mode === "fullscreen") this.frame.style.height = "100vh";
      return { mode };
    };
    bridge.onsizechange = (size) => {
      record.sizes.push(size);
      if (size.height && this.context.displayMode === "inline") this.frame.style.height = `${size.height}px`;
    };
  }

  private async callFromView(name: string, args: Record<string, unknown>) {
    const tool = this.tools.find((candidate) => candidate.name === name);
    const visibility = (tool?._meta?.ui as { visibility?: string[] })?.visibility ?? ["model", "app"];
    if (!tool || !visibility.includes("app")) throw new Error(`The view may not call ${name}`);
    const entry = { name, arguments: args, bytes: 0, reply: null as unknown };
    this.record.calls.push(entry);
    const result = (await this.call(name, args)) as CallToolResult;
    entry.bytes = bytesOf(result);
    entry.reply = result.structuredContent ?? null;
    return result;
  }
}

/** A frame cannot give what the frames around it do not have. */
function downloads(sandbox = ""): string {
  return sandbox.includes("allow-downloads") ? " allow-downloads" : "";
}

Object.assign(window, { host: new Host() });
