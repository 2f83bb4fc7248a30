import { scoreAll } from "../metrics/score-all.js";
import { median } from "../statistics/quantile.js";
import { pySplit, pyStrip } from "../text/python.js";
import type { Row, Task } from "../types/index.js";
import { armLabel } from "./arms.js";
import { compareIfAny } from "./compare/compare.js";
import { type ArmMaterial, gainEstimate, rowsByArm } from "./gains.js";
import { groupBy } from "./grouped.js";
import { isScored, pairOf, type ScoredRow, strictText } from "./pairs.js";
import { headingMark } from "./simulated.js";
import type { Summary } from "./summary.js";
import { type ColumnOf, rowsOfItems, type Table } from "./table.js";
import { formatGain, formatScore } from "./tables/format.js";

interface LengthMaterial extends ArmMaterial {
  /** The method that gains are counted from. */
  readonly over: string;
}

interface Arm {
  readonly summary: Summary;
  readonly rows: readonly Row[];
  /** The arm of `over`. */
  readonly reference: readonly Row[] | undefined;
}

/**
 * Of tasks of long texts, how long the answers are, since ROUGE follows length: a model that does not stop loses, whatever it knows of
 * the user. Beside it the mean as LongLaMP's own scorer takes it, which leaves out questions without an answer.
 */
export function lengthTables({ summaries, cells, rows, task, over }: LengthMaterial): Table[] {
  const rowsOf = rowsByArm(rows);
  const long = summaries.filter((summary) => task(summary.task).long === true);
  return [...groupBy(long, (one) => `${one.task}-${one.dataset}`)].map(([name, ofTask]) => {
    const { metrics, title } = task(ofTask[0]!.task);
    const metric = metrics[0]!; // every task has one
    const arms = ofTask.map((summary): Arm => {
      const reference = ofTask.find((other) => other.method === over && other.model === summary.model);
      const isOther = reference !== undefined && reference.method !== summary.method;
      return { summary, rows: rowsOf(summary), reference: isOther ? rowsOf(reference) : undefined };
    });
    const seedOf = ({ cells: [id] }: Summary): number => cells.find((cell) => cell.id === id)?.seed ?? 0;
    const ended = ({ summary, rows: b, reference: a }: Arm) =>
      a === undefined
        ? undefined
        : compareIfAny({ a: a.filter(hasEnded), b: b.filter(hasEnded), metrics: [metric], seed: seedOf(summary) });
    const columns: ColumnOf<Arm>[] = [
      { title: "method", cell: ({ summary }) => armLabel(summary) },
      {
        title: "length/gold",
        format: formatScore,
        cell: ({ rows: own }) => median(own.filter(isScored).flatMap(ratio)),
      },
      { title: "cut", format: formatScore, cell: ({ rows: own }) => cutShare(own) },
      { title: `${metric.name} official`, format: formatScore, cell: ({ rows: own }) => officialMean(metric, own) },
      { title: "n official", format: String, cell: ({ rows: own }) => own.filter(isScored).filter(hasText).length },
      {
        title: `gain over ${over}, both ended`,
        format: formatGain,
        interval: true,
        cell: (arm) => gainEstimate(ended(arm)),
      },
      { title: "n both", format: String, cell: (arm) => ended(arm)?.questions },
    ];
    return {
      name: `${name}-lengths`,
      title: `${title.split(":")[0]} · ${ofTask[0]!.dataset} data · lengths${headingMark(ofTask)}`,
      ...rowsOfItems(columns, arms),
      legend: [
        "length/gold: words of the answer by words of the gold, median; cut: share of answers stopped by the token limit",
        "official: the mean that leaves out empty and failed answers, as LongLaMP's scorer does",
        "both ended: on questions whose two answers stopped by themselves; n both counts these questions, n official answers",
      ],
    };
  });
}

/** Counted where a reply was stopped by its token limit. */
export const CUT = ["answer-cut", "agent-reply-cut"];

const isCut = ({ incidents }: Row): boolean => CUT.some((name) => (incidents[name] ?? 0) > 0);

/** Whether the answer stopped by itself. Nobody knows of answers that another program asked for. */
const hasEnded = (row: Row): boolean => row.spendUnknown !== true && row.outcome.kind !== "failed" && !isCut(row);

function cutShare(rows: readonly Row[]): number | undefined {
  const answers = rows.filter((row) => row.spendUnknown !== true && row.outcome.kind !== "failed");
  return answers.length === 0 ? undefined : answers.filter(isCut).length / answers.length;
}

const hasText = (row: Row): boolean => pyStrip(strictText(row)) !== "";

function officialMean(metric: Task["metrics"][number], rows: readonly Row[]): number | undefined {
  const pairs = rows.filter(isScored).filter(hasText).map(pairOf);
  return pairs.length === 0 ? undefined : scoreAll(metric, pairs);
}

function ratio(row: ScoredRow): number[] {
  const gold = pySplit(row.gold).length;
  return gold === 0 ? [] : [pySplit(strictText(row)).length / gold];
}
