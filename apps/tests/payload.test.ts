import assert from "node:assert/strict";
import { test } from "node:test";

import { describe, readPayload } from "../payload/payload.ts";

const text = (words: string) => ({ content: [{ type: "text", text: words }] });

test("rows are taken from structuredContent before the text", () => {
  const payload = readPayload({
    structuredContent: { rows: [{ a: 1 }], truncated: 4, columns_dropped: 12 },
    ...text("[]"),
  });
  assert.deepEqual(payload, { kind: "rows", rows: [{ a: 1 }], truncated: 4, columnsDropped: 12 });
  assert.equal(describe(payload), "Showing 1 of 5 rows; 12 columns left out.");
});

test("rows are taken from the text where there is nothing else", () => {
  assert.deepEqual(readPayload(text('[{"a":1},{"a":2}]')), {
    kind: "rows",
    rows: [{ a: 1 }, { a: 2 }],
    truncated: 0,
    columnsDropped: 0,
  });
  assert.equal(
    describe(readPayload(text('{"rows":[{},{}],"truncated":0,"columns_dropped":0}'))),
    "Showing 2 rows.",
  );
});

test("numbers are told with their thousands", () => {
  const rows = Array.from({ length: 1_200 }, () => ({}));
  assert.equal(
    describe(readPayload({ structuredContent: { rows, truncated: 3_800, columns_dropped: 12 } })),
    "Showing 1,200 of 5,000 rows; 12 columns left out.",
  );
});

// Wordings reported by users of hosts; the paths are made up.
const NOTES: ReadonlyArray<readonly [string, string | undefined, string | undefined]> = [
  [
    "Error: result (179,889 characters) exceeds maximum allowed tokens. Output has been saved to /home/ann/.cache/results/x-17.txt.\nFormat: JSON",
    "/home/ann/.cache/results/x-17.txt",
    "179,889 characters",
  ],
  [
    'MCP tool "codex" response (94702 tokens) exceeds maximum allowed tokens (25000). Please use pagination, filtering, or limit parameters to reduce the response size',
    undefined,
    "94702 tokens",
  ],
  [
    '<persisted-output>\nOutput too large (63.3KB). Full output saved to: /home/ann/results/b.txt\n\nPreview (first 2KB):\n[{"a":1}',
    "/home/ann/results/b.txt",
    "63.3KB",
  ],
  [
    "Tool output was too large and has been truncated.\nThe full output has been saved to: /var/cache/out.txt\nTo read the complete output, use the read_file tool",
    "/var/cache/out.txt",
    undefined,
  ],
  [
    "Output too large to read at once (55.3 KB). Saved to: C:\\Users\\Ann Lee\\copilot-tool-output-1.txt\nConsider using tools like grep",
    "C:\\Users\\Ann Lee\\copilot-tool-output-1.txt",
    "55.3 KB",
  ],
  [
    "Tool result too large for context, stored at /mnt/results/r.json. Use grep to look into it",
    "/mnt/results/r.json",
    undefined,
  ],
  [
    "Large tool result (54KB) written to file. Use the read_file tool to access the content at: /home/ann/content.txt",
    "/home/ann/content.txt",
    "54KB",
  ],
];

for (const [words, path, size] of NOTES) {
  test(`a host's note is told from a result: ${words.slice(0, 40)}`, () => {
    const payload = readPayload(text(words));
    assert.equal(payload.kind, "replaced");
    assert.ok(payload.kind === "replaced");
    assert.equal(payload.path, path);
    assert.equal(payload.size, size);
    assert.match(payload.message, /too large for this app's host/);
    assert.equal(describe(payload), payload.message);
  });
}

test("a note in the place of structuredContent is told as well", () => {
  const note = NOTES[0]?.[0] as string;
  assert.equal(readPayload({ structuredContent: note }).kind, "replaced");
  assert.equal(readPayload({ structuredContent: { result: note } }).kind, "replaced");
});

test("JSON that ends early is not taken for text", () => {
  const payload = readPayload(text('{"rows":[{"a":1},{"a"'));
  assert.equal(payload.kind, "broken");
  assert.match(describe(payload), /ends early, after 21 characters/);
});

test("data that speaks of large files is data", () => {
  const rows = [{ log: "Output too large (63KB). Full output saved to: /x/y" }];
  assert.equal(readPayload(text(JSON.stringify(rows))).kind, "rows");
  assert.equal(readPayload({ structuredContent: { rows } }).kind, "rows");
  assert.deepEqual(readPayload(text("The file was too large for me.")), {
    kind: "other",
    value: "The file was too large for me.",
  });
});

test("a failed tool says what it said", () => {
  assert.equal(
    describe(readPayload({ isError: true, ...text('{"error":"No such table","next_step":"x"}') })),
    "The tool failed: No such table",
  );
  assert.equal(describe(readPayload({ isError: true, content: [] })), "The tool failed without saying why.");
});

test("nothing at all is no reason to throw", () => {
  for (const nothing of [
    null,
    undefined,
    {},
    { content: "x" },
    { content: [null, 3] },
    { structuredContent: null },
  ]) {
    assert.equal(readPayload(nothing as never).kind, "broken");
  }
  assert.deepEqual(readPayload({ structuredContent: 3 }), { kind: "other", value: 3 });
});

test("Penstock's own probe is told, not taken for data", () => {
  const probe = { preview: "[", continuation_token: "pen_x", available_modes: ["sql"], count: 5 };
  assert.equal(readPayload({ structuredContent: probe }).kind, "replaced");
  assert.equal(readPayload({ content: [{ type: "text", text: JSON.stringify(probe) }] }).kind, "replaced");
});
