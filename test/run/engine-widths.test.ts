import { expect, test } from "vitest";
import { answering, armOf, gates, ratingUnit, runEngine, settled } from "../helpers/engine-run.js";

test("arms of different models are worked on beside each other, so many questions at once as each model is worth", async () => {
  const { waits, open, waiting } = gates();
  const slow = answering(async ({ id }) => {
    await waits(id);
    return "5";
  });
  const armWith = (model: string, repeat: number, names: readonly string[]) => {
    const arm = armOf(slow, [ratingUnit(`u${repeat}`, names)], repeat);
    return { ...arm, cell: { ...arm.cell, model } };
  };
  const arms = [
    armWith("far/a", 0, ["a1", "a2", "a3"]),
    armWith("far/a", 1, ["a4"]),
    armWith("near/b", 2, ["b1", "b2"]),
  ];
  const widths: Readonly<Record<string, number>> = { "far/a": 2, "near/b": 1 };
  const run = runEngine(arms, { concurrency: ({ cell }) => ({ of: cell.model, width: widths[cell.model] ?? 1 }) });
  await settled();
  expect(waiting().sort()).toEqual(["a1", "a2", "b1"]);
  open("b1");
  await settled();
  expect(waiting().sort()).toEqual(["a1", "a2", "b1", "b2"]);
  for (let round = 0; round < 6; round++) {
    for (const name of waiting()) open(name);
    await settled();
  }
  expect((await run).rows).toHaveLength(6);
});
