/** Words of tables, pages and charts of version 0.1.0, whose intervals were resampled: today's rule gives others. */
const RESAMPLED = /bootstrap\s+over\s+users/;

/** Whether a text was written when intervals were still resampled. */
export const isResampled = (text: string): boolean => RESAMPLED.test(text.replaceAll(/",\s*"/g, " "));

/** A result file without its intervals and without what is said of them, so that all other numbers can be compared. */
export function withoutIntervals(name: string, text: string): string {
  if (name.endsWith(".csv")) return withoutColumns(text);
  return text
    .replaceAll(/ ?\[-?[\d.]+, -?[\d.]+\]/g, "")
    .replaceAll(/"(low|high)":\s*-?[\d.e-]+/g, '"$1":0')
    .replaceAll(/95\\,\\% intervals[^.]*\./g, "")
    .replaceAll(/,?\s*"interval":\s*\{[^}]*\}/g, "")
    .replaceAll(/[ -]{2,}/g, " ");
}

const BOUNDS = ["low95", "high95"];

function withoutColumns(text: string): string {
  const rows = text.split("\n").map((line) => line.split(","));
  const left = BOUNDS.map((name) => rows[0]?.indexOf(name) ?? -1);
  return rows.map((cells) => cells.filter((_, c) => !left.includes(c)).join(",")).join("\n");
}
