import { nounOf } from "../../text/count.js";
import type { OwnArm, PaperTable } from "../papers/paper.js";
import { dash, type Table } from "../table.js";
import { renderLatex } from "../tables/latex.js";
import { renderMarkdown } from "../tables/markdown.js";
import { renderText } from "../tables/text.js";
import type { CheckedClaim, Reproduced } from "./beside-paper.js";
import { hasLines, linesTable, NO_NUMBERS, reproducedGrid } from "./table.js";

type Form = "text" | "markdown" | "latex";

/** The paper's own table filled by own runs, beside it intervals, claims and what else a reader must know. */
export function renderReproduced(reproduced: Reproduced, form: Form): string {
  const { table, claims, remarks, arms, unreal } = reproduced;
  const notes =
    unreal === undefined
      ? [...remarks, ...table.caveats, ...table.notes]
      : [...remarks, ...(table.simulated === undefined ? [] : [table.simulated])];
  const views = viewsFor(table.views, arms);
  const prose = [
    ...(claims.length === 0 ? [] : [[...claims.map(claimLines), ...intervalNote(claims)].join("\n")]),
    ...(notes.length === 0 ? [] : [notes.map((note) => `- ${note}`).join("\n")]),
    ...(views.length === 0 ? [] : [viewLines(views)]),
  ];
  const grids = table.rows.length === 0 ? [] : [{ ...reproducedGrid(reproduced), notes: [table.source] }];
  const { tables, absent } = unreal === undefined ? detailsOf(reproduced) : { tables: [], absent: [] };
  if (form === "latex") return renderLatex([...grids, ...tables], [...absent, ...prose].join("\n").split("\n"));
  const heading = `${table.name} · ${table.title}${unreal === undefined ? "" : ` · ${unreal}`}\n${table.source}`;
  const drawn = (given: readonly Table[]): string[] =>
    given.length === 0 ? [] : [(form === "text" ? renderText : renderMarkdown)(...given)];
  return [
    ...(grids.length === 0 ? [heading, NO_NUMBERS] : drawn(grids)),
    ...absent,
    ...prose.slice(0, claims.length === 0 ? 0 : 1),
    ...drawn(tables),
    ...prose.slice(claims.length === 0 ? 0 : 1),
  ].join("\n\n");
}

/** The lines of each task with their intervals, and what of the table's tasks the runs lack. */
function detailsOf({ table, lines, arms }: Reproduced): { readonly tables: Table[]; readonly absent: string[] } {
  const shown = lines.filter(
    ({ at, arm, printed }) => hasLines(table.columns[at.column]!) && (printed !== dash || arm !== undefined), // a column of the table
  );
  const titles = [...new Set(shown.map(({ title }) => title))];
  const byTitle = titles.map((title) => ({ title, of: shown.filter((line) => line.title === title) }));
  const isThere = ({ of }: (typeof byTitle)[number]): boolean => of.some(({ arm }) => arm !== undefined);
  return {
    tables: byTitle.filter(isThere).map(({ title, of }) => linesTable(title, of)),
    absent: byTitle
      .filter((one) => !isThere(one))
      .map(({ title, of }) => `${title}: ${whyNone(arms.filter(({ cell }) => cell.task === of[0]?.task))}`),
  };
}

/** The commands that show what a figure shows, for the first arm of the method and its first answered question. */
export const viewsFor = (views: PaperTable["views"], arms: readonly OwnArm[]): string[] =>
  views.flatMap((command) => {
    const method = /--method (\S+)/.exec(command)?.[1];
    const arm = arms.find(({ cell }) => method === undefined || cell.method === method);
    const row = arm?.rows.find(({ outcome }) => outcome.kind === "answered");
    if (arm === undefined || row === undefined) return [];
    const filled = command.replace("RUN", arm.run).replace("QUESTION", row.question).replace("USER", row.user);
    return [`lamp-eval ${filled}`];
  });

/** Of a task: what the runs have of it that stands in no row of the table. */
function whyNone(there: readonly OwnArm[]): string {
  if (there.length === 0) return "not in these runs";
  const named = [...new Set(there.map(({ cell }) => `${cell.method} with ${cell.model}`))];
  return `in these runs, but with no method of the table (there: ${named.join(", ")})`;
}

function claimLines({ text, source, needs, finding }: CheckedClaim): string {
  const claim = `claim: ${text} (${source})`;
  if (finding === undefined)
    return `${claim}\n  not checked: needs ${needs}, with scored answers of 10 users or more, and not mostly failed`;
  const { holds, open, without, significant, evidence } = finding;
  const extent = without === undefined ? "" : `, as far as these runs go (without ${without.join(", ")})`;
  const sure =
    significant === undefined
      ? ""
      : `; ${significant.count} of ${significant.of} ${nounOf(significant.of, "difference")} significant at .05`;
  const isSure = significant === undefined || significant.count > 0;
  const verdict = isSure ? (holds ? "holds here" : "does not hold here") : `points ${holds ? "that" : "the other"} way`;
  return [
    `${claim}`,
    `  ${open === true ? "undecided here" : verdict}${extent}${sure}`,
    ...evidence.map((line) => `    ${line}`),
  ].join("\n");
}

/** Where a claim's differences have intervals. */
const intervalNote = (claims: readonly CheckedClaim[]): string[] =>
  claims.some(({ finding }) => finding?.evidence.some((line) => line.includes("], p ")))
    ? ["in brackets: 95 % interval of the difference over users; p: of each pair alone"]
    : [];

const viewLines = (views: readonly string[]): string =>
  ["to look at it:", ...views.map((line) => `  ${line}`)].join("\n");
