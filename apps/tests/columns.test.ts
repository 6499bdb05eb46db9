/** The columns of a table, first as some rows have them, then as all do. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { namedAsHere, referencesIn } from "../explorer/asking.ts";
import { extended, fieldsOf } from "../explorer/columns.ts";
import type { Column, Reply } from "../explorer/contract.ts";

const page = (columns: readonly Column[]): Reply => ({
  shape: "rows",
  path: "",
  total: 0,
  start: 0,
  rows: [],
  columns,
});

const names = (some: readonly Column[], all: readonly Column[]) =>
  extended(fieldsOf(page(some)), "rows", all).map(({ name, type }) => [name, type]);

test("columns that few rows have join those of the same object, and an empty column leaves for its members", () => {
  const some = [
    { name: "id", type: "int" },
    { name: "p.a", type: "int", path: ["p", "a"] },
    { name: "m", type: "null" },
    { name: "note", type: "null" },
  ];
  const all = [
    { name: "id", type: "int" },
    { name: "p.a", type: "int", path: ["p", "a"] },
    { name: "note", type: "date" },
    { name: "m.title", type: "str", path: ["m", "title"] },
    { name: "p.b", type: "int", path: ["p", "b"] },
  ];
  assert.deepEqual(names(some, all), [
    ["id", "int"],
    ["p.a", "int"],
    ["p.b", "int"],
    ["note", "date"],
    ["m.title", "str"],
  ]);
});

test("a column that the server had no time to look at stays as the first rows have it", () => {
  const some: readonly Column[] = [
    { name: "at", type: "date", epoch: "seconds" },
    { name: "p", type: "str" },
  ];
  const all: readonly Column[] = [
    { name: "at", type: "" },
    { name: "p", type: "" },
    { name: "p.a", type: "", path: ["p", "a"] },
  ];
  const fields = extended(fieldsOf(page(some)), "rows", all);
  assert.deepEqual(
    fields.map(({ name, type, epoch }) => [name, type, epoch]),
    [
      ["at", "date", "seconds"],
      ["p", "str", undefined],
      ["p.a", "", undefined],
    ],
  );
});

test("a text that holds a list stays a text, and a list a list", () => {
  const type = (known: string, told: string) => names([{ name: "x", type: known }], [{ name: "x", type: told }])[0]?.[1];
  assert.equal(type("str", "list"), "str");
  assert.equal(type("str", "list|str"), "str");
  assert.equal(type("list", "list|str"), "list|str");
  assert.equal(type("null", "list"), "list");
});

test("a column keeps the name that it has here, and a new one gets a name of its own", () => {
  const here = referencesIn({
    columns: [
      { name: "a.b", type: "int", path: ["a", "b"] },
      { name: "a.b_2", type: "int", path: ["a.b"] },
    ],
  });
  const told = [
    { name: "a.b", type: "int", path: ["a.b"] },
    { name: "a.b_2", type: "int", path: ["a", "b"] },
    { name: "a.b", type: "int", path: ["a.b", "c"] },
    { name: "n", type: "int" },
  ];
  assert.deepEqual(
    namedAsHere(told, here).map((column) => [column.name, column.path]),
    [
      ["a.b_2", ["a.b"]],
      ["a.b", ["a", "b"]],
      ["a.b_3", ["a.b", "c"]],
      ["n", undefined],
    ],
  );
});
