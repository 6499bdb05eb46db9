// The official TypeScript client, for a script of steps.
//
//   node client.mjs [--era legacy|modern|auto] (--url URL | -- COMMAND ARGUMENT...)
//
// Standard input is a JSON array of {"method": ..., "params": ...}, named as on the wire. For each,
// one line goes out: {"result": ...} or {"error": ...}. The method "connection" tells what the
// two sides agreed on. What a server asks of the client is declined.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { parseArgs } from "node:util";
import { text } from "node:stream/consumers";

const MODERN = "2026-07-28";
const NEGOTIATION = { legacy: "legacy", modern: { pin: MODERN }, auto: "auto" };

// Through the client's own verbs, because these check what comes: output schemas, for one.
const VERBS = {
  connection: (client) => ({
    era: client.getProtocolEra(),
    version: client.getNegotiatedProtocolVersion(),
    server: client.getServerVersion(),
    capabilities: client.getServerCapabilities(),
    instructions: client.getInstructions(),
  }),
  "tools/list": (client, params) => client.listTools(params),
  "tools/call": (client, params) => client.callTool(params),
  "resources/list": (client, params) => client.listResources(params),
  "resources/templates/list": (client, params) => client.listResourceTemplates(params),
  "resources/read": (client, params) => client.readResource(params),
  "prompts/list": (client, params) => client.listPrompts(params),
  "prompts/get": (client, params) => client.getPrompt(params),
  "completion/complete": (client, params) => client.complete(params),
};

function transportTo({ url, command }) {
  if (url) return new StreamableHTTPClientTransport(new URL(url));
  const [program, ...args] = command;
  return new StdioClientTransport({ command: program, args, env: process.env, stderr: "inherit" });
}

function clientOf(era) {
  const client = new Client(
    { name: "penstock-tests", version: "1" },
    {
      capabilities: { elicitation: {}, roots: {} },
      versionNegotiation: { mode: NEGOTIATION[era] },
    },
  );
  client.setRequestHandler("elicitation/create", () => ({ action: "decline" }));
  client.setRequestHandler("roots/list", () => ({ roots: [] }));
  return client;
}

async function outcomeOf(client, { method, params }) {
  try {
    return { result: await VERBS[method](client, params) };
  } catch (error) {
    const { name, message, code, data } = error;
    return { error: { name, message, code, data } };
  }
}

const { values, positionals } = parseArgs({
  options: { era: { type: "string", default: "auto" }, url: { type: "string" } },
  allowPositionals: true,
});
const steps = JSON.parse(await text(process.stdin));
const client = clientOf(values.era);
await client.connect(transportTo({ url: values.url, command: positionals }));
try {
  for (const step of steps) console.log(JSON.stringify(await outcomeOf(client, step)));
} finally {
  await client.close();
}
