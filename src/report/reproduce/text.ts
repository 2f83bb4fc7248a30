import { groupBy } from "../../results/grouped.js";
import { tasks } from "../../tasks/index.js";
import { nounOf } from "../../text/count.js";
import type { PaperColumn, PaperTable } from "../papers/paper.js";
import { type Column, dash, type Table } from "../table.js";
import { formatGain, formatScore } from "../tables/format.js";
import { renderLatex } from "../tables/latex.js";
import { renderMarkdown } from "../tables/markdown.js";
import { renderText } from "../tables/text.js";
import type { Reproduced, ReproducedLine } from "./beside.js";
import type { CheckedClaim } from "./claims.js";
import type { OwnArm } from "./own-arm.js";
import { selectionValues } from "./selection-values.js";

/** Said of a figure, or of a table of examples. */
export const NO_NUMBERS = "no published numbers: a picture, or an example";

/** Prints the paper's own table filled by own runs, and intervals, claims and what else a reader must know. */
export function renderReproduced(reproduced: Reproduced, form: "text" | "markdown" | "latex"): string {
  const { table, claims, remarks, arms, unreal } = reproduced;
  const about = unreal === undefined ? [...table.caveats, ...table.notes] : [table.simulated ?? []].flat();
  const notes = [...remarks, ...about].map((note) => `- ${note}`);
  const views = viewsFor(table, arms).map((line) => `  ${line}`);
  const said = claims.length === 0 ? [] : [[...claims.map(claimLines), ...intervalNote(claims)].join("\n")];
  const rest = [
    ...(notes.length === 0 ? [] : [notes.join("\n")]),
    ...(views.length === 0 ? [] : [["to look at it:", ...views].join("\n")]),
  ];
  const grids = table.rows.length === 0 ? [] : [{ ...reproducedGrid(reproduced), notes: [table.source] }];
  const { tables, absent } = unreal === undefined ? detailsOf(reproduced) : { tables: [], absent: [] };
  if (form === "latex") return renderLatex([...grids, ...tables], [...absent, ...said, ...rest].join("\n").split("\n"));
  const heading = `${table.name} · ${table.title}${unreal === undefined ? "" : ` · ${unreal}`}\n${table.source}`;
  const drawn = (given: readonly Table[]): string[] =>
    given.length === 0 ? [] : [(form === "text" ? renderText : renderMarkdown)(...given)];
  return [
    ...(grids.length === 0 ? [heading, NO_NUMBERS] : drawn(grids)),
    ...absent,
    ...said,
    ...drawn(tables),
    ...rest,
  ].join("\n\n");
}

/** Fills in the commands that show a figure, for the first arm of the method and its first answered question. */
export const viewsFor = ({ views }: PaperTable, arms: readonly OwnArm[]): string[] =>
  views.flatMap((command) => {
    const method = /--method (\S+)/.exec(command)?.[1];
    const arm = arms.find(({ cell }) => method === undefined || cell.method === method);
    const row = arm?.rows.find(({ outcome }) => outcome.kind === "answered");
    if (arm === undefined || row === undefined) return [];
    return [`lamp-eval ${command.replace("RUN", arm.run).replace("QUESTION", row.question).replace("USER", row.user)}`];
  });

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
  const found = isSure ? (holds ? "holds here" : "does not hold here") : `points ${holds ? "that" : "the other"} way`;
  const verdict = open === true ? "undecided here" : found;
  return [claim, `  ${verdict}${extent}${sure}`, ...evidence.map((line) => `    ${line}`)].join("\n");
}

/** Said where the differences of a claim have intervals. */
const intervalNote = (claims: readonly CheckedClaim[]): string[] =>
  claims.some(({ finding }) => finding?.evidence.some((line) => line.includes("], p ")))
    ? ["in brackets: 95 % interval of the difference over users; p: of each pair alone"]
    : [];

/** Our numbers in the paper's own rows and columns, the published value behind each where ours is real. */
function reproducedGrid({ table, lines, unreal }: Reproduced): Table {
  const cellOf = (row: number, column: number): string => {
    const line = lines.find(({ at }) => at.row === row && at.column === column);
    const isPercent = table.rows.some(({ values }) => values[column]?.endsWith("%"));
    const ours = shown(line?.ours, table.columns[column]!, isPercent); // an index of the table
    return unreal === undefined ? `${ours} (${bare(table.rows[row]!.values[column]!)})` : ours; // a place of the table
  };
  return {
    ...gridOf(table, cellOf),
    title: `${table.name} · ${table.title} · ${unreal ?? "ours (the paper's)"}`,
    legend: [
      ...(lines.some(({ ours }) => ours === undefined) ? [`${dash}: not in these runs`] : []),
      ...(table.labelled && unreal !== undefined
        ? [
            "questions whose labels name no data set count as made ones: under PersonaFeedback where they gain, else under FreebaseQA",
          ]
        : []),
    ],
  };
}

/** Writes `0.513` as `.513`. */
export const bare = (printed: string): string => printed.replace(/^0\./, ".");

