import { scoreAll } from "../../metrics/score-all.js";
import { seeded } from "../../random/seeded.js";
import { armLabel } from "../../results/arms.js";
import { isMean, signOf } from "../../results/compare.js";
import { groupBy } from "../../results/grouped.js";
import { isScored, pairOf } from "../../results/pairs.js";
import type { Summary } from "../../results/summary.js";
import type { Cell, Metric, Row, Task } from "../../types/index.js";
import { formatAmount } from "../tables/format.js";
import { html, type Markup } from "./markup.js";
import type { PackedRun } from "./packed.js";
import { type AnsweredQuestion, packTranscripts, type TranscriptMaterial } from "./transcripts.js";

interface AnswerMaterial extends Omit<TranscriptMaterial, "questions"> {
  readonly summaries: readonly Summary[];
  readonly task: (name: string) => Task;
  readonly rows: readonly Row[];
}

interface PackedAnswers {
  readonly packed: PackedRun;
  readonly answerTexts: readonly string[];
  readonly unitTexts: readonly string[];
  /** What is left out of a large run. */
  readonly leftOut?: Markup;
}

/** The answers of a run and their transcripts; of more than `most` those of some questions. Equal rows give equal bytes, whatever their order. */
export function packAnswers(material: AnswerMaterial, most = MOST_ROWS): PackedAnswers {
  const { cells, summaries, task } = material;
  const metrics = new Map(summaries.map((summary) => [summary, task(summary.task).metrics.find(isMean)]));
  const armOfCell = new Map(summaries.flatMap((summary, a) => summary.cells.map((id) => [id, a] as const)));
  const worthOf = (row: Row): number | null => {
    const summary = summaries[armOfCell.get(row.cell) ?? -1];
    return scoreOf(row, summary && metrics.get(summary));
  };
  const sets = [...groupBy(cells, setOf).values()].map(([cell]) => cell!); // groups are never empty
  const { questions, leftOut } = sample(questionsOf(material), { most, worthOf, seed: cells[0]?.seed ?? 0 });
  const { answerTexts, unitTexts, asked, ...transcripts } = packTranscripts({ ...material, questions });
  const placeOfCell = new Map(cells.map(({ id }, c) => [id, c]));
  const unitPlaces = new Map(transcripts.units.map(({ name, cell }, u) => [`${cell}\t${name}`, u]));
  const [users, texts] = [new TextList(), new TextList()];
  const rows = questions.flatMap((question) => question.rows);
  const cell = rows.map((row) => placeOfCell.get(row.cell) ?? -1);
  const packed: PackedRun = {
    tasks: sets.map(({ task, dataset }) =>
      sets.filter((set) => set.task === task).length === 1 ? task : `${task} (${dataset})`,
    ),
    arms: summaries.map((summary) => ({
      task: sets.findIndex((set) => setOf(set) === setOf(summary)),
      label: armLabel(summary),
      ...metricOf(metrics.get(summary), task(summary.task)),
    })),
    cells: cells.map(({ id, repeat }) => ({ id, repeat, arm: armOfCell.get(id) ?? -1 })),
    questions: questions.map(({ task, repeat, rows: [row] }, q) => ({
      id: row!.question, // there is a row of each question
      user: users.of(row?.user),
      gold: texts.of(row?.gold),
      asked: asked[q] ?? "",
      task,
      repeat,
    })),
    question: questions.flatMap((question, q) => question.rows.map(() => q)),
    cell,
    kind: rows.map(({ outcome }) => outcome.kind[0]).join(""),
    reply: rows.map(({ outcome }) => texts.of(outcome.kind === "failed" ? outcome.error : outcome.reply)),
    reading: rows.map(({ outcome }) => texts.of(outcome.kind === "failed" ? undefined : outcome.lenient)),
    value: rows.map(worthOf),
    unit: rows.map(({ unit }, r) => unitPlaces.get(`${cell[r]}\t${unit}`) ?? -1),
    users: users.all,
    texts: texts.all,
    ...transcripts,
  };
  return { packed, answerTexts, unitTexts, ...(leftOut === undefined ? {} : { leftOut }) };
}

