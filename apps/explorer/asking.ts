/** A question as the server takes it. Here columns have names, each its own; the server takes the path
 * of a column where its name is not enough: `properties.mag` may be a key, or two. */

import type { BrowseArguments, Column, ColumnPath, Reply } from "./contract.ts";

type Reference = string | ColumnPath;
export type References = ReadonlyMap<string, Reference>;

export function referencesIn(reply: Reply): References {
  return new Map((reply.columns ?? []).map((column) => [column.name, referenceOf(column)] as const));
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
