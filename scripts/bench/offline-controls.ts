/**
 * Does the embedded model profit from evidence, and only from evidence? Exact-answer accuracy of the workflow methods
 * beside the user's majority label, and of rag with spoilt histories. `--data <folder>` (repeatable) takes folders with
 * `users.json` and `users_label.json`; the default is the built-in demo data.
 */
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { majorityFloor } from "../../src/run/floor.js";
import type { Task, Unit } from "../../src/types.js";
import { answerAll, type Score } from "./offline-controls/answer-all.js";
import { type Control, deranged, exchanged, shuffled, untouched } from "./offline-controls/controls.js";
import { readHistories } from "./offline-controls/histories.js";

interface Column {
  readonly title: string;
  readonly method: string;
  readonly settings: Readonly<Record<string, string | number>>;
  readonly control: Control;
}

const plain = (title: string, method: string, settings: Column["settings"] = {}): Column => ({
  title,
  method,
  settings,
  control: untouched,
});

const columns = {
  prompt: plain("prompt", "prompt"),
  icl: plain("icl", "icl"),
  rag: plain("rag 4", "rag"),
  rag16: plain("rag 16", "rag", { "rag.k": 16 }),
  counts: plain("pag counts", "pag", { "pag.summary": "counts" }),
  summary: plain("pag llm", "pag"),
  deranged: { ...plain("(a) deranged", "rag"), control: deranged },
  exchanged: { ...plain("(b) other user", "rag"), control: exchanged },
  shuffled: { ...plain("(c) shuffled", "rag"), control: shuffled },
};

type Results = Readonly<Record<keyof typeof columns, Score>>;

export async function main(args: string[]): Promise<void> {
  console.log(
    "SIMULATED: offline/lexical, temperature 0.1; exact-answer accuracy; controls (a) (b) (c) spoil rag's history, k=4",
  );
  const titles = Object.values(columns).map(({ title }) => title);
  console.log(["data".padEnd(18), ...["n", "labels", "majority", ...titles, "calls/s"].map(cell)].join(""));
  for (const folder of foldersOf(args)) await measure(folder);
}

async function measure(folder: string): Promise<void> {
  const { name, task, units } = readHistories(folder);
  if (task.summary.counts === undefined) {
    console.log(`${name}: skipped, ${task.name} has no labels of a fixed set in its histories`);
    return;
  }
  const majority = majorityAccuracy(task, units);
  const scores: Partial<Record<keyof typeof columns, Score>> = {};
  for (const [key, { method, settings, control }] of Object.entries(columns) as [keyof typeof columns, Column][])
    scores[key] = await answerAll(task, control(units, task), method, settings);
  const results = scores as Results; // every column was just filled
  const shares = Object.values(results).map(({ accuracy }) => accuracy.toFixed(3));
  const { count, callsPerSecond } = results.rag;
  const line = [count, task.labels.length, majority.toFixed(3), ...shares, Math.round(callsPerSecond)];
  console.log([name.padEnd(18), ...line.map((value) => cell(String(value)))].join(""));
  for (const [claim, holds] of claims(results, majority, task)) console.log(`  ${holds ? "ok  " : "MISS"} ${claim}`);
}

function claims(results: Results, majority: number, task: Task): [string, boolean][] {
  const { prompt, rag, counts, deranged, exchanged } = results;
  const chance = 1 / task.labels.length;
  const bound = prompt.accuracy + 0.2 * (rag.accuracy - prompt.accuracy);
  return [
    [`prompt is clearly above chance (${chance.toFixed(3)})`, prompt.accuracy >= 1.5 * chance],
    ["rag is above prompt", rag.accuracy > prompt.accuracy],
    ["pag with counts >= max(majority, rag) - .02", counts.accuracy >= Math.max(majority, rag.accuracy) - 0.02],
    [`(a) keeps at most 20 % of rag's gain (<= ${bound.toFixed(3)})`, deranged.accuracy <= bound],
    ...(task.kind === "rating" ? [] : [personal(exchanged, rag)]), // most people rate high: ratings transfer between users
  ];
}

const personal = (exchanged: Score, rag: Score): [string, boolean] => [
  "(b) is clearly below rag (-.05)",
  exchanged.accuracy <= rag.accuracy - 0.05,
];

function majorityAccuracy(task: Task, units: readonly Unit[]): number {
  const exact: Task = { ...task, metrics: [exactAnswers] };
  return majorityFloor(exact, units)?.values[exactAnswers.name] ?? Number.NaN;
}

/** Ratings are compared as labels here, so that one yardstick serves all tasks. */
const exactAnswers: Task["metrics"][number] = {
  name: "exact",
  title: "exact answers",
  better: "higher",
  source: "share of answers equal to gold",
  width: 1,
  add({ prediction, gold }, sums, offset = 0) {
    sums[offset] = (sums[offset] ?? 0) + (prediction === gold ? 1 : 0);
  },
  value: (sums, count) => (sums[0] ?? 0) / count,
};

function foldersOf(args: readonly string[]): string[] {
  const given = args.flatMap((arg, i) => (args[i - 1] === "--data" ? [arg] : []));
  if (given.length > 0) return given;
  const demo = fileURLToPath(new URL("../../datasets/demo", import.meta.url));
  return ["lamp2m", "lamp2n", "lamp3"].map((task) => path.join(demo, task)).filter((folder) => existsSync(folder));
}

const cell = (text: string): string => text.padStart(15);
