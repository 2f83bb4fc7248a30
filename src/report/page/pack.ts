import { gzipSync } from "node:zlib";
import { scoreAll } from "../../metrics/score-all.js";
import { seeded } from "../../random/seeded.js";
import { armLabel } from "../../results/arms.js";
import { isMean, signOf } from "../../results/compare.js";
import type { ArmMaterial } from "../../results/gains.js";
import { groupBy } from "../../results/grouped.js";
import { isScored, pairOf } from "../../results/pairs.js";
import { countOf } from "../../text/count.js";
import type { Cell, Row, Spend, Trace, UnitRecord } from "../../types/index.js";
import { passagesOf, type StoredCall } from "../passages.js";
import { formatAmount } from "../tables/format.js";
import type { PackedAnswer, PackedArm, PackedQuestion, PackedRun, PackedTranscript } from "./packed.js";

/** Traces that are read when they are asked for; undefined: nothing was noted. */
export interface TraceSource {
  ofQuestion(cell: string, question: string): Trace | undefined;
  ofUnit(cell: string, unit: string): Trace | undefined;
  /** The stored calls of a trace, in the order to show them in. */
  callsOf(trace: Trace): readonly StoredCall[];
}

export interface AnswerMaterial extends ArmMaterial {
  readonly units: readonly UnitRecord[];
  readonly traces: TraceSource;
}

interface Packed {
  readonly run: PackedRun;
  /** Base64 of gzip of JSON lists of transcripts. */
  readonly chunks: readonly string[];
  /** Questions of the run; the pack lists fewer of a large one. */
  readonly questions: number;
}

interface Asked {
  readonly set: string;
  readonly repeat: number;
  readonly rows: readonly Row[];
}

/** Answers that a page lists, and characters of a question in that list. */
const [MOST_ROWS, ASKED_CHARS] = [20_000, 240];

export const compressed = (value: unknown): string => gzipSync(JSON.stringify(value)).toString("base64");

/** The answers of a run and their transcripts. Equal rows give equal bytes, whatever their order. */
export function packAnswers(material: AnswerMaterial, most = MOST_ROWS): Packed {
  const { cells, summaries, task } = material;
  const sets = [...new Set(cells.map(setOf))];
  const metrics = summaries.map((summary) => task(summary.task).metrics.find(isMean));
  const armOf = new Map(summaries.flatMap((summary, a) => summary.cells.map((id) => [id, a] as const)));
  const scoreOf = (row: Row): number | undefined => {
    const metric = metrics[armOf.get(row.cell) ?? -1];
    return metric === undefined || !isScored(row) ? undefined : rounded(scoreAll(metric, [pairOf(row)]));
  };
  const all = questionsOf(material);
  const listed = sample(all, { most, scoreOf, seed: cells[0]?.seed ?? 0 });
  const transcripts = transcriptsOf(listed, material);
  let answer = 0;
  const questions = listed.map(({ set, repeat, rows }): PackedQuestion => {
    const [{ question: id, content = "", user, gold }] = rows as [Row]; // there is a row of each question
    const answers = rows.map((row): PackedAnswer => {
      const { cell, unit, outcome } = row;
      const text = outcome.kind === "failed" ? outcome.error : outcome.reply;
      const [reading, value] = [outcome.kind === "failed" ? undefined : outcome.lenient, scoreOf(row)];
      return {
        ...{ arm: armOf.get(cell) ?? -1, cell, kind: outcome.kind, text },
        ...(reading === undefined ? {} : { reading }),
        ...(value === undefined ? {} : { value }),
        ...{ transcript: answer++, preparation: transcripts.preparation(cell, unit) },
      };
    });
    const asked = content.replace(/\s+/g, " ").slice(0, ASKED_CHARS);
    return { id, task: sets.indexOf(set), repeat, user, ...(gold === undefined ? {} : { gold }), asked, answers };
  });
  const arms = summaries.map((summary, a): PackedArm => {
    const metric = metrics[a];
    const shown = metric && { name: metric.name, better: metric.better, exact: task(summary.task).kind !== "text" };
    return { task: sets.indexOf(setOf(summary)), label: armLabel(summary), ...(shown && { metric: shown }) };
  });
  const run = { tasks: sets.map((set) => set.split("\t")[0]!), arms, questions, chunks: transcripts.starts };
  return { run, chunks: transcripts.chunks, questions: all.length };
}

const setOf = ({ task, dataset }: Pick<Cell, "task" | "dataset">): string => `${task}\t${dataset}`;

const rounded = (value: number): number => Math.round(value * 1e6) / 1e6;

