import { seeded } from "../../src/random/seeded.js";
import { intervalsOfSums } from "../../src/statistics/bootstrap.js";
import { clusterSums } from "../../src/statistics/cluster-sums.js";
import { tasks } from "../../src/tasks/index.js";
import type { Pair, Random, Task } from "../../src/types.js";

const ROWS = 10_000;
const RESAMPLES = 2_000;
const ROUNDS = 3;
const GOAL_MS = 2_000;
const WORDS = "the of a new study on how city storm wins market data learning graph model film review night".split(" ");

/** 95 % intervals of all metrics of a task over 10,000 rows, from texts to bounds, against the floor of only drawing users. The exit code is 1 where the goal is missed. */
export async function main(): Promise<void> {
  console.log(
    `${ROWS.toLocaleString("en-US")} rows, ${RESAMPLES.toLocaleString("en-US")} resamples, fastest of ${ROUNDS}`,
  );
  for (const name of ["lamp2m", "lamp2n", "lamp3", "lamp4"])
    for (const users of [100, 1_000, ROWS]) report(tasks.get(name), users);
}

// --- internal ---

function report(task: Task, users: number): void {
  const clusters = population(task, users);
  const addMs = fastest(() => task.metrics.map((metric) => clusterSums(metric, clusters)));
  const sums = task.metrics.map((metric) => clusterSums(metric, clusters));
  const resampleMs = fastest(() => intervalsOfSums(sums, { resamples: RESAMPLES, seed: 1 }));
  const drawMs = fastest(() => drawOnly(users));
  const totalMs = addMs + resampleMs;
  if (totalMs >= GOAL_MS) process.exitCode = 1;
  console.log(
    [
      `${task.name} (${task.metrics.length} metrics), ${users} users:`.padEnd(36),
      `score ${addMs.toFixed(0)} ms,`,
      `resample ${resampleMs.toFixed(0)} ms,`,
      `total ${totalMs.toFixed(0)} ms${totalMs < GOAL_MS ? "" : " TOO SLOW"};`,
      `floor (draws alone) ${drawMs.toFixed(0)} ms, ratio ${(resampleMs / drawMs).toFixed(1)}`,
    ].join(" "),
  );
}

function population(task: Task, users: number): Pair[][] {
  const random = seeded("bootstrap bench");
  const answer = answerOf(task, random);
  return Array.from({ length: users }, () =>
    Array.from({ length: ROWS / users }, () => {
      const gold = answer();
      return { gold, prediction: random.next() < 0.5 ? gold : answer() };
    }),
  );
}

function answerOf({ kind, labels }: Task, random: Random): () => string {
  const words = { label: labels, rating: ["1", "2", "3", "4", "5"], text: WORDS }[kind];
  const word = () => words[random.below(words.length)] ?? "";
  return kind === "text" ? () => Array.from({ length: 10 }, word).join(" ") : word;
}

function drawOnly(users: number): Int32Array {
  const random = seeded(1);
  const weights = new Int32Array(users);
  for (let i = 0; i < RESAMPLES; i++) for (let draw = 0; draw < users; draw++) weights[random.below(users)]! += 1;
  return weights;
}

function fastest(work: () => unknown): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    work();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}
