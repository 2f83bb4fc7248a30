import { dash, type Table } from "../table.js";
import { formatScore } from "../tables/format.js";
import type { ReproducedLine } from "./beside-paper.js";

/** The lines of one task as a table: missing values are dashes. */
export const reproducedTable = (lines: readonly ReproducedLine[]): Table => ({
  columns: [
    { title: "method", align: "left" },
    { title: "ours is", align: "left" },
    { title: "metric", align: "left" },
    ...["theirs", "ours", "delta", "95 %", "ours - theirs", "differs", "n"].map(
      (title) => ({ title, align: "right" }) as const,
    ),
  ],
  rows: lines.map((line) => [
    line.method,
    line.arm ?? dash,
    `${line.metric} (${line.better === "higher" ? "up" : "down"})`,
    `${line.printed.replace(/^0\./, ".")}${line.suspect === undefined ? "" : "!"}`,
    `${formatScore(line.ours)}${line.failed > 0 ? "*" : ""}`,
    signed(line.delta),
    line.interval === undefined ? dash : `[${formatScore(line.interval.low)}, ${formatScore(line.interval.high)}]`,
    line.difference === undefined ? dash : `[${signed(line.difference.low)}, ${signed(line.difference.high)}]`,
    line.differs === undefined ? dash : line.differs ? "yes" : "not shown",
    sizes(line),
  ]),
});

function signed(value: number | undefined): string {
  const text = formatScore(value);
  if (/^-?\.0+$/.test(text)) return formatScore(0);
  return value !== undefined && value > 0 ? `+${text}` : text;
}

/** `123 / 123`, `100 / 123 !=`, `- / ?`. */
function sizes({ scored, count, paperCount }: ReproducedLine): string {
  const other = count !== undefined && paperCount !== undefined && count !== paperCount ? " !=" : "";
  return `${scored ?? dash} / ${paperCount ?? "?"}${other}`;
}