/** In order of task, user, question and repeat. */
function questionsOf({ cells, rows }: Pick<AnswerMaterial, "cells" | "rows">): Asked[] {
  const places = new Map(cells.map((cell, place) => [cell.id, { cell, place }]));
  const known = rows.flatMap((row) => {
    const found = places.get(row.cell);
    return found === undefined ? [] : [{ row, ...found }];
  });
  const byQuestion = groupBy(known, ({ row, cell }) =>
    [setOf(cell), row.unit, row.question, String(cell.repeat).padStart(4, "0")].join("\t"),
  );
  return [...byQuestion]
    .sort(([a], [b]) => (a < b ? -1 : 1)) // by code units: the same order on every machine
    .map(([, answers]) => ({
      set: setOf(answers[0]!.cell), // groups are never empty
      repeat: answers[0]!.cell.repeat,
      rows: answers.sort((a, b) => a.place - b.place).map(({ row }) => row),
    }));
}

interface Choice {
  readonly most: number;
  readonly seed: number;
  readonly scoreOf: (row: Row) => number | undefined;
}

/** Of a large run questions with a failed answer, then those on which methods differ, then others, drawn by the run's seed. */
function sample(questions: readonly Asked[], { most, seed, scoreOf }: Choice): readonly Asked[] {
  if (questions.reduce((sum, { rows }) => sum + rows.length, 0) <= most) return questions;
  const rankOf = ({ rows }: Asked): number => {
    if (rows.some(({ outcome }) => outcome.kind === "failed")) return 0;
    const values = rows.flatMap((row) => scoreOf(row) ?? []);
    return signOf(Math.max(...values) - Math.min(...values)) === 0 ? 2 : 1;
  };
  const shuffled = seeded(`page ${seed}`).sample(questions, questions.length);
  let left = most;
  const chosen = [0, 1, 2]
    .flatMap((rank) => shuffled.filter((question) => rankOf(question) === rank))
    .filter(({ rows }) => {
      left -= rows.length;
      return left >= 0;
    });
  const kept = new Set(chosen);
  return questions.filter((question) => kept.has(question));
}

/** Characters of JSON: about what a browser opens in the time of a key press. */
const CHUNK_CHARS = 1 << 19;

/** Transcripts of all answers in order, then those of preparations, in chunks that the page opens one at a time. */
function transcriptsOf(questions: readonly Asked[], { units, traces }: AnswerMaterial) {
  const [starts, chunks]: [number[], string[]] = [[], []];
  let [parts, chars, count]: [string[], number, number] = [[], 0, 0];
  const close = (): void => {
    if (parts.length > 0) chunks.push(gzipSync(`[${parts.join(",")}]`).toString("base64"));
    [parts, chars] = [[], 0];
  };
  const add = (trace: Trace | undefined, record: Spent | undefined): void => {
    const passages = trace === undefined ? [] : passagesOf(trace, traces.callsOf(trace));
    const groups = passages.map((group) =>
      group.map(({ title, text }) => (text === undefined ? ([title] as const) : ([title, text] as const))),
    );
    if (parts.length === 0) starts.push(count);
    const text = JSON.stringify({ groups, cost: costOf(record) } satisfies PackedTranscript);
    parts.push(text);
    chars += text.length;
    count += 1;
    if (chars >= CHUNK_CHARS) close();
  };
  for (const row of questions.flatMap(({ rows }) => rows)) add(traces.ofQuestion(row.cell, row.question), row);
  const records = new Map(units.map((unit) => [unitKey(unit), unit]));
  const prepared = new Map<string, number>();
  for (const row of questions.flatMap(({ rows }) => rows)) {
    if (prepared.has(unitKey(row))) continue;
    prepared.set(unitKey(row), count);
    add(traces.ofUnit(row.cell, row.unit), records.get(unitKey(row)));
  }
  close();
  const preparation = (cell: string, unit: string): number => prepared.get(unitKey({ cell, unit })) ?? -1;
  return { starts, chunks, preparation };
}

const unitKey = ({ cell, unit }: Pick<Row, "cell" | "unit">): string => `${cell}\t${unit}`;

interface Spent {
  readonly spend: Spend;
  readonly incidents: Readonly<Record<string, number>>;
}

const costOf = (record: Spent | undefined): string =>
  [
    ...Object.entries(record?.spend ?? {}).map(
      ([phase, { calls, in: tokensIn, out }]) =>
        `${phase}: ${countOf(calls, "call")}, ${formatAmount(tokensIn)} + ${formatAmount(out)} tokens`,
    ),
    ...Object.entries(record?.incidents ?? {}).map(([name, count]) => `${name} ${count}`),
  ].join("; ");
