/** JSON without loss: numbers that a double cannot hold stay as they were spelled. */

import { Cut, Exact, Raw, type Value, dictOf, isList } from "./values.ts";

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const SPACE = /[ \t\n\r]*/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\.)*"/y;
const WORDS: ReadonlyArray<readonly [string, Value]> = [
  ["true", true],
  ["false", false],
  ["null", null],
];

/** Parses JSON; throws a SyntaxError where it is none. */
export function parseExact(text: string): Value {
  const reader = new Reader(text);
  const value = reader.value();
  reader.end();
  return value;
}

/** A number, or its spelling where JavaScript would spell it otherwise: 1.0, 1e5, thirty digits. */
function numberOrExact(spelling: string): number | Exact {
  const number = Number(spelling);
  return String(number) === spelling ? number : new Exact(spelling);
}

class Reader {
  private at = 0;
  constructor(private readonly text: string) {}

  value(): Value {
    this.take(SPACE);
    const head = this.text[this.at];
    if (head === "{") return this.dict();
    if (head === "[") return this.list();
    if (head === '"') return this.string();
    for (const [word, value] of WORDS) {
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length;
        return value;
      }
    }
    const spelling = this.take(NUMBER);
    if (!spelling) throw this.error();
    return numberOrExact(spelling);
  }

  end(): void {
    this.take(SPACE);
    if (this.at < this.text.length) throw this.error();
  }

  private dict(): Value {
    const entries: Array<readonly [string, Value]> = [];
    this.at += 1;
    if (this.is("}")) return dictOf(entries);
    do {
      this.take(SPACE);
      const key = this.string();
      if (!this.is(":")) throw this.error();
      entries.push([key, this.value()]);
    } while (this.is(","));
    if (!this.is("}")) throw this.error();
    return dictOf(entries);
  }

  private list(): Value {
    const items: Value[] = [];
    this.at += 1;
    if (this.is("]")) return items;
    do items.push(this.value());
    while (this.is(","));
    if (!this.is("]")) throw this.error();
    return items;
  }

  private string(): string {
    const spelling = this.take(STRING);
    if (!spelling) throw this.error();
    return JSON.parse(spelling) as string;
  }

  private is(sign: string): boolean {
    this.take(SPACE);
    if (this.text[this.at] !== sign) return false;
    this.at += 1;
    return true;
  }

  private take(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? "";
    this.at += found.length;
    return found;
  }

  private error(): SyntaxError {
    return new SyntaxError(`Not JSON at character ${this.at}`);
  }
}

/** Compact JSON of a value. A cut value is told as what it is, since its whole is elsewhere. */
export function writeExact(value: Value): string {
  if (value instanceof Exact) return isJson(value.text) ? value.text : JSON.stringify(value.text);
  if (value instanceof Raw) return value.json;
  if (value instanceof Cut) return JSON.stringify(`${value.preview}…`);
  if (isList(value)) return `[${value.map(writeExact).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}:${writeExact(item)}`);
  return `{${members.join(",")}}`;
}

/** NaN and Infinity are numbers to some servers, but not to JSON. */
function isJson(spelling: string): boolean {
  NUMBER.lastIndex = 0;
  return NUMBER.exec(spelling)?.[0] === spelling;
}
