import { afterAll, beforeAll, expect, test } from "vitest";
import { commandNames, type KillBench, killedAt, openKillBench } from "../../scripts/faults/kills/kill-bench.js";
import { runHere } from "./in-process.js";

let bench: KillBench;

beforeAll(async () => {
  bench = await openKillBench(runHere);
});
afterAll(() => bench.close());

test.each(commandNames)(
  "%s, killed at its work and given again, leaves the files of an uninterrupted one",
  async (name) => {
    expect((await killedAt(bench, name, 0.5, `killed-${name}`)).offence).toBeUndefined();
  },
);
