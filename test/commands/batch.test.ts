import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { rowsOf } from "../../src/record/rows.js";
import { type BatchServer, type BatchServerSettings, startBatchServer } from "../helpers/batch-server.js";
import { fakeKey } from "../helpers/rated-server.js";
import { armRecords } from "../helpers/report-json.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { manifestIn } from "../helpers/stored-run.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";
import { comparable } from "../run/batches/play.js";

const cwd = suiteDir();
const env = { ANTHROPIC_API_KEY: fakeKey, OPENAI_API_KEY: fakeKey };
const open: BatchServer[] = [];
writeReviews(
  join(cwd, "reviews"),
  Array.from({ length: 4 }, (_, i) => reviewUser(`u${i}`)),
);
afterAll(() => Promise.all(open.map((server) => server.close())));

async function serve(settings: BatchServerSettings = {}): Promise<BatchServer> {
  const server = await startBatchServer(settings);
  open.push(server);
  return server;
}

const claude = (server: BatchServer) => `--model anthropic/claude-haiku-5-5 --base-url ${server.url}`;
const gpt = (server: BatchServer) => `--model openai/gpt-4.1-mini --base-url ${server.url}/v1`;
const run = (line: string) => runCommandLine(`run --task lamp3 --data reviews ${line}`, { cwd, env });

function corrupt(out: string, text: RegExp): void {
  const log = join(cwd, out, "log.jsonl");
  writeFileSync(log, readFileSync(log, "utf8").replace(text, "$&x"));
}

