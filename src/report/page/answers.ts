import { gzipSync } from "node:zlib";
import type { StoredCall } from "../../record/stored-run.js";
import { scoreOfRow } from "../../results/answers.js";
import { armLabel } from "../../results/arms.js";
import type { ArmInput } from "../../results/compare.js";
import { isMean, ranked, signOf } from "../../results/compare.js";
import { groupBy } from "../../results/samples.js";
import { countOf } from "../../text/count.js";
import type { Row, Trace, UnitRecord } from "../../types/index.js";
import { formatAmount } from "../tables/format.js";
import { summariesOfTask, type TaskFacts } from "../tables/results.js";
import { passagesOf } from "../transcript.js";
import { CHUNK, type PageAnswer, type PageArm, type PageRun, type PageTranscript } from "./data.js";
import { packChunk } from "./pieces.js";

/** Traces that are read when they are asked for; undefined: nothing was noted. */
export interface TraceSource {
  ofQuestion(arm: string, question: string): Trace | undefined;
  ofUnit(arm: string, unit: string): Trace | undefined;
  callsOf(trace: Trace): readonly StoredCall[];
}

export interface AnswerInput extends ArmInput {
  readonly facts: readonly Pick<TaskFacts, "task" | "dataset">[];
  readonly units: readonly UnitRecord[];
  readonly traces: TraceSource;
}

interface EncodedAnswers {
  readonly run: PageRun;
  /** Base64 of gzip of JSON, one PageChunk each. */
  readonly chunks: readonly string[];
  /** Questions of the run; the page lists fewer of a large one. */
  readonly questions: number;
}

/** Answers that a page lists, and characters of a question in that list. */
const [MOST_ROWS, ASKED_CHARS] = [20_000, 240];

export const compressed = (value: unknown): string => gzipSync(JSON.stringify(value)).toString("base64");

/** Encodes the answers of a run and their transcripts. Equal rows give equal bytes, whatever their order. */
export function encodeAnswers(input: AnswerInput, most = MOST_ROWS): EncodedAnswers {
  const { specs, task, units, traces, facts } = input;
  const names = taskNames(facts);
  const tasks = facts.map(names.of);
  const summaries = facts.flatMap((fact) => ranked(summariesOfTask(fact, input.summaries)));
  const metrics = summaries.map((summary) => task(summary.task).metrics.find(isMean));
  const armOf = new Map(summaries.flatMap((summary, a) => summary.arms.map((id) => [id, a] as const)));
  const scoreOf = (row: Row): number | undefined => {
    const metric = metrics[armOf.get(row.arm) ?? -1];
    const value = metric && scoreOfRow(metric, row);
    return value === undefined ? undefined : Number(value.toFixed(6));
  };
  const transcripts: PageTranscript[] = [];
  const add = (trace: Trace | undefined, record: Spent | undefined): number => {
    const groups = trace === undefined ? [] : passagesOf(trace, traces.callsOf(trace));
    return transcripts.push({ groups, cost: costOf(record) }) - 1;
  };
  const records = new Map(units.map((unit) => [unitKey(unit), unit]));
  const prepared = new Map<string, number>();
  const preparationOf = (row: Row): number => {
    const key = unitKey(row);
    const number = prepared.get(key) ?? add(traces.ofUnit(row.arm, row.unit), records.get(key));
    prepared.set(key, number);
    return number;
  };
  const answerOf = (row: Row): PageAnswer => {
    const { outcome, arm, question } = row;
    const [text, reading] = outcome.kind === "failed" ? [outcome.error] : [outcome.reply, outcome.lenient];
    const value = scoreOf(row);
    return {
      ...{ arm: armOf.get(arm) ?? -1, kind: outcome.kind, text },
      ...(reading === undefined ? {} : { reading }),
      ...(value === undefined ? {} : { value }),
      ...{ transcript: add(traces.ofQuestion(arm, question), row), preparation: preparationOf(row) },
    };
  };
  const all = questionsOf(input);
  const questions = chosenQuestions(all, most, scoreOf).map((rows) => {
    const { arm, question: id, content = "", user, gold } = rows[0]!; // there is a row of each question
    const { repeat, ...spec } = specs.find((one) => one.id === arm)!; // rows are of arms of the run
    const asked = content.replace(/\s+/g, " ").slice(0, ASKED_CHARS);
    const answers = rows.map(answerOf);
    return {
      id,
      task: tasks.indexOf(names.of(spec)),
      repeat,
      user,
      ...(gold === undefined ? {} : { gold }),
      asked,
      answers,
    };
  });
  const arms = summaries.map((summary, a): PageArm => {
    const metric = metrics[a];
    const shown = metric && { name: metric.name, better: metric.better, exact: task(summary.task).kind !== "text" };
    return { task: tasks.indexOf(names.of(summary)), label: armLabel(summary), ...(shown && { metric: shown }) };
  });
  const chunks = Array.from({ length: Math.ceil(transcripts.length / CHUNK) }, (_, c) =>
    compressed(packChunk(transcripts.slice(c * CHUNK, (c + 1) * CHUNK))),
  );
  return { run: { tasks, arms, questions }, chunks, questions: all.length };
}

