import { alignOf } from "../table.js";
import { escapeLatex } from "../tables/latex.js";
import type { Reproduced, ReproducedLine } from "./beside-paper.js";
import { reproducedTable } from "./table.js";
import { markNotes, renderReproduced } from "./text.js";

/** A booktabs table for each task that the runs have, the best of ours bold; claims and remarks follow as LaTeX comments. Needs booktabs and graphicx. */
export function renderReproducedLatex(reproduced: Reproduced): string {
  const { lines } = reproduced;
  const present = lines.filter(({ arm }) => arm !== undefined).map(({ task }) => task);
  const tables = [...new Set(present)].map((task) =>
    tableOf(
      reproduced,
      lines.filter((line) => line.task === task),
    ),
  );
  const comments = renderReproduced({ ...reproduced, lines: [] }, "text");
  return ["% \\usepackage{booktabs,graphicx}", ...tables, comments.replace(/^/gm, "% ").replace(/ +$/gm, "")].join(
    "\n\n",
  );
}

/** Column of our value in the shared table. */
const OURS = 4;

function tableOf({ table }: Reproduced, lines: readonly ReproducedLine[]): string {
  const { columns, rows } = reproducedTable(lines);
  const cells = rows.map((row, r) =>
    row
      .map(String)
      .map((cell, c) =>
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
    "\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%", // never wider than the text
    `\\begin{tabular}{${columns.map((column) => alignOf(column)[0]).join("")}}`,
    "\\toprule",
    line(columns.map(({ title }) => escapeLatex(title))),
    "\\midrule",
    ...cells.map(line),
    "\\bottomrule",
    "\\end{tabular}}",
    `\\par\\smallskip\\parbox{\\linewidth}{\\footnotesize ${escapeLatex(legendOf(lines))}}`,
    "\\end{table}",
  ].join("\n");
}

/** What the columns and the marks mean, as far as the table has them. */
function legendOf(lines: readonly ReproducedLine[]): string {
  const otherSet = lines.some(
    ({ count, paperCount }) => count !== undefined && paperCount !== undefined && count !== paperCount,
  );
  const sentences = [
    "ours: strict reading, best in bold; 95 %: interval for users drawn like these (a dash below 10 users); delta: ours minus theirs",
    "ours - theirs: 95 % interval with both errors in it; differs: whether 0 lies outside",
    "n: scored questions, ours / the paper's test set (derived; ? where it cannot be)",
    ...(otherSet ? ["!=: another test set than the paper's"] : []),
    ...markNotes(lines).map(({ mark, note }) =>
      mark === "!" ? `!: no target; ${note}` : `*: failed questions; ${note}`,
    ),
  ];
  return `${sentences.join(". ")}.`;
}

function isBest(line: ReproducedLine, lines: readonly ReproducedLine[]): boolean {
  const values = lines.flatMap(({ metric, ours }) => (metric === line.metric && ours !== undefined ? [ours] : []));
  const best = line.better === "higher" ? Math.max(...values) : Math.min(...values);
  return line.ours !== undefined && values.length > 1 && line.ours === best;
}
