/** The columns of a view: which there are, which are shown, and how wide they are. */

import { type Row, arrange } from "./arrange.ts";
import { brief } from "./cell.ts";
import type { Column, ColumnPath, EpochUnit, Reply, Shape } from "./contract.ts";
import { widthOfText } from "./measure.ts";
import { clip } from "./text.ts";
import { type Cell, Cut, MISSING, type Value, isDict, isList, member } from "./values.ts";

/** A column as it is drawn. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly type: string;
  /** Whether the server knows it by its name: then it can be left out. */
  readonly isNamed: boolean;
  /** Whether the server can sort and filter by it. An object is no cell: its members are columns. */
  readonly isAskable: boolean;
  /** From a row to the cell, if the cell has a path of its own. */
  readonly path?: ColumnPath;
  readonly epoch?: EpochUnit;
  read(value: Value): Cell;
}

/** How many rows are looked at for the width of a column, and how much of a cell. */
const SAMPLE = 50;
const GLANCE = 60;
const PADDING = 26;
const NARROWEST = 60;
const WIDEST = 320;

export function fieldsOf(reply: Reply): readonly Field[] {
  const named = (reply.columns ?? []).map((column, index) => fieldOf(reply.shape, column, index === 0));
  if (reply.shape === "members")
    return named.length > 0 && areAlike(reply)
      ? [{ ...keyField, isAskable: true }, ...named]
      : [keyField, memberField];
  return named.length > 0 ? named : [rowField(reply.shape)];
}

/** The columns once all rows have had their say: of a better known type, with others beside them, and
 * without those that only stood for objects. */
export function extended(
  fields: readonly Field[],
  shape: Shape,
  columns: readonly Column[],
): readonly Field[] {
  const told = new Map(columns.map((column) => [column.name, column] as const));
  const kept: Column[] = fields
    .filter((field) => field.isNamed)
    .map((field) => better(field, told.get(field.name)))
    .filter((column) => told.has(column.name) || !columns.some((other) => isWithin(other, column)));
  for (const column of columns) {
    if (fields.some((field) => field.isNamed && field.name === column.name)) continue;
    const last = kept.findLastIndex((other) => pathOf(other)[0] === pathOf(column)[0]);
    kept.splice(last < 0 ? kept.length : last + 1, 0, column);
  }
  const named = kept.map((column, index) => fieldOf(shape, column, index === 0));
  return [...fields.filter((field) => !field.isNamed), ...named];
}

/** A text that holds a list in JSON looks like a list to those who see all rows. The type is empty where
 * the server had no time to look. */
function better(field: Field, told: Column | undefined): Column {
  if (!told?.type) return field;
  const had = typesIn(field.type);
  if (!had.includes("str") || had.includes("list")) return told;
  const types = typesIn(told.type).map((type) => (type === "list" ? "str" : type));
  return { ...told, type: [...new Set(types)].join("|") || told.type };
}

function isWithin(inner: Column, outer: Column): boolean {
  const [path, above] = [pathOf(inner), pathOf(outer)];
  return path.length > above.length && above.every((step, depth) => step === path[depth]);
}

function pathOf(column: Column): ColumnPath {
  return column.path ?? [column.name];
}

/** Members make a table of columns only where each of them is a dict. */
function areAlike(reply: Reply): boolean {
  return arrange(reply).every(({ value }) => {
    const item = member(value, "value");
    return isDict(item) || item instanceof Cut;
  });
}

const keyField: Field = {
  name: "key",
  label: "key",
  type: "str",
  isNamed: false,
  isAskable: false,
  read: (value) => member(value, "key"),
};
const memberField: Field = {
  name: "value",
  label: "value",
  type: "",
  isNamed: false,
  isAskable: false,
  read: (value) => member(value, "value"),
};

function rowField(shape: Shape): Field {
  return {
    name: "",
    label: shape === "lines" ? "line" : "value",
    type: "",
    isNamed: false,
    isAskable: false,
    read: (value) => value,
  };
}

function fieldOf(shape: Shape, column: Column, isFirst: boolean): Field {
  const { name, type, epoch } = column;
  const path = pathOf(column);
  return {
    name,
    label: name,
    type,
    isNamed: true,
    isAskable: type !== "dict",
    path,
    ...(epoch ? { epoch } : {}),
    read: (value) => cellAt(shape === "members" ? member(value, "value") : value, path, isFirst),
  };
}

/** A row among objects may be something else, or may have been cut: then it stands in the first column. */
function cellAt(row: Cell, path: ColumnPath, isFirst: boolean): Cell {
  let cell = row;
  for (const [depth, step] of path.entries()) {
    if (typeof step === "string" && isDict(cell)) cell = member(cell, step);
    else if (typeof step === "number" && isList(cell)) cell = step < cell.length ? (cell[step] as Value) : MISSING;
    else if (cell instanceof Cut && depth > 0) return cell;
    else return isFirst && depth === 0 ? cell : MISSING;
  }
  return cell;
}

/** Room for the sign beside the name of a sorted column. */
const ARROW = 16;

export function widthOf(field: Field, rows: readonly Row[]): number {
  const widest = Math.max(headWidth(field, true), widthOfCells(field, rows.slice(0, SAMPLE)));
  return Math.round(Math.min(WIDEST, Math.max(NARROWEST, widest)));
}

/** Wide enough for the name, bold, and the type beside it, smaller. */
export function headWidth(field: Field, hasType: boolean): number {
  const type = hasType && field.type ? widthOfText(typeLabel(field)) * 0.88 + 6 : 0;
  return widthOfText(field.label) * 1.08 + type + ARROW + PADDING;
}

/** What a column holds, in words for people, without null, which most columns have. */
export function typeLabel(field: Field): string {
  if (field.epoch) return `time in ${field.epoch === "seconds" ? "s" : "ms"}`;
  const words = typesIn(field.type).map((type) => WORDS.get(type) ?? type);
  return [...new Set(words)].join(", ") || field.type;
}

const WORDS: ReadonlyMap<string, string> = new Map([
  ["str", "text"],
  ["int", "number"],
  ["float", "number"],
  ["bool", "yes/no"],
  ["dict", "object"],
]);

export function widthOfCells(field: Field, rows: readonly Row[]): number {
  let widest = 0;
  for (const { value } of rows) {
    const { kind, text } = brief(field.read(value));
    const badge = kind === "cut" ? 90 : kind === "dict" || kind === "list" ? 14 : 0;
    widest = Math.max(widest, widthOfText(clip(text, GLANCE)) + badge);
  }
  return widest + PADDING;
}

/** In the font of logs. Past so many characters a line is cut off, and opens. */
const MONOSPACED = 7.3;
export const LONGEST_LINE = 2_000;

export function widthOfLines(rows: readonly Row[]): number {
  let longest = 0;
  for (const { value } of rows)
    if (typeof value === "string") longest = Math.max(longest, Math.min(value.length, LONGEST_LINE));
  return Math.round(longest * MONOSPACED + PADDING);
}

export function isNumeric(type: string): boolean {
  return typesIn(type).some((one) => one === "int" || one === "float");
}

export function isDate(type: string): boolean {
  return typesIn(type).includes("date");
}

export function typesIn(type: string): readonly string[] {
  return type.split("|").filter((one) => one !== "" && one !== "null");
}
