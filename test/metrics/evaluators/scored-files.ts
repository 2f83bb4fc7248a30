import type { ScoredTask } from "../../../src/metrics/evaluators/index.js";
import { evaluators } from "../../../src/metrics/evaluators/index.js";
import { CITATION_LABELS, MOVIE_LABELS, NEWS_LABELS } from "../../../src/metrics/official-labels.js";
import { registry } from "../../../src/registry/registry.js";

/** Stand-ins of the registered tasks. */
const known: readonly ScoredTask[] = [
  { name: "lamp1", official: "LaMP_1", kind: "label", labels: CITATION_LABELS },
  { name: "lamp2m", official: "LaMP_2M", kind: "label", labels: MOVIE_LABELS },
  { name: "lamp2n", official: "LaMP_2N", kind: "label", labels: NEWS_LABELS },
  { name: "lamp3", official: "LaMP_3", kind: "rating", labels: ["1", "2", "3", "4", "5"] },
  { name: "lamp4", official: "LaMP_4", kind: "text", labels: [] },
];
const tasks = registry("task", known, {
  furtherNames: ({ name, official }) => (name === "lamp2m" ? [official, "LaMP_2"] : [official]),
});

export type Outputs = readonly (readonly [id: unknown, output: unknown])[];
/** A file in the benchmark's form. */
export const file = (task: unknown, outputs: Outputs) => ({
  task,
  golds: outputs.map(([id, output]) => ({ id, output })),
});

export function score(
  evaluator: string,
  taskName: string,
  predictions: unknown,
  golds: unknown,
  bootstrapSeed?: number,
) {
  return evaluators.get(evaluator).score({
    taskName,
    predictions: { name: "p.json", json: predictions },
    golds: { name: "g.json", json: golds },
    resolve: tasks.get,
    tasks: known,
    bootstrapSeed,
  });
}