/** Names tasks: by the task, and by its data where it stands on several. */
export function taskNames(facts: readonly Pick<TaskFacts, "task" | "dataset">[]) {
  const isOnly = (task: string): boolean => facts.filter((fact) => fact.task === task).length < 2;
  return {
    of: ({ task, dataset }: Pick<TaskFacts, "task" | "dataset">): string =>
      isOnly(task) ? task : `${task} ${dataset}`,
  };
}

/** Returns the rows of each question in each repeat, in order of task, user, question and repeat. */
function questionsOf({ specs, rows }: Pick<AnswerInput, "specs" | "rows">): Row[][] {
  const places = new Map(specs.map((arm, place) => [arm.id, { ...arm, place }]));
  const known = rows.filter((row) => places.has(row.arm));
  const questions = groupBy(known, ({ arm, unit, question }) => {
    const { task, dataset, repeat } = places.get(arm)!;
    return [task, dataset, unit, question, String(repeat).padStart(4, "0")].join("\t");
  });
  return [...questions]
    .sort(([a], [b]) => (a < b ? -1 : 1)) // by code units: the same order on every machine
    .map(([, own]) => own.sort((a, b) => places.get(a.arm)!.place - places.get(b.arm)!.place));
}

/** Chooses of a large run first the questions with a failed answer, then those on which methods differ, then others. */
function chosenQuestions(
  questions: readonly Row[][],
  most: number,
  scoreOf: (row: Row) => number | undefined,
): Row[][] {
  const rankOf = (rows: readonly Row[]): number => {
    if (rows.some(({ outcome }) => outcome.kind === "failed")) return 0;
    const values = rows.flatMap((row) => scoreOf(row) ?? []);
    return signOf(Math.max(...values) - Math.min(...values)) === 0 ? 2 : 1;
  };
  const ranks = new Map(questions.map((rows) => [rows, rankOf(rows)]));
  let left = most;
  const kept = new Set(
    questions
      .toSorted((a, b) => ranks.get(a)! - ranks.get(b)!)
      .filter(({ length }) => {
        left -= length;
        return left >= 0;
      }),
  );
  return questions.filter((rows) => kept.has(rows));
}

const unitKey = ({ arm, unit }: Pick<Row, "arm" | "unit">): string => `${arm}\t${unit}`;

type Spent = Pick<Row, "spend" | "incidents">;

function costOf({ spend, incidents }: Spent = { spend: {}, incidents: {} }): string {
  const phases = Object.entries(spend).map(([phase, { calls, in: tokensIn, out }]) => {
    return `${phase}: ${countOf(calls, "call")}, ${formatAmount(tokensIn)} tokens in, ${formatAmount(out)} out`;
  });
  return [...phases, ...Object.entries(incidents).map(([name, count]) => `${name} ${count}`)].join("; ");
}
