import { poolOf } from "../../../src/data/others.js";
import { defaultEmbedder, openEmbedder } from "../../../src/embedders/index.js";
import { methods } from "../../../src/methods/index.js";
import { offline } from "../../../src/models/offline/index.js";
import { complete, readOptions } from "../../../src/options.js";
import { type Bench, openKit } from "../../../src/run/kit.js";
import type { Model, OptionValue, Task, Unit } from "../../../src/types.js";

export interface Score {
  /** Share of exact answers. */
  readonly accuracy: number;
  readonly count: number;
  /** Model calls per second of model time. */
  readonly callsPerSecond: number;
}

/** Runs one method over all units with the embedded model, as the engine would, and scores exact answers. */
export async function answerAll(
  task: Task,
  units: readonly Unit[],
  methodName: string,
  settings: Readonly<Record<string, OptionValue>>,
): Promise<Score> {
  const method = methods.get(methodName);
  const options = readOptions(method.options, complete(method.options, settings));
  const timed = await timedModel();
  const bench = await benchOf(task, units, methodName, timed.model);
  let right = 0;
  let count = 0;
  for (const { user, examples } of units) {
    const answer = await method.personalize(user, options, openKit(bench, user.id).kit);
    for (const { question, gold } of examples) {
      const reading = task.strict(await answer(question, openKit(bench, user.id, question.id).kit));
      if (reading.kind === "answer" && reading.answer === gold) right++;
      count++;
    }
  }
  return { accuracy: right / count, count, callsPerSecond: timed.callsPerSecond() };
}

async function timedModel(): Promise<{ model: Model; callsPerSecond: () => number }> {
  const inner = await offline.open("lexical", { env: {}, concurrency: 1 });
  let calls = 0;
  let totalMs = 0;
  const model: Model = {
    ...inner,
    async complete(request, signal) {
      const start = performance.now();
      const reply = await inner.complete(request, signal);
      totalMs += performance.now() - start;
      calls++;
      return reply;
    },
  };
  return { model, callsPerSecond: () => (1000 * calls) / totalMs };
}

async function benchOf(task: Task, units: readonly Unit[], method: string, model: Model): Promise<Bench> {
  const pool = units.flatMap(({ user }) => user.history.map((event) => ({ owner: user.id, event })));
  return {
    cell: { id: "", task: task.name, dataset: "", method, model: model.id, options: {}, seed: 1, repeat: 0 },
    task,
    model,
    embedder: await openEmbedder(defaultEmbedder, { env: {} }),
    others: poolOf(pool, { kind: "leave-one-out", askers: [], dated: false }),
    tool: () => undefined,
    temperature: 0.1,
    signal: new AbortController().signal,
    shared: new Map(),
  };
}
