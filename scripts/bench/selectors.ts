/**
 * `npm run bench -- selectors TASK FOLDER QUERIES EMBEDDER...`: every selector in `rag` at the same `k`, with each encoder: scores, calls and
 * tokens, and what is saved beside showing the whole past at an equal score. Users are split in two halves; `rums-logreg` is trained
 * on the utilities of one and tried on the other. `OUT=DIR` keeps the runs: the same command goes on from them.
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { scoreAll } from "../../src/metrics/score-all.js";
import { compareArms } from "../../src/report/compare/compare.js";
import { isScored, pairOf } from "../../src/report/pairs.js";
import { intervalOfRows } from "../../src/report/score-interval.js";
import { tasks } from "../../src/tasks/index.js";
import type { Metric, PhaseTotals, Row } from "../../src/types.js";
import { type ArmRows, armsOf, SELECTS } from "./selectors/arms.js";
import { halves } from "./selectors/halves.js";

export async function main([name = "", data = "", queries = "8", ...embedders]: string[]): Promise<void> {
  const task = tasks.get(name);
  const [metric] = task.metrics;
  if (metric === undefined || embedders.length === 0)
    throw new Error("bench -- selectors TASK FOLDER QUERIES EMBEDDER...");
  const out = resolve(process.env.OUT ?? mkdtempSync(join(tmpdir(), "selectors-")));
  const folders = halves(resolve(data), out);
  const columns: Column[] = [];
  for (const embedder of embedders) {
    const own = join(out, embedder.replace("/", "-"));
    const settings = { task: name, data, embedder, queriesPerUser: Number(queries), out: own };
    columns.push({ embedder, arms: await armsOf(settings, folders) });
  }
  console.log(table(columns, metric));
}

interface Column {
  readonly embedder: string;
  readonly arms: ArmRows;
}

function table(columns: readonly Column[], metric: Metric): string {
  const [first] = columns;
  const rows = first?.arms.get("none")?.filter(isScored) ?? [];
  const users = new Set(rows.map(({ user }) => user)).size;
  const head = [
    "`select`",
    ...columns.map(({ embedder }) => `${metric.name}, \`${embedder}\``),
    ...columns.map(({ embedder }) => `less \`all\`, \`${embedder}\``),
    "calls",
    "tokens",
    "the answer's prompt",
    "saved",
  ];
  return [
    `n=${rows.length}, ${users} users`,
    `| ${head.join(" | ")} |`,
    `|${" --- |".repeat(head.length)}`,
    ...SELECTS.map((select) => `| ${line(select, columns, metric).join(" | ")} |`),
  ].join("\n");
}

function line(select: string, columns: readonly Column[], metric: Metric): string[] {
  const own = columns.map(({ arms }) => arms.get(select) ?? []);
  const all = columns.map(({ arms }) => arms.get("all") ?? []);
  const cost = costOf(own[0] ?? []);
  const whole = costOf(all[0] ?? []).prompt;
  return [
    `\`${select}\``,
    ...own.map((rows) => scoreText(metric, rows)),
    ...own.map((rows, at) => (select === "all" ? "-" : differenceText(metric, all[at] ?? [], rows))),
    cost.calls.toFixed(1),
    thousands(cost.tokens),
    thousands(cost.prompt),
    select === "all" ? "-" : `${(100 * (1 - cost.prompt / whole)).toFixed(0)} %`,
  ];
}

const thousands = (value: number): string => Math.round(value).toLocaleString("en-US");
const three = (value: number): string => value.toFixed(3).replace(/^(-?)0\./, "$1.");
const signed = (value: number): string => `${value < 0 ? "" : "+"}${three(value)}`;

function scoreText(metric: Metric, rows: readonly Row[]): string {
  const scored = rows.filter(isScored);
  const value = scoreAll(metric, scored.map(pairOf));
  const interval = intervalOfRows(metric, scored, [...new Set(scored.map(({ cell }) => cell))]);
  return `${three(value)}${interval === undefined ? "" : ` [${three(interval.low)}, ${three(interval.high)}]`}`;
}

function differenceText(metric: Metric, all: readonly Row[], rows: readonly Row[]): string {
  const { metrics } = compareArms({ a: all, b: rows, metrics: [metric], seed: 0 });
  const { difference = Number.NaN, overUsers } = metrics[0] ?? {};
  const within =
    overUsers === undefined ? "" : ` [${signed(overUsers.interval.low)}, ${signed(overUsers.interval.high)}]`;
  return `${signed(difference)}${within}`;
}

/** Means a question. `prompt`: tokens that go in with the answer's own call. */
function costOf(rows: readonly Row[]) {
  const sum = (of: (row: Row) => number): number => rows.reduce((all, row) => all + of(row), 0) / rows.length;
  const over = (row: Row, of: (totals: PhaseTotals) => number): number =>
    Object.values(row.spend).reduce((all, totals) => all + of(totals), 0);
  return {
    calls: sum((row) => over(row, ({ calls }) => calls)),
    tokens: sum((row) => over(row, ({ in: given, out }) => given + out)),
    prompt: sum((row) => row.spend.answer?.in ?? 0),
  };
}
