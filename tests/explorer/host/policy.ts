// The rights of a view: those that its UI resource declares, and no others (MCP Apps, revision
// 2026-01-26, "Host Behavior" and "Sandbox proxy").

import type { McpUiResourceCsp, McpUiResourcePermissions } from "@modelcontextprotocol/ext-apps/app-bridge";

/** The Content Security Policy. */
export function policyOf(declared: McpUiResourceCsp = {}): string {
  const { connectDomains = [], resourceDomains = [], frameDomains = [], baseUriDomains = [] } = declared;
  const directives: Record<string, string[]> = {
    "default-src": ["'none'"],
    "script-src": ["'self'", "'unsafe-inline'", ...resourceDomains],
    "style-src": ["'self'", "'unsafe-inline'", ...resourceDomains],
    "img-src": ["'self'", "data:", ...resourceDomains],
    "media-src": ["'self'", "data:", ...resourceDomains],
    "font-src": resourceDomains,
    "connect-src": connectDomains,
    "frame-src": frameDomains,
    "base-uri": baseUriDomains.length ? baseUriDomains : ["'self'"],
    "object-src": ["'none'"],
  };
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources.length ? sources.join(" ") : "'none'"}`)
    .join("; ");
}

/** The `allow` attribute of a frame. */
export function allowanceOf(permissions: McpUiResourcePermissions = {}): string {
  const named = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return Object.keys(permissions).map(named).join("; ");
}
