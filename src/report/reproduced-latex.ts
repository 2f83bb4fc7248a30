import { escapeLatex } from "./latex.js";
import type { Reproduced, ReproducedLine } from "./reproduced.js";
import { reproducedTable } from "./reproduced-table.js";
import { renderReproduced } from "./reproduced-text.js";

/** A booktabs table for each task that the runs have, the best of ours bold; claims and remarks follow as LaTeX comments. Needs booktabs. */
export function renderReproducedLatex(reproduced: Reproduced): string {
  const { lines } = reproduced;
  const present = lines.filter(({ arm }) => arm !== undefined).map(({ task }) => task);
  const tables = [...new Set(present)].map((task) =>
    tableOf(
      reproduced,
      lines.filter((line) => line.task === task),
    ),
  );
  const said = renderReproduced({ ...reproduced, lines: [] }, "text");
  return ["% \\usepackage{booktabs}", ...tables, said.replace(/^/gm, "% ").replace(/ +$/gm, "")].join("\n\n");
}

// --- internal ---

/** Column of our value in the shared table. */
const OURS = 4;

function tableOf({ table }: Reproduced, lines: readonly ReproducedLine[]): string {
  const { columns, rows } = reproducedTable(lines);
  const cells = rows.map((row, r) =>
    row.map((cell, c) =>
      c === OURS && isBest(lines[r]!, lines) ? `\\textbf{${escapeLatex(cell)}}` : escapeLatex(cell),
    ),
  );
  const line = (texts: readonly string[]) => `${texts.join(" & ")} \\\\`;
  const [first] = lines;
  return [
    "\\begin{table}[t]",
    "\\centering\\small",
    `\\caption{${escapeLatex(`${table.name}, ${first?.title}: published values and ours. ${table.source}`)}}`,
    `\\label{tab:${table.name.replace("/", "-").toLowerCase()}-${first?.task}}`,
    `\\begin{tabular}{${columns.map(({ align }) => align[0]).join("")}}`,
    "\\toprule",
    line(columns.map(({ title }) => escapeLatex(title))),
    "\\midrule",
    ...cells.map(line),
    "\\bottomrule",
    "\\end{tabular}",
    "\\end{table}",
  ].join("\n");
}

function isBest(line: ReproducedLine, lines: readonly ReproducedLine[]): boolean {
  const values = lines.flatMap(({ metric, ours }) => (metric === line.metric && ours !== undefined ? [ours] : []));
  const best = line.better === "higher" ? Math.max(...values) : Math.min(...values);
  return line.ours !== undefined && values.length > 1 && line.ours === best;
}