/** Lays cells out as the paper does: a row a row, or transposed a row a column. */
export function gridOf(
  { name, rows, columns, transposed, heads = ["Method"] }: PaperTable,
  cellOf: (row: number, column: number) => string,
): Table {
  const names = columns.map(nameOf);
  const isGrouped = (transposed ? names : rows).some(({ group }) => group !== undefined);
  const grouped = (group: string | undefined): string[] => (isGrouped ? [group ?? ""] : []);
  const right = ({ title, group }: Pick<Column, "title" | "group">): Column =>
    group === undefined ? { title, align: "right" } : { title, group, align: "right" };
  if (!transposed)
    return {
      name,
      columns: [...heads.map((title) => ({ title })), ...names.map(right)],
      keys: heads.length,
      rows: rows.map(({ label, group }, r) => [...grouped(group), label, ...columns.map((_, c) => cellOf(r, c))]),
    };
  const [first, second] = heads[1] === undefined ? ["Dataset", "Metric"] : heads;
  return {
    name,
    columns: [...grouped(first), second ?? ""]
      .map((title): Column => ({ title }))
      .concat(rows.map(({ label }) => right({ title: label }))),
    keys: isGrouped ? 2 : 1,
    rows: names.map(({ group, title }, c) => [...grouped(group), title, ...rows.map((_, r) => cellOf(r, c))]),
  };
}

function nameOf({ task, metric, title = metric, group }: PaperColumn): Pick<Column, "title" | "group"> {
  const heading = group ?? tasks.get(task).title.split(":")[0];
  return heading === undefined || heading === "" ? { title } : { title, group: heading };
}

/** As the paper prints such numbers: a score as .513, percent where its column has percent, else two digits. */
function shown(value: number | undefined, { metric }: PaperColumn, isPercent: boolean): string {
  if (value === undefined || Number.isNaN(value)) return dash;
  if (isPercent) return `${(100 * value).toFixed(1)}%`;
  const hasTwo = metric === "judge" || metric === "seconds" || selectionValues[metric] !== undefined;
  return hasTwo ? value.toFixed(2).replace(/^-(0\.00)$/, "$1") : formatScore(value);
}

/** The lines of each task with their intervals, and what of the table's tasks the runs lack. */
function detailsOf({ lines, arms }: Reproduced): { readonly tables: Table[]; readonly absent: string[] } {
  const detailed = lines.filter(
    ({ metric, arm, printed }) => selectionValues[metric] === undefined && (printed !== dash || arm !== undefined),
  );
  const byTitle = [...groupBy(detailed, ({ title }) => title)];
  const isThere = ([, of]: (typeof byTitle)[number]): boolean => of.some(({ arm }) => arm !== undefined);
  const whyNone = (task: string | undefined): string => {
    const there = arms.filter(({ cell }) => cell.task === task).map(({ cell }) => `${cell.method} with ${cell.model}`);
    if (there.length === 0) return "not in these runs";
    return `in these runs, but with no method of the table (there: ${[...new Set(there)].join(", ")})`;
  };
  return {
    tables: byTitle.filter(isThere).map(([title, of]) => linesTable(title, of)),
    absent: byTitle.filter((one) => !isThere(one)).map(([title, of]) => `${title}: ${whyNone(of[0]?.task)}`),
  };
}

function linesTable(title: string, lines: readonly ReproducedLine[]): Table {
  const between = (interval: ReproducedLine["interval"], format: (value: number) => string): string =>
    interval === undefined ? dash : `[${format(interval.low)}, ${format(interval.high)}]`;
  const titles = ["theirs", "ours", "delta", "95 %", "ours - theirs", "differs", "n"];
  const marks = [
    ...lines.flatMap(({ method, suspect }) => (suspect === undefined ? [] : [`! ${method}: ${suspect}`])),
    ...lines.flatMap(({ arm, failed }) =>
      failed === 0 ? [] : [`* ${arm}: ${failed} ${nounOf(failed, "question")} failed and not in the scores`],
    ),
  ];
  return {
    title,
    keys: 3,
    columns: [
      ...["method", "ours is", "metric"].map((name): Column => ({ title: name })),
      ...titles.map((name): Column => ({ title: name, align: "right" })),
    ],
    rows: lines.map((line) => [
      line.group === undefined ? line.method : `${line.group}, ${line.method}`,
      line.arm ?? dash,
      `${line.metric} (${line.better === "higher" ? "up" : "down"})`,
      `${bare(line.printed)}${line.suspect === undefined ? "" : "!"}`,
      `${formatScore(line.ours)}${line.failed > 0 ? "*" : ""}`,
      formatGain(line.delta),
      between(line.interval, formatScore),
      between(line.difference, formatGain),
      line.differs === true ? "yes" : dash,
      `${line.scored ?? dash} / ${line.paperCount ?? "?"}${isOtherSet(line) ? " !=" : ""}`,
    ]),
    notes: [...new Set(marks)],
    legend: LEGEND,
  };
}

const isOtherSet = ({ count, paperCount }: Pick<ReproducedLine, "count" | "paperCount">): boolean =>
  count !== undefined && paperCount !== undefined && count !== paperCount;

const LEGEND = [
  "ours: strict reading, 95 % interval for users drawn like these (a dash below 10 users); delta: ours - theirs",
  "ours - theirs: 95 % interval with both errors and the rounding in it, the paper's by its derived counts at one question a user (accuracy, MAE, RMSE), of macro metrics by the error of ours at its n; a dash elsewhere; differs: whether 0 lies outside",
  "n: scored questions, ours / the paper's test set (derived; ? where it cannot be); != marks another test set, ! a published value that is no target, * failed questions",
];
