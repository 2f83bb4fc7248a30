import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { estimateRun, gate, type RunRequest, report, run, verify, writeBaseline } from "../../src/index.js";
import { methods } from "../../src/methods/index.js";
import { fakeClock } from "../helpers/fake-clock.js";
import type { ProviderServer } from "../helpers/provider-server.js";
import { fakeKey, startRatedServer } from "../helpers/rated-server.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { comparable } from "../helpers/run-folder.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { tempDir } from "../helpers/temp-dir.js";

const ioOf = (cwd: string, tell: (line: string) => void = () => undefined) => ({
  cwd,
  env: { OPENAI_API_KEY: fakeKey },
  clock: fakeClock(Date.UTC(2026, 10, 1)),
  tell,
});

/** u01 and u02 are in the first of two shards, u03 is in the second. */
const demo = { task: "lamp2m", users: 3, queriesPerUser: 1 } as const;

describe("a run that reuses all shards", () => {
  it.each([false, true])("is the run of one process, for every registered method (online: %s)", async (online) => {
    const cwd = tempDir();
    const io = ioOf(cwd);
    const options = { others: "all", "history.limit": "latest:4", "rums.entropy": "sample", "align.iterations": 1 };
    const request = { ...demo, method: methods.names, options, online };
    const single = await run({ ...request, out: "single" }, io);
    for (const shard of [2, 1]) await run({ ...request, shard: `${shard}/2`, out: `s${shard}` }, io);
    const joined = await run({ ...request, reuse: ["s2", "s1"], out: "joined" }, io);
    expect([joined.ended, joined.calls.sent]).toEqual(["done", 0]);
    expect(comparable(joined.folder)).toEqual(comparable(single.folder));
    for (const folder of ["joined", "s1"])
      expect((await verify({ run: folder }, io)).filter(({ equal }) => !equal)).toEqual([]);
  });
});

describe("replies of a server", () => {
  const cwd = suiteDir();
  let server: ProviderServer;
  /** Of a run without shards. */
  let calls = 0;
  beforeAll(async () => {
    server = await startRatedServer();
    writeReviews(
      join(cwd, "reviews"),
      ["ann", "bob", "cyd", "dan"].map((id) => reviewUser(id)),
    );
  });
  afterAll(() => server.close());
  const request = { task: "lamp3", method: ["prompt", "pag"], data: "reviews", model: "openai/rated" } as const;
  const at = (url: string, more: RunRequest, tell?: (line: string) => void) =>
    run({ ...request, baseUrl: `${url}/v1`, ...more }, ioOf(cwd, tell));

  it("of all shards are the run's, bought once; of one shard, the rest is bought; a method is added without the others", async () => {
    const single = await at(server.url, { out: "single" });
    calls = server.requests.length;
    for (const shard of [1, 2]) await at(server.url, { shard: `${shard}/2`, out: `s${shard}` });
    expect(server.requests).toHaveLength(2 * calls);
    const joined = await at(server.url, { reuse: ["s1", "s2"], out: "joined" });
    expect([joined.calls.sent, server.requests.length]).toEqual([0, 2 * calls]);
    expect(comparable(joined.folder)).toEqual(comparable(single.folder));

    const rest = await at(server.url, { reuse: ["s1"], out: "rest" });
    expect([rest.calls.sent > 0, rest.calls.sent < calls]).toEqual([true, true]);
    expect(comparable(rest.folder)).toEqual(comparable(single.folder));

    const more = await at(server.url, { method: ["prompt", "pag", "rag"], reuse: ["single"], out: "more" });
    expect(more.calls).toMatchObject({ sent: 8, fromStore: calls });
  });

  it("of another server are not taken, and a line says so", async () => {
    const other = await startRatedServer();
    const told: string[] = [];
    try {
      await at(other.url, { reuse: ["single"], out: "elsewhere" }, (line) => told.push(line));
      expect(other.requests.length).toBe(calls);
      expect(told.join("\n")).toContain("--reuse single: replies of openai/rated are not taken");
    } finally {
      await other.close();
    }
  });
});

describe("a shard", () => {
  const cwd = suiteDir();
  const io = ioOf(cwd);
  const small = { ...demo, method: "rag", options: { "rag.k": 1 } } as const;

  it("is never resumed as another part, and its tables say that they are a part; it is neither gated nor a baseline", async () => {
    await run({ ...small, shard: "1/2", out: "a" }, io);
    await run({ ...small, out: "whole" }, io);
    await expect(run({ ...small, shard: "2/2", out: "a" }, io)).rejects.toThrow(
      "holds shard 1/2, and shard 2/2 is asked for; choose another --out",
    );
    await expect(run({ ...small, out: "a" }, io)).rejects.toThrow("holds shard 1/2, and a whole run is asked for");
    expect((await run({ ...small, shard: "1/2", out: "a" }, io)).calls.sent).toBe(0);
    expect((await report({ runs: ["a"] }, io)).text).toContain("PART OF A RUN: shard 1/2");
    expect((await report({ runs: ["whole"] }, io)).text).not.toContain("PART OF A RUN");
    for (const refused of [
      gate({ run: "a", baseline: "whole" }, io),
      gate({ run: "whole", baseline: "a" }, io),
      writeBaseline({ run: "a", file: "b.json", maxFailed: 0 }, io),
    ])
      await expect(refused).rejects.toThrow("a: shard 1/2 of a run");
  });

  it.each([
    ["graph-rag", { "graph-rag.reports": "llm" }],
    ["rums", {}],
  ])("is refused, and not planned, where %s buys what all users share", async (method, options) => {
    const request = { ...demo, method, options, shard: "2/2", out: "s2" };
    const message = `--shard 2/2: ${method} on lamp2m asks a model for something that all users share; run it without --shard`;
    await expect(run(request, io)).rejects.toThrow(message);
    await expect(estimateRun(request, io)).rejects.toThrow(message);
    expect(existsSync(join(cwd, "s2"))).toBe(false);
  });

  it.each([
    [{ shard: "9/8" }, "--shard 9/8: expected I/N with I from 1 to N"],
    [{ shard: "0/8" }, "--shard 0/8: expected I/N with I from 1 to N"],
    [{ shard: "1/2", replay: "x" }, "--replay sends nothing"],
  ])("is refused as it is asked for: %j", async (flags, message) => {
    await expect(run({ ...demo, method: "prompt", ...flags }, ioOf(tempDir()))).rejects.toThrow(message);
  });

  it("is planned by itself: dry runs of all shards are that of the whole", async () => {
    const tokens = async (more: RunRequest): Promise<number> =>
      (await estimateRun({ ...demo, method: "pag", ...more }, io)).phases.reduce((sum, line) => sum + line.tokensIn, 0);
    expect((await tokens({ shard: "1/2" })) + (await tokens({ shard: "2/2" }))).toBe(await tokens({}));
  });
});
