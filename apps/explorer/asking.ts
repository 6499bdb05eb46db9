/** A question as the server takes it. Here columns have names, each its own; the server takes the path
 * of a column where its name is not enough: `properties.mag` may be a key, or two. */

import type { BrowseArguments, Column, ColumnPath, Reply } from "./contract.ts";

type Reference = string | ColumnPath;
export type References = ReadonlyMap<string, Reference>;

export function referencesIn({ columns = [] }: Pick<Reply, "columns">): References {
  return new Map(columns.map((column) => [column.name, referenceOf(column)] as const));
}

/** Columns under the names that they have here already. A new one gets a name that is not taken. */
export function namedAsHere(columns: readonly Column[], here: References): readonly Column[] {
  const known = new Map([...here].map(([name, reference]) => [spelled(reference), name] as const));
  const taken = new Set(here.keys());
  return columns.map((column) => {
    const name = known.get(spelled(referenceOf(column))) ?? unused(column.name, taken);
    taken.add(name);
    return name === column.name ? column : { ...column, name, path: column.path ?? [column.name] };
  });
}

function spelled(reference: Reference): string {
  return JSON.stringify(typeof reference === "string" ? [reference] : reference);
}

function unused(name: string, taken: ReadonlySet<string>): string {
  let unused = name;
  for (let number = 2; taken.has(unused); number += 1) unused = `${name}_${number}`;
  return unused;
}

function referenceOf({ name, path }: Column): Reference {
  return path && path.length > 0 ? path : name;
}

export function inPaths(args: BrowseArguments, references: References): Record<string, unknown> {
  const of = (name: string): Reference => references.get(name) ?? name;
  const { columns, sort, where, chart, values, ...rest } = args;
  return {
    ...rest,
    ...(columns ? { columns: columns.map(of) } : {}),
    ...(sort ? { sort: { ...sort, column: of(sort.column) } } : {}),
    ...(where ? { where: where.map((condition) => ({ ...condition, column: of(condition.column) })) } : {}),
    ...(chart ? { chart: { x: of(chart.x), y: chart.y === null ? null : of(chart.y) } } : {}),
    ...(values ? { values: { column: of(values.column) } } : {}),
  };
}
