/** What the server says and takes, as types, and nothing else. See `penstock.explorer`. */

export type Shape = "rows" | "members" | "lines" | "text";
export type Operator =
  | "contains"
  | "equals"
  | "not_equals"
  | "less"
  | "at_most"
  | "more"
  | "at_least"
  | "is_null"
  | "not_null"
  | "matches"
  | "between"
  | "one_of";

export type Scalar = string | number | boolean;
/** What a condition takes cells for: as they are, or times: as text, or as numbers since 1970. */
export type CellKind = "time" | EpochUnit;
export type EpochUnit = "seconds" | "milliseconds";
/** From a row to a cell: keys, and places in lists. */
export type ColumnPath = readonly (string | number)[];

export interface Condition {
  readonly column: string;
  readonly op: Operator;
  readonly value?: Scalar;
  /** The two ends of `between`; the values of `one_of`. */
  readonly values?: readonly Scalar[];
  readonly kind?: CellKind;
  /** Times as they were typed, for cells that hold no time: `2023` may be a text too. */
  readonly texts?: readonly string[];
}

export interface Sort {
  readonly column: string;
  readonly descending: boolean;
}

/** What to leave out and how to order what remains. */
export interface Query {
  readonly sort: Sort | null;
  readonly where: readonly Condition[];
  readonly find: string;
}

export const NO_QUERY: Query = { sort: null, where: [], find: "" };

export function isPlain(query: Query): boolean {
  return query.sort === null && query.where.length === 0 && query.find === "";
}

export interface BrowseArguments {
  readonly path?: string;
  readonly start?: number;
  readonly count?: number;
  readonly columns?: readonly string[];
  readonly sort?: Sort;
  readonly where?: readonly Condition[];
  readonly find?: string;
  readonly order?: string;
  readonly offset?: number;
  readonly raw?: boolean;
  readonly chart?: { readonly x: string; readonly y: string | null };
  readonly values?: { readonly column: string };
  readonly all_columns?: boolean;
}

export interface Column {
  readonly name: string;
  /** Empty in the columns of all rows, where the server had no time to look at the cells. */
  readonly type: string;
  /** Left out where it is just the name. */
  readonly path?: ColumnPath;
  /** Whether its numbers are times, and what they count since 1970. */
  readonly epoch?: EpochUnit;
}

export interface CutCell {
  readonly row: number;
  readonly column: string | null;
  readonly path: string;
  readonly size: number;
  readonly type: string;
  /** From the row to the cell, where that is more than the column's name. */
  readonly steps?: ColumnPath;
}

export interface ExactCell {
  readonly row: number;
  readonly column: string | null;
  readonly text: string;
  readonly steps?: ColumnPath;
}

export interface TextWindow {
  readonly from: number;
  readonly to: number;
  readonly of: number;
}

/** A reply of browse: one page of a part of the result. */
export interface Reply {
  readonly shape: Shape;
  readonly path: string;
  readonly total: number;
  readonly unfiltered?: number;
  readonly start: number;
  readonly rows: readonly unknown[];
  readonly numbers?: readonly number[];
  readonly columns?: readonly Column[];
  /** The path of the list whose elements the rows are, if it is not the path asked for. */
  readonly rows_at?: string;
  readonly cut?: readonly CutCell[];
  readonly exact?: readonly ExactCell[];
  readonly order?: string;
  readonly window?: TextWindow;
  readonly envelope?: Readonly<Record<string, unknown>>;
  readonly changed?: boolean;
  readonly notice?: string;
}

export type ChartKind = "histogram" | "categories" | "timeline" | "scatter";

export interface ChartPoint {
  readonly x: string | number | boolean | null;
  readonly x2?: string | number;
  readonly y?: number;
  readonly count?: number;
  readonly mean?: number | null;
}

/** What the categories without a bar have together. */
export interface ChartOthers {
  readonly values: number;
  readonly count: number;
  readonly mean?: number | null;
}

export interface ChartReply {
  readonly kind: ChartKind;
  readonly x: string;
  readonly y: string | null;
  /** The rows that the chart is about. Of a scatter plot, not all of them need have a point. */
  readonly rows: number;
  /** The rows without a value. */
  readonly left_out: number;
  readonly points: readonly ChartPoint[];
  /** Of a timeline whose bins are all as long. */
  readonly step?: "minute" | "hour" | "day" | "month" | "year";
  /** Of a timeline: the zone that its bins are in, if the rows name any zone. */
  readonly zone?: "UTC";
  /** Of a histogram: whether all numbers are whole. */
  readonly whole?: boolean;
  /** Where the rows begin and end, for a first or last bin that they fill in part. */
  readonly partial?: { readonly first?: string | number; readonly last?: string | number };
  readonly others?: ChartOthers;
}

/** The values of a column and the rows of each, if they are few. */
export interface ValuesReply {
  readonly few: boolean;
  /** Rows without a value. */
  readonly missing: number;
  readonly items: ReadonlyArray<{ readonly value: Scalar; readonly count: number }>;
}

/** What the result is, said once with the first page. */
export interface ResultInfo {
  readonly continuation_token: string;
  readonly browse: string;
  readonly tool: string;
  readonly size: number;
  readonly expires_in: number;
  readonly slides: boolean;
  readonly live: boolean;
  readonly context_budget: number;
  readonly can: readonly string[];
}

export interface Opening {
  readonly result: ResultInfo;
  readonly page: Reply;
}

/** Why there is no reply. Expected, so a value and not an exception. */
export interface Failure {
  /** gone: the result has expired; refused: the server said no; lost: nothing answered. */
  readonly kind: "gone" | "refused" | "lost";
  readonly message: string;
  readonly nextStep: string;
}

export type Outcome<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };

export function succeeded<T>(value: T): Outcome<T> {
  return { ok: true, value };
}

export function failed<T>(kind: Failure["kind"], message: string, nextStep = ""): Outcome<T> {
  return { ok: false, failure: { kind, message, nextStep } };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function asReply(value: unknown): Reply | null {
  const fits =
    isRecord(value) &&
    typeof value.shape === "string" &&
    Array.isArray(value.rows) &&
    typeof value.total === "number";
  return fits ? (value as unknown as Reply) : null;
}

export function asChart(value: unknown): ChartReply | null {
  const chart = isRecord(value) ? value.chart : undefined;
  return isRecord(chart) && Array.isArray(chart.points) ? (chart as unknown as ChartReply) : null;
}

export function asValues(value: unknown): ValuesReply | null {
  const values = isRecord(value) ? value.values : undefined;
  return isRecord(values) && Array.isArray(values.items) ? (values as unknown as ValuesReply) : null;
}

export function asColumns(value: unknown): readonly Column[] | null {
  const columns = isRecord(value) ? value.columns : undefined;
  return Array.isArray(columns) ? (columns as readonly Column[]) : null;
}

export function asOpening(value: unknown): Opening | null {
  if (!isRecord(value) || !isRecord(value.result)) return null;
  const page = asReply(value.page);
  if (!page || typeof value.result.continuation_token !== "string") return null;
  return {
    result: { ...defaultInfo(value.result.continuation_token), ...(value.result as Partial<ResultInfo>) },
    page,
  };
}

/** What is assumed of a result when only its token is known. */
export function defaultInfo(token: string): ResultInfo {
  return {
    continuation_token: token,
    browse: "browse_result",
    tool: "",
    size: 0,
    expires_in: 0,
    slides: false,
    live: false,
    context_budget: 25_000,
    can: ["sort", "filter", "chart"],
  };
}
