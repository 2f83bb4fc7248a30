import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type Capabilities,
  defineMethod,
  defineMetric,
  defineProvider,
  defineRetriever,
  defineTask,
  option,
  type RunEvent,
  type RunRequest,
  run,
  UsageError,
} from "../../src/index.js";
import { retrievers } from "../../src/retrievers/index.js";
import { lamp3 } from "../../src/tasks/lamp3.js";
import { fakeClock } from "../helpers/fake-clock.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { tempDir } from "../helpers/temp-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const START_MS = Date.UTC(2026, 10, 1);

const inFolder = (cwd: string) => (request: RunRequest) =>
  run(request, { cwd, env: {}, clock: fakeClock(START_MS), node: process.version });

const demo = { task: "lamp2m", users: 2, limit: 4 } as const;

describe("run() as a library", () => {
  it("does what the command does: same rows, same tables, and how it ended", async () => {
    const cwd = tempDir();
    const events: RunEvent[] = [];
    const result = await inFolder(cwd)({
      ...demo,
      method: "rag",
      options: { "rag.k": 2 },
      out: "own",
      onEvent: (event) => events.push(event),
    });
    const typed = await runCommandLine("run -t lamp2m -m rag --users 2 --limit 4 --set rag.k=2 --out typed", { cwd });
    expect(typed.code).toBe(0);
    expect(typed.stdout).toBe(result.tables.text);
    const rows = (name: string) => readFileSync(join(cwd, name, "rows.jsonl"), "utf8");
    expect(rows("own")).toBe(rows("typed"));
    expect(result).toMatchObject({ ended: "done", folder: join(cwd, "own"), calls: { sent: 4, fromStore: 0 } });
    expect(result.rows).toHaveLength(4);
    const kinds = events.map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "question" || kind === "call")).toHaveLength(8);
    expect([kinds[0], kinds.indexOf("started") > 0, kinds.at(-1)]).toEqual(["planned", true, "stopped"]);
  });

  it("takes own methods, metrics and retrievers as objects, and options choose among the new retrievers", async () => {
    const first = defineRetriever({
      name: "first",
      summary: "the oldest events",
      source: "a test",
      index: async (documents) => async (_query, k) => documents.slice(0, k).map((_, index) => ({ index, score: 1 })),
    });
    const echo = defineMethod({
      name: "echo",
      summary: "the oldest label",
      source: "a test",
      options: {
        "echo.retriever": option.thing({ default: "bm25", of: () => retrievers, help: "where it looks" }),
      },
      async personalize(user, options, kit) {
        const search = await options["echo.retriever"].index(
          user.history.map(({ document }) => ({ text: document })),
          { tokenize: (text) => text.split(" "), embedder: kit.embedder, random: kit.random("index") },
        );
        return async ({ query }) => user.history[(await search(query, 1))[0]?.index ?? 0]?.label ?? "";
      },
      plan: () => ({ perUnit: () => ({}), perQuestion: () => ({}) }),
    });
    const length = defineMetric({
      name: "letters",
      title: "Letters",
      better: "lower",
      source: "a test",
      sumCount: 1,
      add: ({ prediction }, sums, offset = 0) => {
        sums[offset] = (sums[offset] ?? 0) + prediction.length;
      },
      value: (sums, count) => (sums[0] ?? 0) / count,
    });
    const own = { retrievers: [first], metrics: [length] };
    const { summaries, manifest, rows } = await inFolder(tempDir())({
      ...demo,
      ...own,
      method: [echo, "rag"],
      metric: "letters",
      options: { "echo.retriever": "first", select: "first" },
    });
    expect(summaries.map(({ method, metrics }) => [method, metrics.at(-1)?.name])).toEqual([
      ["echo", "letters"],
      ["rag", "letters"],
    ]);
    expect(manifest.plan.metrics).toEqual(["letters"]);
    expect(manifest.identity.arms.map(({ options }) => options.select ?? options["echo.retriever"])).toEqual([
      "first",
      "first",
    ]);
    expect(rows.every(({ outcome }) => outcome.kind !== "failed")).toBe(true);
  });

  it("runs an own task with the model of an own provider", async () => {
    const cwd = tempDir();
    writeReviews(join(cwd, "data"), [reviewUser("u")]);
    const stars = defineTask({ ...lamp3, name: "stars", official: "Stars", aliases: [] });
    const five = defineProvider({ name: "five", summary: "always 5", open: async (id) => answering(`five/${id}`) });
    const result = await inFolder(cwd)({
      task: stars,
      method: "prompt",
      data: "data",
      model: "five/stars",
      providers: [five],
    });
    expect(result.ended).toBe("done");
    expect(result.rows.map(({ outcome }) => outcome)).toEqual([
      { kind: "answered", reply: "5", lenient: "5" },
      { kind: "answered", reply: "5", lenient: "5" },
    ]);
    expect(result.manifest.identity.arms[0]).toMatchObject({ task: "stars", model: "five/stars" });
  });

  it("refuses a name that is taken, naming both", async () => {
    const rag = defineMethod({ ...emptyMethod, name: "rag" });
    await expect(inFolder(tempDir())({ ...demo, method: rag })).rejects.toThrow(
      new UsageError("two methods called rag: rag of this call and rag, which is built in; rename one"),
    );
  });
});

