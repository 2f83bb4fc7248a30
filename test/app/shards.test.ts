import { appendFileSync, cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import {
  defineProvider,
  estimateRun,
  gate,
  merge,
  type RunRequest,
  report,
  run,
  UsageError,
  verify,
  writeBaseline,
} from "../../src/index.js";
import { methods } from "../../src/methods/index.js";
import { readManifest, writeManifest } from "../../src/run/manifest.js";
import { runFiles } from "../../src/run/run-files.js";
import { atWork } from "../../src/run/seals.js";
import { fakeClock } from "../helpers/fake-clock.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { comparable } from "../helpers/run-folder.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { tempDir } from "../helpers/temp-dir.js";
import { editRecords } from "../helpers/with-checks.js";

const ioOf = (cwd: string) => ({ cwd, env: {}, clock: fakeClock(Date.UTC(2026, 10, 1)), tell: () => undefined });

/** u01 and u02 are in the first of two shards, u03 is in the second. */
const demo = { task: "lamp2m", users: 3, queriesPerUser: 1 } as const;

/** Every method as shards may run it: none asks a model for something that all users share. */
const everyMethod = {
  ...demo,
  method: methods.names,
  options: { others: "all", "history.limit": "latest:4", "rums.entropy": "sample", "align.iterations": 1 },
} as const;

describe("shards of a run, merged", () => {
  it.each([false, true])("are the run of one process, for every registered method (online: %s)", async (online) => {
    const cwd = tempDir();
    const io = ioOf(cwd);
    const request = { ...everyMethod, online };
    const single = await run({ ...request, out: "single" }, io);
    for (const shard of [2, 1]) await run({ ...request, shard: `${shard}/2`, out: `s${shard}` }, io);
    const merged = await merge({ shards: ["s2", "s1"], out: "merged" }, io);
    expect(merged.ended).toBe("done");
    expect(comparable(merged.folder)).toEqual(comparable(single.folder));
    expect(merged.tables.json).toBe(single.tables.json);
    expect(merged.manifest.requests).toEqual(single.manifest.requests);
    expect(merged.manifest.merged?.map(({ part, folder }) => [part, folder])).toEqual([
      ["shard 1/2", "s1"],
      ["shard 2/2", "s2"],
    ]);
    if (online) return;
    for (const folder of ["merged", "s1"])
      expect((await verify({ run: folder }, io)).filter(({ state }) => state !== "ok")).toEqual([]);
    expect((await run({ ...request, out: "merged" }, io)).calls).toEqual({ sent: 0, fromStore: 0 });
  });
});

describe("what does not make one run", () => {
  const cwd = suiteDir();
  const io = ioOf(cwd);
  const small = { ...demo, method: "rag", options: { "rag.k": 1 } } as const;
  const argv = ["run", "-t", "lamp2m", "-m", "rag", "--shard", "1/2", "--out", "a"];
  const joined = (...shards: string[]) => merge({ shards, out: "never" }, io);

  beforeAll(async () => {
    await run({ ...small, shard: "1/2", out: "a", argv }, io);
    await run({ ...small, shard: "2/2", out: "b" }, io);
    await run({ ...small, shard: "2/3", out: "of-three" }, io);
    await run({ ...small, options: { "rag.k": 2 }, shard: "2/2", out: "other" }, io);
    await run({ ...small, metric: "rouge-1", shard: "2/2", out: "scored" }, io);
    await run({ ...small, out: "whole" }, io);
  });

  it.each([
    ["a gap", ["a"], "shard 2/2 is missing; run it or name its folder: lamp-eval run -t lamp2m -m rag --shard 2/2"],
    ["a shard twice", ["a", "b", "a"], "shard 1/2 is there twice: a and a; leave one out"],
    [
      "another setting",
      ["a", "other"],
      "a and other are of different plans: cells.0.options.rag.k is 1 in the first and 2 in the second",
    ],
    [
      "other metrics",
      ["a", "scored"],
      "a and scored differ in metrics: parts of one run are run with the same settings",
    ],
    ["another number of shards", ["a", "of-three"], "a is one of 2 shards and of-three one of 3"],
    ["a whole run", ["a", "whole"], "whole: no shard: this run was made without --shard, or is merged already"],
    ["no run", ["a", "nothing"], "nothing: no run here (no manifest.json)"],
  ])("is refused by name: %s", async (_, shards, message) => {
    await expect(joined(...shards)).rejects.toThrow(new UsageError(message));
    expect(existsSync(join(cwd, "never", runFiles.manifest))).toBe(false);
  });

  it("is refused where a shard is not finished, naming its command", async () => {
    const manifest = readManifest(join(cwd, "a"))!;
    cpSync(join(cwd, "a"), join(cwd, "begun"), { recursive: true });
    const { records: _, ...begun } = manifest;
    writeManifest(join(cwd, "begun"), begun);
    await expect(joined("begun", "b")).rejects.toThrow(
      "begun: shard 1/2 is not finished; the command that began it finishes it: lamp-eval run -t lamp2m -m rag --shard 1/2 --out a",
    );
  });

  it("is refused where a finished shard is at work again, or its records or its manifest were edited", async () => {
    const copyOf = (name: string): string => {
      cpSync(join(cwd, "b"), join(cwd, name), { recursive: true });
      return join(cwd, name);
    };
    const again = copyOf("again");
    const working = atWork(readManifest(again)!, []);
    expect(Object.keys(working.kept ?? {})).toContain(runFiles.rows);
    writeManifest(again, working);
    await expect(joined("a", "again")).rejects.toThrow("again: shard 2/2 is not finished; the command that began it");
    editRecords(join(copyOf("edited"), runFiles.rows), (text) => text.replace(/"reply":"[^"]*"/, '"reply":"other"'));
    await expect(joined("a", "edited")).rejects.toThrow("edited: rows.jsonl was changed after the run had ended");
    const plan = join(copyOf("replanned"), runFiles.manifest);
    writeFileSync(plan, readFileSync(plan, "utf8").replace(/"node": ?"/, "$&x"));
    await expect(joined("a", "replanned")).rejects.toThrow(/replanned.manifest\.json: damaged or edited/);
  });

  it("is refused where a record of a shard is damaged", async () => {
    cpSync(join(cwd, "b"), join(cwd, "damaged"), { recursive: true });
    appendFileSync(join(cwd, "damaged", runFiles.rows), "{}\n{]\n");
    await expect(joined("a", "damaged")).rejects.toThrow(/^damaged: rows\.jsonl line \d+ is damaged/);
  });

  it("is not written over a run, nor into a shard; a merge that was killed is done again", async () => {
    for (const [out, message] of [
      ["whole", "whole holds a run already; choose another --out, or move it away"],
      ["a", "--out a: this is one of the shards; choose another folder"],
    ] as const)
      await expect(merge({ shards: ["a", "b"], out }, io)).rejects.toThrow(message);
    const once = await merge({ shards: ["a", "b"], out: "merged" }, io);
    const rows = readFileSync(join(once.folder, runFiles.rows), "utf8");
    const { records: _, finishedAt: __, ...begun } = once.manifest;
    writeManifest(once.folder, { ...begun, merging: true });
    await expect(run({ ...small, out: "merged" }, io)).rejects.toThrow("a merge into it was killed");
    rmSync(join(once.folder, runFiles.rows));
    const again = await merge({ shards: ["b", "a"], out: "merged" }, io);
    expect(readFileSync(join(again.folder, runFiles.rows), "utf8")).toBe(rows);
    expect(rows).toBe(readFileSync(join(cwd, "whole", runFiles.rows), "utf8"));
    rmSync(join(once.folder, runFiles.json));
    const third = await merge({ shards: ["a", "b"], out: "merged" }, io);
    expect([third.ended, third.tables.json]).toEqual(["done", once.tables.json]);
    expect(comparable(third.folder)).toEqual(comparable(join(cwd, "whole")));
  });

  it("says of the servers what any shard has seen of them: one may have sent nothing", async () => {
    const manifest = readManifest(join(cwd, "b"))!;
    cpSync(join(cwd, "b"), join(cwd, "seen"), { recursive: true });
    const tasks = manifest.tasks.map((task) => ({ ...task, remarks: [...task.remarks, "temperature not applied"] }));
    const endpoints = { "a/model": { api: "chat", day: "2026-11-01" } } as const;
    writeManifest(join(cwd, "seen"), { ...manifest, tasks, endpoints, batch: true });
    const { manifest: whole } = await merge({ shards: ["a", "seen"], out: "seen-whole" }, io);
    expect(whole).toMatchObject({ tasks, endpoints, batch: true });
    expect((await report({ run: "seen-whole" }, io)).text).toContain("temperature not applied");
  });

  it("is never resumed as another part: the folder says what it holds", async () => {
    await expect(run({ ...small, shard: "2/2", out: "a" }, io)).rejects.toThrow(
      "holds shard 1/2, and shard 2/2 is asked for; choose another --out",
    );
    await expect(run({ ...small, out: "a" }, io)).rejects.toThrow("holds shard 1/2, and a whole run is asked for");
    expect((await run({ ...small, shard: "1/2", out: "a" }, io)).calls).toEqual({ sent: 0, fromStore: 0 });
  });

  it("says of a shard's tables that they are a part, and what joins it", async () => {
    const { text } = await report({ run: "a" }, io);
    expect(text).toContain("PART OF A RUN: shard 1/2; lamp-eval merge joins the shards");
    expect((await report({ run: "whole" }, io)).text).not.toContain("PART OF A RUN");
    await expect(gate({ run: "a", baseline: "whole" }, io)).rejects.toThrow("a: shard 1/2 of a run; join the shards");
    await expect(gate({ run: "whole", baseline: "a" }, io)).rejects.toThrow("a: shard 1/2 of a run; join the shards");
    await expect(writeBaseline({ run: "a", file: "b.json", maxFailed: 0 }, io)).rejects.toThrow(
      "a: shard 1/2 of a run",
    );
  });
});

describe("a shard", () => {
  it.each([
    ["graph-rag", { "graph-rag.reports": "llm" }],
    ["rums", {}],
  ])("is refused, and not planned, where %s buys what all users share", async (method, options) => {
    const request = { ...demo, method, options, shard: "2/2", out: "s2" };
    const io = ioOf(tempDir());
    const message = `--shard 2/2: ${method} on lamp2m asks a model for something that all users share; run it without --shard`;
    await expect(run(request, io)).rejects.toThrow(message);
    await expect(estimateRun(request, io)).rejects.toThrow(message);
    expect(existsSync(join(io.cwd, "s2"))).toBe(false);
  });

  it.each([
    [{ shard: "9/8" }, "--shard 9/8: expected I/N with I from 1 to N"],
    [{ shard: "0/8" }, "--shard 0/8: expected I/N with I from 1 to N"],
    [{ shard: "1/2", replay: "x" }, "--replay sends nothing"],
  ])("is refused as it is asked for: %j", async (flags, message) => {
    await expect(run({ ...demo, method: "prompt", ...flags }, ioOf(tempDir()))).rejects.toThrow(message);
  });

  it("is planned by itself: dry runs of all shards are that of the whole", async () => {
    const io = ioOf(tempDir());
    const tokens = async (more: RunRequest): Promise<number> =>
      (await estimateRun({ ...demo, method: "pag", ...more }, io)).phases.reduce((sum, line) => sum + line.tokensIn, 0);
    expect((await tokens({ shard: "1/2" })) + (await tokens({ shard: "2/2" }))).toBe(await tokens({}));
  });
});

describe("equal requests of users in different shards", () => {
  /** The same question of user a, who is of shard 2, and of user c, who is of shard 1. */
  const users = ["a", "c"].map((id) => {
    const [question] = reviewUser("x", 1, 1).query;
    return { ...reviewUser(id, 1, 1), query: [{ ...question, id: `${id}-q` }] };
  });
  const capabilities = {
    temperature: true,
    stop: true,
    tools: false,
    prefill: false,
    logprobs: false,
    thinking: "none",
  } as const;

  it("got different replies: the merge keeps the first, and the command without --shard does the rest again", async () => {
    const cwd = tempDir();
    const io = ioOf(cwd);
    writeReviews(join(cwd, "data"), users);
    let said = 0;
    const fickle = defineProvider({
      name: "fickle",
      summary: "another answer each time",
      open: async (id) => ({
        id: `fickle/${id}`,
        capabilities,
        simulated: false,
        complete: async () => {
          said += 1;
          return { text: `${said}`, toolCalls: [], stop: "end", usage: { in: 1, out: 1 }, model: id };
        },
      }),
    });
    const request = {
      task: "lamp3",
      method: "prompt",
      data: "data",
      model: "fickle/one",
      providers: [fickle],
    } as const;
    for (const shard of [1, 2]) await run({ ...request, shard: `${shard}/2`, out: `s${shard}` }, io);
    const merged = await merge({ shards: ["s1", "s2"], out: "merged" }, io);
    expect([merged.ended, merged.rows.length, merged.manifest.records]).toEqual(["unfinished", 1, undefined]);
    expect(merged.remarks.at(-1)).toContain(
      "1 request was sent by several shards and got different replies: the first is kept, and 1 user with 1 question",
    );
    await expect(merge({ shards: ["s1", "s2"], out: "merged" }, io)).rejects.toThrow("merged holds a run already");
    const finished = await run({ ...request, out: "merged" }, io);
    expect(finished).toMatchObject({ ended: "done", calls: { sent: 0, fromStore: 1 } });
    expect(finished.rows.map(({ outcome }) => outcome)).toEqual(
      [1, 2].map(() => expect.objectContaining({ reply: "1" })),
    );
    expect(finished.manifest.merged).toHaveLength(2);
    expect(
      (await verify({ run: "merged", data: "data" }, { ...io, catalogue: finished.catalogue })).filter(
        ({ state }) => state === "FAILED",
      ),
    ).toEqual([]);
  });
});
