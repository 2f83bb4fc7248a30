import { groupBy } from "../../results/samples.js";
import { tasks } from "../../tasks/index.js";
import { nounOf } from "../../text/count.js";
import type { Row } from "../../types/index.js";
import { type Column, dash, type Table } from "../table.js";
import { formatGain, formatScore } from "../tables/format.js";
import { renderLatex } from "../tables/latex.js";
import { renderMarkdown, renderText } from "../tables/text.js";
import type { Reproduced, ReproducedLine } from "./beside.js";
import { isArm, type OwnArm } from "./own-arm.js";
import type { PaperTable } from "./paper.js";
import type { ArmPick } from "./schema.js";
import { selectionValues } from "./selection-values.js";

/** Said of a figure, or of a table of examples. */
export const NO_NUMBERS = "no published numbers: a picture, or an example";

/** Writes `0.513` as `.513`. */
export const bare = (printed: string): string => printed.replace(/^(-?)0\./, "$1.");

/** Prints the paper's own table filled by own runs, intervals and what else a reader must know. */
export function renderReproduced(reproduced: Reproduced, form: "text" | "markdown" | "latex"): string {
  const { table, lines, remarks, arms, unreal } = reproduced;
  const isReal = unreal === undefined;
  const about = isReal ? [...table.caveats, ...table.notes] : [];
  const notes = [...remarks, ...about].map((note) => `- ${note}`);
  const views = viewsFor(table, arms).map((line) => `  ${line}`);
  const grids = table.rows.length === 0 ? [] : [{ ...reproducedGrid(reproduced), notes: [table.source] }];
  const detailed = lines.filter(
    ({ metric, arm, printed }) => selectionValues[metric] === undefined && (printed !== dash || arm !== undefined),
  );
  const byTask = isReal ? [...groupBy(detailed, ({ title }) => title)] : [];
  const isThere = (of: readonly ReproducedLine[]): boolean => of.some(({ arm }) => arm !== undefined);
  const tables = byTask.flatMap(([title, of]) => (isThere(of) ? [linesTable(title, of)] : []));
  const said = byTask.flatMap(([title, of]) => (isThere(of) ? [] : [`${title}: not in these runs`]));
  const rest = [
    ...(notes.length === 0 ? [] : [notes.join("\n")]),
    ...(views.length === 0 ? [] : [["to look at it:", ...views].join("\n")]),
  ];
  if (form === "latex") return renderLatex([...grids, ...tables], [...said, ...rest].join("\n").split("\n"));
  const heading = `${table.name} · ${table.title}${isReal ? "" : ` · ${unreal}`}\n${table.source}`;
  const drawn = (given: readonly Table[]): string[] =>
    given.length === 0 ? [] : [(form === "text" ? renderText : renderMarkdown)(...given)];
  const first = grids.length === 0 ? [heading, NO_NUMBERS] : drawn(grids);
  return [...first, ...said, ...drawn(tables), ...rest].join("\n\n");
}

/** Fills in the commands that show a figure, for an arm of the method and a question that shows the figure's case. */
export const viewsFor = (table: PaperTable, arms: readonly OwnArm[]): string[] =>
  table.views.flatMap((command) => {
    const method = /--method (\S+)/.exec(command)?.[1];
    const own = arms.filter(({ cell }) => method === undefined || cell.method === method);
    const row = caseOf(table, own);
    if (own[0] === undefined || row === undefined) return [];
    const named = command.replace("RUN", own[0].run).replace("QUESTION", row.question).replace("USER", row.user);
    return [`lamp-eval ${named}`];
  });

function caseOf({ case: asked }: PaperTable, arms: readonly OwnArm[]): Row | undefined {
  const rowsOf = (wanted: ArmPick): readonly Row[] => arms.find(({ cell }) => isArm(wanted, cell))?.rows ?? [];
  if (asked === undefined) return rowsOf({}).find(({ outcome }) => outcome.kind === "answered");
  const isRight = ({ outcome, gold }: Row): boolean => outcome.kind === "answered" && outcome.reply === gold;
  const { right, wrong } = asked;
  const failed = wrong && new Set(rowsOf(wrong).flatMap((row) => (isRight(row) ? [] : [row.question])));
  return rowsOf(right).find((row) => isRight(row) && failed?.has(row.question) !== false);
}

/** Said of a number that an arm is there for and that nothing tells. */
const UNKNOWN = "n/a";