describe("a run stopped from outside", () => {
  it("ends as interrupted at the first signal, keeps what came in, and is finished by the same request", async () => {
    const cwd = tempDir();
    const stop = new AbortController();
    const begin = (more: Partial<RunRequest>) =>
      inFolder(cwd)({ ...demo, method: "rag", concurrency: 1, out: "run", ...more });
    const stopped = await begin({
      signal: stop.signal,
      onEvent: (event) => {
        if (event.kind === "question") stop.abort();
      },
    });
    expect(stopped.ended).toBe("interrupted");
    expect(stopped.manifest.finishedAt).toBeUndefined();
    expect(stopped.rows.length).toBeGreaterThan(0);
    expect(stopped.rows.length).toBeLessThan(4);
    const finished = await begin({});
    expect(finished).toMatchObject({ ended: "done", calls: { sent: 4 - stopped.calls.sent } });
  });

  it("drops calls in flight when killed", async () => {
    const cwd = tempDir();
    const kill = new AbortController();
    const dropped: boolean[] = [];
    const never = defineProvider({
      name: "never",
      summary: "never answers",
      open: async (id) => ({
        ...answering(`never/${id}`),
        complete: (_request, signal) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener("abort", () => {
              dropped.push(true);
              reject(signal.reason);
            });
            kill.abort();
          }),
      }),
    });
    const result = await inFolder(cwd)({
      ...demo,
      method: "prompt",
      model: "never/ever",
      providers: [never],
      kill: kill.signal,
      out: "run",
    });
    expect([result.ended, result.rows, result.tables.text]).toEqual(["interrupted", [], ""]);
    expect(dropped.length).toBeGreaterThan(0);
    expect(existsSync(join(cwd, "run", "lock"))).toBe(false);
  });
});

const capabilities: Capabilities = {
  temperature: true,
  stop: true,
  tools: false,
  prefill: false,
  logprobs: false,
  thinking: "none",
};

const answering = (id: string) => ({
  id,
  capabilities,
  simulated: false,
  complete: async () => ({
    text: "5",
    toolCalls: [],
    stop: "end" as const,
    usage: { in: 1, out: 1 },
    model: id,
  }),
});

const emptyMethod = {
  name: "empty",
  summary: "nothing",
  source: "a test",
  options: {},
  personalize: async () => async () => "",
  plan: () => ({ perUnit: () => ({}), perQuestion: () => ({}) }),
};

it("prints the tables of a finished run again without a call, as long as settings, data and rows are the same", async () => {
  const cwd = tempDir();
  const users = Array.from({ length: 3 }, (_, n) => reviewUser(`u${n}`, 3, 2));
  const runAgain = (more: RunRequest = {}) =>
    inFolder(cwd)({ task: "lamp3", method: "rag", data: "reviews", out: "run", ...more });
  writeReviews(join(cwd, "reviews"), users);
  const first = await runAgain();
  const again = await runAgain();
  expect(again.tables).toEqual(first.tables);
  expect(again.notices.at(-1)?.text).toBe(
    "this run had finished (2026-11-01): 0 calls sent, 0 replies reused; everything is in run",
  );
  await expect(runAgain({ method: "prompt" })).rejects.toThrow(UsageError);
  rmSync(join(cwd, "run", "rows.jsonl"));
  expect((await runAgain()).notices.at(-1)?.text).toBe("0 calls sent, 6 replies reused; everything is in run");
  writeReviews(join(cwd, "reviews"), users.slice(1));
  await expect(runAgain()).rejects.toThrow(/holds a run with other settings \(users of lamp3 2, was 3\)/);
});
