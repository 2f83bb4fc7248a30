import { groupBy } from "../../results/samples.js";
import { tasks } from "../../tasks/index.js";
import { nounOf } from "../../text/count.js";
import { type Column, dash, type Table } from "../table.js";
import { formatGain, formatScore } from "../tables/format.js";
import { renderLatex } from "../tables/latex.js";
import { renderMarkdown, renderText } from "../tables/text.js";
import type { Reproduced, ReproducedLine } from "./beside.js";
import type { OwnArm } from "./own-arm.js";
import type { PaperTable } from "./paper.js";
import { selectionValues } from "./selection-values.js";

/** Said of a figure, or of a table of examples. */
export const NO_NUMBERS = "no published numbers: a picture, or an example";

/** Writes `0.513` as `.513`. */
export const bare = (printed: string): string => printed.replace(/^(-?)0\./, "$1.");

/** Prints the paper's own table filled by own runs, intervals and what else a reader must know. */
export function renderReproduced(reproduced: Reproduced, form: "text" | "markdown" | "latex"): string {
  const { table, lines, remarks, arms, whyAlone } = reproduced;
  const about = whyAlone === undefined ? [...table.caveats, ...table.notes] : [];
  const notes = [...remarks, ...about].map((note) => `- ${note}`);
  const views = viewsFor(table, arms).map((line) => `  ${line}`);
  const grids = table.rows.length === 0 ? [] : [{ ...reproducedGrid(reproduced), notes: [table.source] }];
  const detailed = lines.filter(
    ({ metric, arm, printed }) => selectionValues[metric] === undefined && (printed !== dash || arm !== undefined),
  );
  const byTask = whyAlone === undefined ? [...groupBy(detailed, ({ title }) => title)] : [];
  const isThere = (of: readonly ReproducedLine[]): boolean => of.some(({ arm }) => arm !== undefined);
  const tables = byTask.flatMap(([title, of]) => (isThere(of) ? [linesTable(title, of)] : []));
  const said = byTask.flatMap(([title, of]) => (isThere(of) ? [] : [`${title}: not in these runs`]));
  const rest = [
    ...(notes.length === 0 ? [] : [notes.join("\n")]),
    ...(views.length === 0 ? [] : [["to look at it:", ...views].join("\n")]),
  ];
  if (form === "latex") return renderLatex([...grids, ...tables], [...said, ...rest].join("\n").split("\n"));
  const drawn = (given: readonly Table[]): string[] =>
    given.length === 0 ? [] : [(form === "text" ? renderText : renderMarkdown)(...given)];
  const heading = [table.name, table.title, ...(whyAlone === undefined ? [] : [whyAlone])].join(" · ");
  const first = grids.length === 0 ? [`${heading}\n${table.source}`, NO_NUMBERS] : drawn(grids);
  return [...first, ...said, ...drawn(tables), ...rest].join("\n\n");
}

/** Fills in the commands that show a figure, for an arm of the method and its first answered question. */
export const viewsFor = (table: PaperTable, arms: readonly OwnArm[]): string[] =>
  table.views.flatMap((command) => {
    const method = /--method (\S+)/.exec(command)?.[1];
    const arm = arms.find(({ spec }) => method === undefined || spec.method === method);
    const row = arm?.rows.find(({ outcome }) => outcome.kind === "answered");
    if (arm === undefined || row === undefined) return [];
    const named = command.replace("RUN", arm.run).replace("QUESTION", row.question).replace("USER", row.user);
    return [`lamp-eval ${named}`];
  });

/** Stands where the arm is there, and its number cannot be told. */
const UNKNOWN = "n/a";

/** Our numbers in the paper's own rows and columns, the published value behind each where ours is real. */
function reproducedGrid({ table, lines, whyAlone }: Reproduced): Table {
  const cellOf = (row: number, column: number): string => {
    const line = lines.find(({ at }) => at[0] === row && at[1] === column);
    const isPercent = table.rows.some(({ values }) => values[column]?.endsWith("%"));
    const ours = line === undefined ? dash : valueText(line, isPercent);
    return whyAlone === undefined ? `${ours} (${bare(table.rows[row]!.values[column]!)})` : ours; // a place of the table
  };
  const isUnknown = lines.some((line) => line.arm !== undefined && valueText(line, false) === UNKNOWN);
  return {
    ...gridOf(table, cellOf),
    title: `${table.name} · ${table.title} · ${whyAlone ?? "ours (the paper's)"}`,
    legend: [
      ...(lines.some(({ arm }) => arm === undefined) ? [`${dash}: no such arm in these runs`] : []),
      ...(isUnknown
        ? [`${UNKNOWN}: the arm has no such number (no question of that kind, no verdict, no timing)`]
        : []),
      ...(lines.some(({ verdicts }) => verdicts !== undefined)
        ? ["n: verdicts at the 70th percentile of confidence or above"]
        : []),
    ],
  };
}

