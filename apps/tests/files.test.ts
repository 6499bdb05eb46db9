import assert from "node:assert/strict";
import { test } from "node:test";

import { csvRecord, harmless } from "../explorer/csv.ts";
import { Exact, MISSING, Raw } from "../explorer/values.ts";
import { type BrowseArguments, type Outcome, type Reply, succeeded } from "../explorer/contract.ts";
import { writeExact } from "../explorer/exactjson.ts";
import { fileName } from "../explorer/files.ts";
import { readRows } from "../explorer/whole.ts";
import { furtherFields } from "../explorer/further.ts";
import { fieldsOf } from "../explorer/columns.ts";
import { reply } from "./support.ts";

test("cells are quoted as RFC 4180 says", () => {
  assert.equal(
    csvRecord(["a", 'say "b"', "c,d", "e\nf", "", null, MISSING, true, 1.5]),
    'a,"say ""b""","c,d","e\nf",,,,true,1.5\r\n',
  );
});

test("numbers are exact and nested values are JSON", () => {
  assert.equal(
    csvRecord([new Exact("123456789012345678901"), [1, { a: "b" }], new Raw('{"n": 1.0}')]),
    '123456789012345678901,"[1,{""a"":""b""}]","{""n"": 1.0}"\r\n',
  );
  assert.equal(csvRecord([new Raw('"=1+1"')]), "'=1+1\r\n");
});

test("formulas are made harmless, numbers are left alone", () => {
  for (const formula of ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\tx", "\rx", "＝1"])
    assert.equal(harmless(formula), `'${formula}`);
  for (const plain of ["-1.5", "+3", "-1e-7", "a=b", "", "-.5", "2026-01-01"])
    assert.equal(harmless(plain), plain);
});

test("a file's name has nothing that a file system minds", () => {
  assert.equal(fileName("../../etc/pass wd", "csv"), "etc-pass-wd.csv");
  assert.equal(fileName("", "json"), "result.json");
});

test("columns that only later rows have are in a file of columns too", () => {
  const rows = [{ id: 1, in: { a: 1 } }, { id: 2, in: { a: 2, rare: { b: "x" } }, map: null }, { id: 3, in: "text" }];
  const columns = [
    { name: "id", type: "int" },
    { name: "in.a", type: "int", path: ["in", "a"] },
  ];
  const known = fieldsOf(reply(rows, { columns }));
  const found = furtherFields(
    rows.map((value, number) => ({ value, number })),
    known,
    "rows",
  );
  assert.deepEqual(
    found.map((field) => [field.label, ...rows.map((row) => field.read(row))]),
    [
      ["in.rare.b", MISSING, "x", MISSING],
      ["in", { a: 1 }, { a: 2, rare: { b: "x" } }, "text"],
    ],
  );
});

/** Rows in pages of two; the second cell of row 1 and all of row 3 are cut. */
function server() {
  const whole = [
    { id: 1, body: "x" },
    { id: 2, body: "long ".repeat(10) },
    { id: 3, body: "y" },
    { id: 4, body: "z" },
  ];
  const asked: BrowseArguments[] = [];
  const at = (path: string) => ({
    can: [],
    path,
    chart: () => Promise.reject(new Error("none")),
    values: () => Promise.reject(new Error("none")),
    columns: () => Promise.reject(new Error("none")),
    browse: (args: BrowseArguments): Promise<Outcome<Reply>> => {
      asked.push({ ...args, path });
      if (args.raw) {
        const json = path === "/3" ? '{"id": 4.0, "body": "z"}' : JSON.stringify(whole[1]?.body);
        const from = args.offset ?? 0;
        const to = Math.min(from + 20, json.length);
        return Promise.resolve(
          succeeded(
            reply([json.slice(from, to)], {
              shape: "text",
              window: { from, to, of: json.length },
            }),
          ),
        );
      }
      const start = args.start ?? 0;
      const rows = whole
        .slice(start, start + 2)
        .map((row) => (row.id === 2 ? { ...row, body: "long " } : row.id === 4 ? "{" : row));
      const cut =
        start === 0
          ? { row: 1, column: "body", path: "/1/body", size: 50, type: "str" }
          : { row: 1, column: null, path: "/3", size: 50, type: "dict" };
      return Promise.resolve(succeeded(reply(rows, { start, total: 4, cut: [cut] })));
    },
  });
  return { at, asked };
}

test("all rows are read, and what was cut comes whole, as it is spelled", async () => {
  const { at } = server();
  const counts: number[] = [];
  const outcome = await readRows(
    at(""),
    {},
    { at, progress: (rows) => counts.push(rows), signal: new AbortController().signal },
  );
  assert.ok(outcome.ok);
  const lines = outcome.value.map((row) => writeExact(row.value));
  assert.deepEqual(lines, [
    '{"id":1,"body":"x"}',
    `{"id":2,"body":"${"long ".repeat(10)}"}`,
    '{"id":3,"body":"y"}',
    '{"id":4.0,"body":"z"}',
  ]);
  assert.deepEqual([...new Set(counts)], [2, 4]);
});

test("a cancelled download asks no more", async () => {
  const { at, asked } = server();
  const abort = new AbortController();
  const outcome = await readRows(at(""), {}, { at, progress: () => abort.abort(), signal: abort.signal });
  assert.ok(!outcome.ok);
  assert.ok(asked.filter((args) => !args.raw).length <= 2);
});
