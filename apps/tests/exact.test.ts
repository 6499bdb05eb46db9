import assert from "node:assert/strict";
import { test } from "node:test";

import { arrange } from "../explorer/arrange.ts";
import { parseExact, writeExact } from "../explorer/exactjson.ts";
import { Cut, Exact, MISSING, isDict, member } from "../explorer/values.ts";
import { reply } from "./support.ts";

test("JSON comes back as it was, digit for digit", () => {
  for (const json of [
    "123456789012345678901234567890",
    '{"id":9007199254740993,"x":[1.0,0.1,1e400,-0.0,true,false,null]}',
    '{"__proto__":1,"constructor":{"a":[]},"":{}}',
    '"\\u2028 </script> \\\\"',
    "[]",
  ]) {
    assert.equal(writeExact(parseExact(json)).replaceAll("\u2028", "\\u2028"), json);
  }
});

test("what is not JSON is refused", () => {
  for (const text of ["", "[1,]", "{a:1}", "01", "nul", '"a', "[1] 2", "NaN"])
    assert.throws(() => parseExact(text), SyntaxError, text);
});

test("exact numbers and cut cells are put where they belong, in the order of the keys", () => {
  const rows = [
    { id: 1e29, name: "a" },
    { name: "b", body: "begins" },
  ];
  const arranged = arrange(
    reply(rows, {
      exact: [{ row: 0, column: "id", text: "100000000000000000000000000001" }],
      cut: [{ row: 1, column: "body", path: "/1/body", size: 10_000, type: "str" }],
      numbers: [7, 3],
    }),
  );
  assert.equal(writeExact(arranged[0]?.value ?? null), '{"id":100000000000000000000000000001,"name":"a"}');
  const body = member(arranged[1]?.value, "body");
  assert.ok(body instanceof Cut && body.preview === "begins" && body.path === "/1/body");
  assert.deepEqual(
    arranged.map((row) => row.number),
    [7, 3],
  );
  assert.equal(rows[0]?.id, 1e29, "the reply itself is left alone");
});

test("nested values with exact numbers, members, whole rows and NaN", () => {
  const [nested] = arrange(
    reply([{ a: { n: 0 } }], { exact: [{ row: 0, column: "a", text: '{"n":12345678901234567890}' }] }),
  );
  assert.equal(writeExact(nested?.value ?? null), '{"a":{"n":12345678901234567890}}');
  const [pair] = arrange(
    reply([{ key: "k", value: 1 }], { shape: "members", exact: [{ row: 0, column: null, text: "NaN" }] }),
  );
  const value = member(pair?.value, "value");
  assert.ok(value instanceof Exact && value.text === "NaN");
  const [line] = arrange(
    reply(["start"], {
      shape: "lines",
      cut: [{ row: 0, column: null, path: "/0", size: 5_000, type: "str" }],
    }),
  );
  assert.ok(line?.value instanceof Cut);
});

test("own keys only: a column may be called anything", () => {
  const row = JSON.parse('{"__proto__": "p"}') as object;
  assert.equal(member(row as never, "__proto__"), "p");
  assert.equal(member(row as never, "toString"), MISSING);
  assert.ok(isDict(row as never));
});

test("an entry's key and a column called key or value are told apart", () => {
  const rows = [{ key: "begi", value: { key: "inne", value: "0" } }];
  const cut = (path: string) => ({ row: 0, column: "key", path, size: 5_000, type: "str" });
  const [entry] = arrange(
    reply(rows, {
      shape: "members",
      cut: [cut("/~#0/key"), cut("/~#0/value/key")],
      exact: [{ row: 0, column: "value", text: "12345678901234567890" }],
    }),
  );
  const inner = member(entry?.value, "value");
  const keys = [member(entry?.value, "key"), member(inner as never, "key")];
  assert.deepEqual(
    keys.map((one) => (one instanceof Cut ? one.preview : one)),
    ["begi", "inne"],
  );
  const number = member(inner as never, "value");
  assert.ok(number instanceof Exact && number.text === "12345678901234567890");
});
