/** Types of what comes without them: the parts of Vega, whose types are in `vega`. */

declare module "*.css";
declare module "vega-dataflow" {
  export const transforms: Record<string, unknown>;
}
declare module "vega-encode";
declare module "vega-transforms";
declare module "vega-view-transforms";
declare module "vega-parser" {
  export { parse } from "vega";
}
declare module "vega-view" {
  export { View } from "vega";
}
