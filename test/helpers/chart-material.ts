import type { ChartInput } from "../../src/report/charts/chart.js";
import { gainsOver } from "../../src/results/compare.js";
import { summarize } from "../../src/results/summary.js";
import { tasks } from "../../src/tasks/index.js";
import type { ArmSpec, OptionValue, Outcome, Row } from "../../src/types/index.js";
import { noPrices } from "./priced.js";

const USERS = 12;
const QUESTIONS = 3;

export interface HandMadeArm {
  readonly task?: string;
  readonly method: string;
  /** Default: `m/one`. */
  readonly model?: string;
  readonly options?: Readonly<Record<string, OptionValue>>;
  /** What the arm says to a question; default: the gold. */
  readonly outcome?: (user: number, question: number, gold: string) => Outcome;
  readonly tokens?: number;
}

/** A run of twelve users with three questions each, from what its arms say. */
export function handMade(arms: readonly HandMadeArm[], over: Partial<ChartInput> = {}): ChartInput {
  const specs = arms.map(
    ({ task = "lamp2m", method, model = "m/one", options = {} }, a): ArmSpec => ({
      id: `c${a}`,
      task,
      dataset: "hand-made",
      method,
      model,
      options,
      seed: 0,
      repeat: 0,
    }),
  );
  const rows = arms.flatMap((arm, a) => rowsOf(arm, `c${a}`));
  const task = (name: string) => tasks.get(name);
  const summaries = summarize({ specs, task, rows, units: [], timings: [], prices: noPrices });
  const names = [...new Set(specs.map((spec) => spec.task))];
  const facts = names.map((name) => ({ task: name, title: task(name).title, dataset: "hand-made", remarks: [] }));
  const gains = gainsOver("prompt", { summaries, specs, task, rows });
  return { summaries, facts, specs, rows, gains, personas: () => Promise.resolve([]), task, seed: 0, ...over };
}

export const answered = (reply: string): Outcome => ({ kind: "answered", reply });

function rowsOf({ task = "lamp2m", outcome, tokens = 100 }: HandMadeArm, arm: string): Row[] {
  const { labels } = tasks.get(task);
  return Array.from({ length: USERS * QUESTIONS }, (_, i): Row => {
    const [user, question] = [Math.floor(i / QUESTIONS), i % QUESTIONS];
    const gold = labels[i % 3] ?? "";
    return {
      arm,
      user: `u${user}`,
      unit: `u${user}`,
      question: `q${i}`,
      gold,
      outcome: outcome?.(user, question, gold) ?? answered(gold),
      spend: { answer: { calls: 1, in: tokens, out: 0 } },
      incidents: {},
      simulated: true,
    };
  });
}