/** As the paper prints such numbers: a score as .513, percent where its column has percent, else two digits. */
function valueText({ ours, arm, metric, verdicts }: ReproducedLine, isPercent: boolean): string {
  if (ours === undefined || Number.isNaN(ours)) return arm === undefined ? dash : UNKNOWN;
  if (isPercent) return `${(100 * ours).toFixed(1)}%`;
  const count = verdicts === undefined ? "" : ` n=${verdicts}`;
  const hasTwo = metric === "judge" || metric === "seconds" || selectionValues[metric] !== undefined;
  return (hasTwo ? ours.toFixed(2).replace(/^-(0\.00)$/, "$1") : formatScore(ours)) + count;
}

type CellOf = (row: number, column: number) => string;

/** Lays cells out as the paper does: a row a row, or transposed a row a column. */
export function gridOf(table: PaperTable, cellOf: CellOf): Table {
  const { name, rows, columns } = table;
  const named = columns.map(({ task, metric, title = metric, group = tasks.get(task).title.split(":")[0] }) =>
    group === "" || group === undefined ? { title } : { title, group },
  );
  const lines = table.transposed
    ? named.map(({ title, group }, c) => ({ label: title, group, cells: rows.map((_, r) => cellOf(r, c)) }))
    : rows.map(({ label, group }, r) => ({ label, group, cells: columns.map((_, c) => cellOf(r, c)) }));
  const isGrouped = lines.some(({ group }) => group !== undefined);
  const heads = table.heads ?? (table.transposed ? ["Dataset", "Metric"] : ["Method"]);
  const keys = isGrouped ? heads : heads.slice(-1);
  const titles = table.transposed ? rows.map(({ label }) => ({ title: label })) : named;
  return {
    name,
    keys: keys.length,
    columns: [...keys.map((title) => ({ title })), ...titles.map((one): Column => ({ ...one, align: "right" }))],
    rows: lines.map(({ label, group, cells }) => [...(isGrouped ? [group ?? ""] : []), label, ...cells]),
  };
}

/** The values of a task with intervals of ours. */
function linesTable(title: string, lines: readonly ReproducedLine[]): Table {
  const targets = lines.flatMap(({ method, suspect }) => (suspect === undefined ? [] : [`! ${method}: ${suspect}`]));
  const failures = lines.flatMap(({ arm, failed }) =>
    failed === 0 ? [] : [`* ${arm}: ${failed} ${nounOf(failed, "question")} failed and not in the scores`],
  );
  const titles = ["published", "ours", "difference", "95 % of ours", "differs", "n"];
  return {
    ...{ title, keys: 3, notes: [...new Set([...targets, ...failures])], legend: LEGEND },
    columns: [
      ...["method", "ours is", "metric"].map((name): Column => ({ title: name })),
      ...titles.map((name): Column => ({ title: name, align: "right" })),
    ],
    rows: lines.map(({ method, group, arm, metric, better, interval, ...line }) => [
      group === undefined ? method : `${group}, ${method}`,
      arm ?? dash,
      `${metric} (${better === "higher" ? "up" : "down"})`,
      `${bare(line.printed)}${line.suspect === undefined ? "" : "!"}`,
      `${formatScore(line.ours)}${line.failed > 0 ? "*" : ""}`,
      formatGain(line.difference),
      interval === undefined ? dash : `[${formatScore(interval.low)}, ${formatScore(interval.high)}]`,
      line.differs ? "yes" : dash,
      `${line.scored ?? dash} / ${line.paperCount ?? "?"}`,
    ]),
  };
}

const LEGEND = [
  "95 % of ours: interval over users; a dash below 10 users",
  "differs: outside the 95 % interval of the difference, the paper's error taken as ours; only where its n is known",
  "n: scored questions of ours / of the paper (?: not known); !: the published value is no target",
];