const setOf = ({ task, dataset }: Pick<Cell, "task" | "dataset">): string => `${task}\t${dataset}`;

/** In order of task, unit, question and repeat. */
function questionsOf({ cells, rows }: Pick<AnswerMaterial, "cells" | "rows">): AnsweredQuestion[] {
  const sets = [...new Set(cells.map(setOf))];
  const placeOf = new Map(cells.map((cell, place) => [cell.id, { cell, place, task: sets.indexOf(setOf(cell)) }]));
  const known = rows.flatMap((row) => {
    const found = placeOf.get(row.cell);
    return found === undefined ? [] : [{ row, ...found }];
  });
  const byQuestion = groupBy(known, ({ row, cell, task }) =>
    [String(task).padStart(4, "0"), row.unit, row.question, String(cell.repeat).padStart(4, "0")].join("\t"),
  );
  return [...byQuestion]
    .sort(([a], [b]) => (a < b ? -1 : 1)) // by code units: the same order on every machine
    .map(([, answers]) => ({
      task: answers[0]!.task, // groups are never empty
      repeat: answers[0]!.cell.repeat,
      rows: answers.sort((a, b) => a.place - b.place).map(({ row }) => row),
    }));
}

/** Answers that a page lists. */
const MOST_ROWS = 20_000;

interface Choice {
  readonly most: number;
  readonly seed: number;
  readonly worthOf: (row: Row) => number | null;
}

/** Of a large run questions with a failed answer, then those on which methods differ, then others, drawn by the run's seed. */
function sample(
  questions: readonly AnsweredQuestion[],
  { most, seed, worthOf }: Choice,
): { readonly questions: readonly AnsweredQuestion[]; readonly leftOut?: Markup } {
  if (questions.reduce((sum, { rows }) => sum + rows.length, 0) <= most) return { questions };
  const kinds = { failed: "with a failed answer", flipped: "on which methods differ", others: "others" };
  const byKind = groupBy(questions, ({ rows }) => {
    if (rows.some(({ outcome }) => outcome.kind === "failed")) return "failed";
    const values = rows.flatMap((row) => worthOf(row) ?? []);
    return signOf(Math.max(...values) - Math.min(...values)) === 0 ? "others" : "flipped";
  });
  const listed = new Set<AnsweredQuestion>();
  let left = most;
  const said = Object.entries(kinds).map(([kind, name]) => {
    const all = byKind.get(kind) ?? [];
    let count = 0;
    for (const question of seeded(`page ${seed}`).fork(kind).sample(all, all.length)) {
      if (left < question.rows.length) break;
      left -= question.rows.length;
      listed.add(question);
      count += 1;
    }
    return `${formatAmount(count)} of ${formatAmount(all.length)} ${name}`;
  });
  return {
    questions: questions.filter((question) => listed.has(question)),
    leftOut: html`<p class="banner" role="note" id="left-out"><strong>${formatAmount(listed.size)} of ${formatAmount(questions.length)} questions</strong> are listed: ${said.join(", ")}, drawn with seed ${seed}. Tables and charts count all; <code>lamp-eval show RUN --question ID</code> prints any.</p>
`,
  };
}

function metricOf(metric: Metric | undefined, { kind }: Task): Pick<PackedRun["arms"][number], "metric"> {
  if (metric === undefined) return {};
  return { metric: { name: metric.name, better: metric.better, exact: kind !== "text" } };
}

const VALUE_DIGITS = 1e6;

function scoreOf(row: Row, metric: Metric | undefined): number | null {
  if (metric === undefined || !isScored(row)) return null;
  const value = scoreAll(metric, [pairOf(row)]);
  return Math.round(value * VALUE_DIGITS) / VALUE_DIGITS;
}

/** The different texts of a list, and the index of each. */
class TextList {
  readonly #indexes = new Map<string, number>();

  get all(): string[] {
    return [...this.#indexes.keys()];
  }

  of(text: string | undefined): number {
    if (text === undefined) return -1;
    const known = this.#indexes.get(text);
    if (known !== undefined) return known;
    this.#indexes.set(text, this.#indexes.size);
    return this.#indexes.size - 1;
  }
}
