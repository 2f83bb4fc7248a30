import { expect, it } from "vitest";
import { Counts } from "../../src/commands/watch.js";

it("names the servers that have sent nothing for 20 s while calls are out", () => {
  let [nowMs, out] = [0, 2];
  const started = {
    kind: "started",
    ...{ folder: "r", arms: [{ cell: "c", task: "lamp3", questions: 5 }], hosts: ["lab:8000"] },
    ...{ waiting: () => [], inFlight: () => out, spentUsd: () => undefined },
  } as const;
  const counts = new Counts(started, () => nowMs);
  const said = () => counts.state(30_000).find((text) => text.startsWith("no reply"));
  nowMs = 19_000;
  expect(said()).toBeUndefined();
  nowMs = 41_000;
  expect(said()).toBe("no reply yet from lab:8000 for 41 s");
  counts.hear({ kind: "call", usage: { in: 1, out: 1 }, fromStore: false });
  expect(said()).toBeUndefined();
  [nowMs, out] = [90_000, 0];
  expect(said()).toBeUndefined();
});
