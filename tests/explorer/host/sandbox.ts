// The sandbox proxy of the MCP Apps specification: a page of another origin than the host's, which
// puts the view into a frame of its own, under its policy, and passes messages on, both ways.

import type { McpUiSandboxResourceReadyNotification } from "@modelcontextprotocol/ext-apps/app-bridge";
import { allowanceOf, policyOf } from "./policy";

const OWN = "ui/notifications/sandbox-";
const view = document.createElement("iframe");
view.name = "view";
view.title = "View";

function load({ html, sandbox, csp, permissions }: McpUiSandboxResourceReadyNotification["params"]): void {
  // Without allow-same-origin the view has an opaque origin.
  view.setAttribute("sandbox", sandbox ?? "allow-scripts");
  view.allow = allowanceOf(permissions);
  const policy = `<meta http-equiv="Content-Security-Policy" content="${policyOf(csp)}">`;
  const head = /<head[^>]*>/i;
  view.srcdoc = head.test(html) ? html.replace(head, (tag) => tag + policy) : policy + html;
  document.body.append(view);
}

addEventListener("message", ({ source, data }) => {
  const isOwn = String(data?.method ?? "").startsWith(OWN);
  if (source === view.contentWindow && !isOwn) parent.postMessage(data, "*");
  if (source !== parent) return;
  if (data?.method === `${OWN}resource-ready`) load(data.params);
  else if (!isOwn) view.contentWindow?.postMessage(data, "*");
});

parent.postMessage({ jsonrpc: "2.0", method: `${OWN}proxy-ready`, params: {} }, "*");
