import { isSignificant } from "../../statistics/significance.js";
import { dash, formatScore } from "./table.js";

/** `.031`, `<.001`: a p is never 0, and one just above .05 does not look like .05: `.0501`. */
export function formatP(p: number | undefined): string {
  if (p === undefined) return dash;
  if (p < 0.001) return "<.001";
  return !isSignificant(p) && formatScore(p) === ".050"
    ? `.${String(Math.ceil(p * 1e4)).padStart(4, "0")}`
    : formatScore(p);
}
