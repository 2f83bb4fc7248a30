import { tasks } from "../../tasks/index.js";
import type { PaperColumn, PaperTable } from "../papers/paper.js";
import { type Column, dash, type Table } from "../table.js";
import { formatGain, formatScore } from "../tables/format.js";
import type { Reproduced, ReproducedLine } from "./beside-paper.js";
import { selectionValues } from "./selection-values.js";

/** Our numbers in the paper's own rows and columns, the published value behind each where ours is real. */
export function reproducedGrid({ table, lines, unreal }: Reproduced): Table {
  const isPartial = lines.some(({ ours }) => ours === undefined);
  const cellOf = (row: number, column: number): string => {
    const line = lines.find(({ at }) => at.row === row && at.column === column);
    const printed = printedAt(table, row, column);
    const isPercent = table.rows.some((one) => one.printed[column]?.endsWith("%"));
    const ours = shown(line?.ours, table.columns[column]!, isPercent); // an index of the table
    return unreal === undefined ? `${ours} (${printed.replace(/^0\./, ".")})` : ours;
  };
  return {
    ...gridOf(table, cellOf),
    title: `${table.name} · ${table.title} · ${unreal ?? "ours (the paper's)"}`,
    legend: [
      ...(isPartial ? [`${dash}: not in these runs`] : []),
      ...(table.labelled === true && unreal !== undefined ? [OWN_SETS] : []),
    ],
  };
}

/** Of a figure, or of a table of examples. */
export const NO_NUMBERS = "no published numbers: a picture, or an example";

export const printedAt = ({ rows }: PaperTable, row: number, column: number): string => rows[row]!.printed[column]!; // rows are as wide as the columns

export function gridOf(table: PaperTable, cellOf: (row: number, column: number) => string): Table {
  const { rows, columns, transposed } = table;
  const names = columns.map(nameOf);
  const base = { name: table.name };
  const heads = table.heads ?? ["Method"];
  if (transposed) {
    const isGrouped = names.some(({ group }) => group !== undefined);
    return {
      ...base,
      columns: [
        ...(isGrouped ? [{ title: heads[1] === undefined ? "Dataset" : heads[0]! }] : []),
        { title: heads[1] ?? "Metric" },
        ...rows.map(({ method }): Column => ({ title: method, align: "right" })),
      ],
      keys: isGrouped ? 2 : 1,
      rows: names.map(({ group, title }, c) => [
        ...(isGrouped ? [group ?? ""] : []),
        title,
        ...rows.map((_, r) => cellOf(r, c)),
      ]),
    };
  }
  const isGrouped = rows.some(({ group }) => group !== undefined);
  return {
    ...base,
    columns: [...heads.map((title) => ({ title })), ...names.map((name): Column => ({ ...name, align: "right" }))],
    keys: heads.length,
    rows: rows.map(({ method, group }, r) => [
      ...(isGrouped ? [group ?? ""] : []),
      method,
      ...columns.map((_, c) => cellOf(r, c)),
    ]),
  };
}

const OWN_SETS =
  "questions whose labels name no data set count as made ones: under PersonaFeedback where they gain, else under FreebaseQA";

function nameOf({ task, metric, title = metric, group }: PaperColumn): Pick<Column, "title" | "group"> {
  const heading = group ?? tasks.get(task).title.split(":")[0];
  return heading === undefined || heading === "" ? { title } : { title, group: heading };
}

/** As the paper prints such numbers: a score as .513, percent where its column has percent, else two digits. */
function shown(value: number | undefined, { metric }: PaperColumn, isPercent: boolean): string {
  if (value === undefined || Number.isNaN(value)) return dash;
  if (isPercent) return `${(100 * value).toFixed(1)}%`;
  return metric === "judge" || metric === "seconds" || selectionValues[metric] !== undefined
    ? value.toFixed(2).replace(/^-(0\.00)$/, "$1")
    : formatScore(value);
}

/** The lines of one task with their intervals: missing values are dashes. */
export function linesTable(title: string, lines: readonly ReproducedLine[]): Table {
  return {
    title,
    keys: 3,
    columns: [
      { title: "method" },
      { title: "ours is" },
      { title: "metric" },
      ...["theirs", "ours", "delta", "95 %", "ours - theirs", "differs", "n"].map(
        (name): Column => ({ title: name, align: "right" }),
      ),
    ],
    rows: lines.map((line) => [
      line.group === undefined ? line.method : `${line.group}, ${line.method}`,
      line.arm ?? dash,
      `${line.metric} (${line.better === "higher" ? "up" : "down"})`,
      `${line.printed.replace(/^0\./, ".")}${line.suspect === undefined ? "" : "!"}`,
      `${formatScore(line.ours)}${line.failed > 0 ? "*" : ""}`,
      formatGain(line.delta),
      line.interval === undefined ? dash : `[${formatScore(line.interval.low)}, ${formatScore(line.interval.high)}]`,
      line.difference === undefined
        ? dash
        : `[${formatGain(line.difference.low)}, ${formatGain(line.difference.high)}]`,
      line.differs === undefined ? dash : line.differs ? "yes" : "not shown",
      sizes(line),
    ]),
    notes: markNotes(lines),
    legend: LEGEND,
  };
}

const LEGEND = [
  "ours: strict reading, 95 % interval for users drawn like these (a dash below 10 users); delta: ours - theirs",
  "ours - theirs: 95 % interval with both errors and the rounding in it, the paper's by its derived counts at one question a user (accuracy, MAE, RMSE), of macro metrics by the error of ours at its n; a dash elsewhere; differs: whether 0 lies outside",
  "n: scored questions, ours / the paper's test set (derived; ? where it cannot be); != marks another test set, ! a published value that is no target, * failed questions",
];

/** What the marks stand for: published values that are no target, failed questions. */
function markNotes(lines: readonly ReproducedLine[]): string[] {
  const suspects = lines.flatMap(({ method, suspect }) => (suspect === undefined ? [] : [`! ${method}: ${suspect}`]));
  const failures = lines.flatMap(({ arm, failed }) =>
    failed === 0 ? [] : [`* ${arm}: ${failed} question${failed === 1 ? "" : "s"} failed and not in the scores`],
  );
  return [...new Set([...suspects, ...failures])];
}

/** `123 / 123`, `100 / 123 !=`, `- / ?`. */
function sizes({ scored, count, paperCount }: ReproducedLine): string {
  const other = count !== undefined && paperCount !== undefined && count !== paperCount ? " !=" : "";
  return `${scored ?? dash} / ${paperCount ?? "?"}${other}`;
}

/** Whether intervals say more than the grid. */
export const hasLines = ({ metric }: PaperTable["columns"][number]): boolean => selectionValues[metric] === undefined;
