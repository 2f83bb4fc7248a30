import type { PaperRow } from "../paper-tables.js";

/** A row as printed: its label, the method of ours that stands beside it, its values with a blank between. */
export const row = (label: string, method: string, printed: string, more: Partial<PaperRow> = {}): PaperRow => ({
  method: label,
  arm: { method },
  printed: printed.split(" "),
  ...more,
});
