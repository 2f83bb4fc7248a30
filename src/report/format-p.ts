import { dash, formatScore } from "./table.js";

/** `.031`, `<.001`: a p is never 0. */
export function formatP(p: number | undefined): string {
  if (p === undefined) return dash;
  return p < 0.001 ? "<.001" : formatScore(p);
}