/** Our numbers in the paper's own rows and columns, the published value behind each where ours is real. */
function reproducedGrid({ table, lines, unreal }: Reproduced): Table {
  const cellOf = (row: number, column: number): string => {
    const line = lines.find(({ at }) => at[0] === row && at[1] === column);
    const isPercent = table.rows.some(({ values }) => values[column]?.endsWith("%"));
    const ours = line === undefined ? dash : valueText(line, isPercent);
    return unreal === undefined ? `${ours} (${bare(table.rows[row]!.values[column]!)})` : ours; // a place of the table
  };
  const isUnknown = lines.some((line) => line.arm !== undefined && valueText(line, false) === UNKNOWN);
  const why = "the arm is there, the number is not (e.g. no question of that kind, no verdict, no timed call)";
  return {
    ...gridOf(table, cellOf),
    title: `${table.name} · ${table.title} · ${unreal ?? "ours (the paper's)"}`,
    legend: [
      ...(lines.some(({ arm }) => arm === undefined) ? [`${dash}: no such arm in these runs`] : []),
      ...(isUnknown ? [`${UNKNOWN}: ${why}`] : []),
    ],
  };
}

/** As the paper prints such numbers: a score as .513, percent where its column has percent, else two digits. */
function valueText({ ours, arm, metric }: ReproducedLine, isPercent: boolean): string {
  if (ours === undefined || Number.isNaN(ours)) return arm === undefined ? dash : UNKNOWN;
  if (isPercent) return `${(100 * ours).toFixed(1)}%`;
  const hasTwo = metric === "judge" || metric === "seconds" || selectionValues[metric] !== undefined;
  return hasTwo ? ours.toFixed(2).replace(/^-(0\.00)$/, "$1") : formatScore(ours);
}

/** Lays cells out as the paper does: a row a row, or transposed a row a column. */
export function gridOf(
  { name, rows, columns, transposed, heads = ["Method"] }: PaperTable,
  cellOf: (row: number, column: number) => string,
): Table {
  const named = columns.map(({ task, metric, title = metric, group = tasks.get(task).title.split(":")[0] }) =>
    group === "" || group === undefined ? { title } : { title, group },
  );
  const isGrouped = (transposed ? named : rows).some(({ group }) => group !== undefined);
  const grouped = (group = ""): string[] => (isGrouped ? [group] : []);
  const right = (column: Pick<Column, "title" | "group">): Column => ({ ...column, align: "right" });
  const [first, second = ""] = !transposed || heads[1] !== undefined ? heads : ["Dataset", "Metric"];
  const keys = !transposed ? heads : [...grouped(first), second];
  const titles = transposed ? rows.map(({ label }) => ({ title: label })) : named;
  return {
    ...{ name, keys: keys.length, columns: [...keys.map((title) => ({ title })), ...titles.map(right)] },
    rows: transposed
      ? named.map(({ group, title }, c) => [...grouped(group), title, ...rows.map((_, r) => cellOf(r, c))])
      : rows.map(({ label, group }, r) => [...grouped(group), label, ...columns.map((_, c) => cellOf(r, c))]),
  };
}

/** The values of a task with intervals of ours. */
function linesTable(title: string, lines: readonly ReproducedLine[]): Table {
  const marks = [
    ...lines.flatMap(({ method, suspect }) => (suspect === undefined ? [] : [`! ${method}: ${suspect}`])),
    ...lines.flatMap(({ arm, failed }) =>
      failed === 0 ? [] : [`* ${arm}: ${failed} ${nounOf(failed, "question")} failed and not in the scores`],
    ),
  ];
  const titles = ["published", "ours", "difference", "95 % of ours", "differs", "n"];
  return {
    ...{ title, keys: 3, notes: [...new Set(marks)], legend: LEGEND },
    columns: [
      ...["method", "ours is", "metric"].map((name): Column => ({ title: name })),
      ...titles.map((name): Column => ({ title: name, align: "right" })),
    ],
    rows: lines.map(({ group, method, arm, metric, better, printed, suspect, ours, failed, interval, ...line }) => [
      group === undefined ? method : `${group}, ${method}`,
      arm ?? dash,
      `${metric} (${better === "higher" ? "up" : "down"})`,
      `${bare(printed)}${suspect === undefined ? "" : "!"}`,
      `${formatScore(ours)}${failed > 0 ? "*" : ""}`,
      formatGain(line.difference),
      interval === undefined ? dash : `[${formatScore(interval.low)}, ${formatScore(interval.high)}]`,
      line.differs ? "yes" : dash,
      `${line.scored ?? dash} / ${line.paperCount ?? "?"}`,
    ]),
  };
}

const LEGEND = [
  "95 % of ours: for users drawn like these; a dash below 10 users",
  "differs: by more than chance and rounding, the paper's error taken as ours at its n; only where its n is known",
  "n: scored questions of ours / of the paper (?: not known); !: the published value is no target",
];
