import { describe, expect, test } from "vitest";
import { seeded } from "../../src/random/seeded.js";
import { compareArms } from "../../src/results/compare.js";
import { summarize } from "../../src/results/summary.js";
import { tasks } from "../../src/tasks/index.js";
import type { ArmSpec, Row } from "../../src/types/index.js";
import { noPrices } from "../helpers/priced.js";

const task = tasks.get("lamp3");
const armSpec = (method: string, repeat: number): ArmSpec => ({
  id: `${method}-${repeat}`,
  task: "lamp3",
  dataset: "d",
  method,
  model: "x/y",
  options: {},
  repeat,
  seed: 0,
});

/** 30 users, 3 ratings each, off by at most so much in each repeat. Every eighth answer of the last repeat failed. */
function rowsOf(method: string, spreads: readonly number[]): Row[] {
  const random = seeded(method);
  return spreads.flatMap((spread, repeat) =>
    Array.from({ length: 90 }, (_, q): Row => {
      const reply = String(3 + random.below(2 * spread + 1) - spread);
      const failed = repeat === 2 && q % 8 === 0;
      return {
        arm: armSpec(method, repeat).id,
        user: `u${q % 30}`,
        unit: `u${q % 30}`,
        question: `q${q}`,
        gold: "3",
        outcome: failed ? { kind: "failed", error: "e" } : { kind: "answered", reply, lenient: reply },
        spend: {},
        incidents: {},
      };
    }),
  );
}

describe("an arm of three repeats, one of them awful", () => {
  const arms = [...[0, 1, 2].map((repeat) => armSpec("rag", repeat)), armSpec("prompt", 0)];
  const [rag, prompt] = [rowsOf("rag", [1, 0, 2]), rowsOf("prompt", [1])];
  const summarized = () =>
    summarize({
      specs: arms,
      task: () => task,
      rows: [...rag, ...prompt],
      units: [],
      timings: [],
      prices: noPrices,
    })[0]!;
  const compared = () => compareArms({ a: prompt, b: rag, metrics: task.metrics });
  test("has one score of each metric in report and comparison, inside its interval", () => {
    const [summary, comparison] = [summarized(), compared()];
    for (const m of task.metrics.keys()) {
      const { strict, interval } = summary.metrics[m]!;
      expect(interval!.low).toBeLessThan(strict!);
      expect(interval!.high).toBeGreaterThan(strict!);
      expect(comparison.metrics[m]!.b).toBeCloseTo(strict!, 12);
      const { gain, interval: ofGain } = comparison.metrics[m]!;
      expect(ofGain!.low).toBeLessThan(gain);
      expect(ofGain!.high).toBeGreaterThan(gain);
    }
  });

  test("is not the pool of its answers", () => {
    const m = task.metrics.findIndex(({ name }) => name === "rmse");
    const errors = rag.flatMap(({ outcome }) => (outcome.kind === "answered" ? (Number(outcome.reply) - 3) ** 2 : []));
    const pooled = Math.sqrt(errors.reduce((sum, error) => sum + error, 0) / errors.length);
    expect(pooled - summarized().metrics[m]!.strict!).toBeGreaterThan(0.1);
  });
});
