/** Where rows come from: the server, or a value that is here already. */

import type { BrowseArguments, ChartReply, Column, Outcome, Reply, ValuesReply } from "./contract.ts";
import { failed, succeeded } from "./contract.ts";
import { writeExact } from "./exactjson.ts";
import { type Value, isDict, isList } from "./values.ts";

export interface Source {
  /** What it can do beside pages: sort, filter, chart. */
  readonly can: readonly string[];
  /** Where the server has it, or null for what is only here. */
  readonly path: string | null;
  browse(args: BrowseArguments): Promise<Outcome<Reply>>;
  chart(args: BrowseArguments): Promise<Outcome<ChartReply>>;
  values(column: string): Promise<Outcome<ValuesReply>>;
  /** All columns as all rows have them. A page has those of some rows. */
  columns(): Promise<Outcome<readonly Column[]>>;
}

/** A value that came whole inside a row: to open it, nobody need be asked. */
export class LocalSource implements Source {
  readonly can: readonly string[];
  readonly path = null;
  constructor(private readonly value: Value) {
    this.can = typeof value === "string" && !value.includes("\n") ? [] : ["find"];
  }

  browse(args: BrowseArguments): Promise<Outcome<Reply>> {
    return Promise.resolve(succeeded(localReply(this.value, args)));
  }

  chart(): Promise<Outcome<ChartReply>> {
    return Promise.resolve(failed("refused", "There is no chart for a single value."));
  }

  values(): Promise<Outcome<ValuesReply>> {
    return Promise.resolve(failed("refused", "The values of a single value are not counted."));
  }

  columns(): Promise<Outcome<readonly Column[]>> {
    return Promise.resolve(failed("refused", "All columns of a single value are here."));
  }
}

/** A value that is here, and that the server can read better: as a table that it sorts and filters.
 * Without an answer it is shown as it is here. */
export class EitherSource implements Source {
  private chosen: Source;
  private isRead = false;
  constructor(
    remote: Source,
    private readonly local: Source,
  ) {
    this.chosen = remote;
  }

  get can(): readonly string[] {
    return this.chosen.can;
  }

  get path(): string | null {
    return this.chosen.path;
  }

  async browse(args: BrowseArguments): Promise<Outcome<Reply>> {
    const outcome = await this.chosen.browse(args);
    if (outcome.ok || this.isRead) {
      this.isRead = true;
      return outcome;
    }
    this.chosen = this.local;
    return this.chosen.browse(args);
  }

  chart(args: BrowseArguments): Promise<Outcome<ChartReply>> {
    return this.chosen.chart(args);
  }

  values(column: string): Promise<Outcome<ValuesReply>> {
    return this.chosen.values(column);
  }

  columns(): Promise<Outcome<readonly Column[]>> {
    return this.chosen.columns();
  }
}

function localReply(value: Value, args: BrowseArguments): Reply {
  const { shape, all, columns } = spread(value);
  const needle = (args.find ?? args.order ?? "").toLowerCase();
  const numbers = [...all.keys()].filter(
    (index) => needle === "" || textOf(all[index] ?? null).includes(needle),
  );
  const start = args.start ?? 0;
  const shown = numbers.slice(start, start + (args.count ?? 100));
  return {
    shape,
    path: "",
    total: numbers.length,
    unfiltered: all.length,
    start,
    rows: shown.map((index) => all[index]),
    ...(needle === "" ? {} : { numbers: shown, order: needle }),
    ...(columns ? { columns } : {}),
  };
}

function textOf(value: Value): string {
  return (typeof value === "string" ? value : writeExact(value)).toLowerCase();
}

interface Spread {
  readonly shape: Reply["shape"];
  readonly all: readonly Value[];
  readonly columns?: readonly Column[];
}

function spread(value: Value): Spread {
  if (isDict(value)) {
    return { shape: "members", all: Object.entries(value).map(([key, item]) => ({ key, value: item })) };
  }
  if (isList(value)) return { shape: "rows", all: value, ...columnsOf(value) };
  if (typeof value === "string" && value.includes("\n")) return { shape: "lines", all: value.split("\n") };
  return { shape: "text", all: [typeof value === "string" ? value : writeExact(value)] };
}

function columnsOf(rows: readonly Value[]): { columns?: readonly Column[] } {
  const types = new Map<string, Set<string>>();
  for (const row of rows) {
    if (!isDict(row)) return {};
    for (const [key, item] of Object.entries(row))
      types.set(key, (types.get(key) ?? new Set()).add(typeName(item)));
  }
  if (types.size === 0) return {};
  return { columns: [...types].map(([name, kinds]) => ({ name, type: [...kinds].join("|") })) };
}

function typeName(value: Value): string {
  if (value === null) return "null";
  if (isList(value)) return "list";
  if (isDict(value)) return "dict";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "string") return "str";
  return typeof value === "number" && !Number.isInteger(value) ? "float" : "int";
}
