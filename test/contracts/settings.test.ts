import { describe, expect, test } from "vitest";
import { openRequest } from "../../src/commands/run-request.js";
import { commandSettings, configSettings, flagOf, type RunRequest, type Setting } from "../../src/plan/settings.js";
import { runName } from "../../src/record/manifest.js";
import { testIo } from "../helpers/test-io.js";

const io = testIo({ cwd: "." });
const base: RunRequest = { task: "lamp2m", method: "rag", users: 3, model: "openai/m" };
const nameOf = async (more: RunRequest) => {
  const { identity } = await openRequest(
    { ...base, ...more },
    { ...io, env: { OPENAI_API_KEY: "sk-test-00000" } },
    { dryRun: true },
  );
  return runName(identity);
};

/** Another value than the usual one. */
const others: { readonly [K in keyof typeof configSettings]: RunRequest } = {
  extends: { preset: "personaagent", options: { embedder: "embedded/hashed-1" } },
  task: { task: "lamp3" },
  method: { method: "prompt" },
  model: { model: "openai/n" },
  metric: { metric: "rouge-1" },
  plugins: { plugins: [] },
  repeats: { repeats: 2 },
  seed: { seed: 1 },
  online: { online: true },
  data: { data: "datasets/demo/lamp2m" },
  demo: { demo: true, model: undefined },
  users: { users: 2 },
  queriesPerUser: { queriesPerUser: 1 },
  limit: { limit: 2 },
  set: { options: { "rag.k": 1 } },
  perTask: { perTask: { lamp2m: { "rag.k": 3 } } },
  kind: { kind: "ablation", method: "persona-agent,persona-agent-wo-memory" },
  sweep: { sweep: { "rag.k": [1, 2] } },
  points: { points: [{ "rag.k": 1 }] },
  concurrency: { concurrency: 3 },
  giveUpAfter: { giveUpAfter: "1h" },
  baseUrl: { baseUrl: "http://localhost:1/v1" },
  endpoints: { endpoints: { lab: { provider: "openai" } }, model: "lab/m" },
  batch: { batch: true },
  maxCalls: { maxCalls: 5 },
  maxUsd: { maxUsd: 5, prices: [{ model: "openai/m", in: 1, out: 1 }] },
  prices: { prices: [{ model: "openai/m", in: 1, out: 1 }] },
  maxFailed: { maxFailed: 1 },
  out: { out: "there" },
};

/** Answers of another plan are not taken up: no result depends on any other setting. */
const inPlan =
  "task method model repeats seed online data demo users queriesPerUser limit extends set perTask kind sweep points baseUrl endpoints";

describe("the settings of a run", () => {
  test.each(Object.keys(configSettings))("%s: another value makes another plan only where one must", async (key) => {
    const [usual, other] = [await nameOf({}), await nameOf(others[key as keyof typeof others])];
    expect(other !== usual).toBe(inPlan.split(" ").includes(key));
  });

  test("have the flags that messages name them by", () => {
    const flagged = Object.entries<Setting>({ ...configSettings, ...commandSettings }).filter(([, { flag }]) => flag);
    const named = flagged.map(([key, { flag }]) => [flagOf(key), flag?.match(/--[a-z-]+/)?.[0]]);
    expect(named.filter(([a, b]) => a !== b)).toEqual([]);
  });
});