describe("--batch", () => {
  test("asks a method's calls wave by wave; table and manifest are marked, the cost is half, no time is told", async () => {
    const server = await serve();
    const one = await run(`--method prompt,pag ${claude(server)} --out single`);
    expect(one.code).toBe(0);
    const single = server.single;
    const { code, stdout, stderr } = await run(`--method prompt,pag ${claude(server)} --batch --out batched`);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(server.single).toBe(single);
    expect(server.batches.map(({ lines }) => lines.length)).toEqual([12, 8]); // 8 prompts and 4 summaries, then 8 answers
    expect(server.breaches).toEqual([]);
    expect(readFileSync(join(cwd, "batched", "results.md"), "utf8")).toMatch(/asked in batches, at their price/);
    expect(stdout).not.toMatch(/median seconds/);
    expect(manifestIn(join(cwd, "batched"))?.batch).toBe(true);
    expect(comparable(join(cwd, "batched"))).toEqual(comparable(join(cwd, "single")));
    const usd = (out: string): number[] =>
      armRecords(readFileSync(join(cwd, out, "results.json"), "utf8")).map((arm) => arm.usd!);
    expect(usd("batched")).toEqual(usd("single").map((dollars) => expect.closeTo(dollars / 2, 12)));
  });

  test("sends expired and passing lines again, and those without a readable reply where that was asked for", async () => {
    const first = new Set<string>();
    const server = await serve({
      fate({ body, number }) {
        const text = JSON.stringify(body);
        const isAgain = first.has(text);
        first.add(text);
        if (number === 5 && !isAgain) return "invalid";
        return isAgain
          ? "succeeded"
          : ((["expired", "overloaded", "missing", "malformed"] as const)[number] ?? "succeeded");
      },
    });
    const line = `--method prompt ${gpt(server)} --out fates --batch`;
    const unread = (): (number | undefined)[] =>
      [2, 3].map((n) => server.billed.get(JSON.stringify(server.batches[0]?.lines[n]?.body)));
    for (const _ of ["sent", "read again"]) {
      const { code, stderr } = await run(line);
      expect(code).toBe(3);
      expect(stderr).toMatch(/2 of the 8 replies of batch batch_0 cannot be read; .* with --batch resend/);
      expect(unread()).toEqual([1, 1]);
    }
    expect((await run(`${line} resend`)).code).toBe(0);
    expect(unread()).toEqual([2, 2]);
  });

  test.each([
    ["a web page", "<html>Sign in</html>"],
    ["nothing", ""],
    ["an error", '{"error":{"message":"try later"}}'],
  ])("reads results again that come as %s, and buys nothing twice", async (what, text) => {
    for (const [name, wire] of Object.entries({ claude, gpt })) {
      const server = await serve({ spoilt: (n) => (n < 4 ? text : undefined) });
      expect(
        (await run(`--method prompt ${wire(server)} --batch --out ${what.replace(/\W/g, "-")}-${name}`)).code,
      ).toBe(0);
      expect(server.batches).toHaveLength(1);
      expect([...server.billed.values()]).toEqual(Array(8).fill(1));
    }
  });

  test("a wave whose line is corrupt is named, and bought again only where that was asked for", async () => {
    const server = await serve();
    const line = `--method prompt ${gpt(server)} --out corrupt --batch`;
    expect((await run(`${line} detach`)).code).toBe(4);
    corrupt("corrupt", /"keys":\["/);
    for (const again of [line, line, line.replace(" --batch", "")]) {
      const { code, stderr } = await run(again);
      expect([code === 0, stderr]).toEqual([false, expect.stringMatching(/line \d+ of \S+ is corrupt/)]);
      expect(stderr).toContain("--batch resend");
      expect([server.batches.length, server.single]).toEqual([1, 0]);
    }
    expect((await run(`${line} resend`)).code).toBe(0);
    expect(server.batches).toHaveLength(2);
    expect((await run(line)).code).toBe(0);
  });

  test("a corrupt line with a wave's id costs nothing: its batch is found by its name", async () => {
    const server = await serve();
    const line = `--method prompt ${claude(server)} --out later --batch`;
    expect((await run(`${line} detach`)).code).toBe(4);
    corrupt("later", /"batch":"(?=batch_0)/);
    expect((await run(line)).code).toBe(0);
    expect(server.batches).toHaveLength(1);
  });

  test("gives a line up after three batches that expired", async () => {
    const server = await serve({ fate: ({ number }) => (number === 0 ? "expired" : "succeeded") });
    const { code, stderr } = await run(`--method prompt ${claude(server)} --batch --out expired`);
    expect(code).toBe(1);
    expect(stderr).toMatch(/its batch expired before it was answered \(gave up after 3 tries\)/);
    expect(server.batches.map(({ lines }) => lines.length)).toEqual([8, 1, 1]);
  });

  test("halves what is out where the provider takes less at once", async () => {
    const server = await serve({ sending: (n) => (n === 0 ? "over-limit" : "taken") });
    const { code } = await run(`--method prompt ${gpt(server)} --batch --out limited`);
    expect(code).toBe(0);
    const [refused, ...taken] = server.batches.map(({ lines }) => lines.length);
    expect(refused).toBe(8);
    expect(taken.length).toBeGreaterThan(1);
    expect(taken.reduce((sum, lines) => sum + lines, 0)).toBe(8);
    expect([...server.billed.values()]).toEqual(Array(8).fill(1));
  });

  test.each(["refused", "failed", "lost", "cut"] as const)("a sending that is %s is bought once", async (how) => {
    for (const [wire, name] of [[claude, "claude"] as const, [gpt, "gpt"] as const]) {
      const server = await serve({ sending: (n) => (n === 0 ? how : "taken") });
      expect((await run(`--method prompt ${wire(server)} --batch --out ${how}-${name}`)).code).toBe(0);
      expect([...server.billed.values()]).toEqual(Array(8).fill(1));
      expect(server.batches).toHaveLength(1);
    }
  });

  test("a list of batches that cannot be read is waited for, then stops the run with the command that sends again", async () => {
    for (const [wire, name] of [[claude, "claude"] as const, [gpt, "gpt"] as const]) {
      let isDown = true;
      const list = (n: number): string | undefined => (isDown || n < 9 ? "<html>Sign in</html>" : undefined);
      const server = await serve({ sending: (n) => (n === 0 ? "lost" : "taken"), list });
      const line = `--method prompt ${wire(server)} --batch --out list-${name}`;
      const { code, stderr } = await run(line);
      expect([code, stderr]).toEqual([
        3,
        expect.stringMatching(/whether it was taken cannot be told: .* --batch resend/),
      ]);
      isDown = false;
      expect((await run(line)).code).toBe(0);
      expect([...server.billed.values()]).toEqual(Array(8).fill(1));
      expect(server.batches).toHaveLength(1);
    }
  });

  test("keeps under --max-calls and --max-usd, whole waves reserved", async () => {
    const server = await serve();
    const capped = await run(`--method prompt ${claude(server)} --batch --max-calls 5 --out capped`);
    expect(capped.code).toBe(1);
    expect(capped.stderr).toMatch(/stopped before the end: --max-calls 5 is reached/);
    expect(server.batches.map(({ lines }) => lines.length)).toEqual([5]);
    expect(rowsOf(join(cwd, "capped"))).toHaveLength(5);
    const poor = await run(`--method prompt ${claude(server)} --batch --max-usd 0.000001 --out poor`);
    expect(poor.code).toBe(1);
    expect(server.batches).toHaveLength(1);
  });

  test("--dry-run tells the price of batches", async () => {
    const server = await serve();
    const usd = async (more: string): Promise<number> =>
      JSON.parse((await run(`--method prompt ${claude(server)} --dry-run --json ${more}`)).stdout).total.usd;
    expect(await usd("--batch")).toBeCloseTo((await usd("")) / 2, 12);
  });
});

describe("--batch detach", () => {
  test("ends with exit code 4 once all is out, and the same command collects wave after wave", async () => {
    const server = await serve({ looks: 1 });
    const line = `--method pag ${claude(server)} --batch detach --out away`;
    const first = await run(line);
    expect(first.code).toBe(4);
    expect(first.stderr).toMatch(/4 requests are out in batches; the same command collects them/);
    expect(first.stderr).not.toMatch(/answer unknown/);
    expect((await run(line)).code).toBe(4); // still under way
    expect((await run(line)).code).toBe(4); // collected, and the second wave is out
    expect(server.batches.map(({ lines }) => lines.length)).toEqual([4, 8]);
    expect((await run(line)).code).toBe(4);
    const last = await run(line);
    expect(last.code).toBe(0);
    expect(rowsOf(join(cwd, "away"))).toHaveLength(8);
    expect([...server.billed.values()].every((times) => times === 1)).toBe(true);
  });

  test("a run with requests out is refused without --batch: they would be bought twice", async () => {
    const server = await serve();
    await run(`--method prompt ${gpt(server)} --batch detach --out out`);
    const single = await run(`--method prompt ${gpt(server)} --out out`);
    expect(single.code).toBe(2);
    expect(single.stderr).toMatch(/8 requests of this run are out in batches \(batch_0\): add --batch/);
    expect(server.single).toBe(0);
  });

  test("a batch that is gone stops the run; --batch resend buys its requests again", async () => {
    const server = await serve();
    const line = `--method prompt ${claude(server)} --batch`;
    await run(`${line} detach --out gone`);
    (server.batches as unknown[]).length = 0;
    const stopped = await run(`${line} --out gone`);
    expect(stopped.code).toBe(3);
    expect(stopped.stderr).toMatch(/batch batch_0 cannot be read.*--batch resend/);
    expect((await run(`${line} resend --out gone`)).code).toBe(0);
  });
});

describe("no batches", () => {
  test.each([
    ["of a provider that has none", "--model offline/lexical --batch", /no batches of offline\/lexical/],
    [
      "of agents, unless asked for",
      "--method persona-agent MODEL --batch",
      /persona-agent: it asks turn after turn.*--batch agents/,
    ],
    [
      "of --online, unless asked for",
      "--method prompt MODEL --batch --online",
      /one question of a user after the other/,
    ],
  ])("%s: one line, nothing sent", async (_, more, said) => {
    const server = await serve();
    const method = more.includes("--method") ? "" : "--method prompt";
    const { code, stderr } = await run(`${method} ${more.replace("MODEL", claude(server))} --out refused`);
    expect(code).toBe(2);
    expect(stderr).toMatch(said);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect([server.single, server.batches.length, existsSync(join(cwd, "refused"))]).toEqual([0, 0, false]);
  });
});
