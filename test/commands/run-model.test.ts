import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { EstimateLine, RunEstimate } from "../../src/commands/estimate.js";
import { readLog } from "../../src/log/log.js";
import { methods } from "../../src/methods/index.js";
import { rowsOf, unitRecordsOf } from "../../src/record/rows.js";
import type { ModelReply, PhaseTotals } from "../../src/types/index.js";
import { replyBody } from "../helpers/provider-replies.js";
import type { ProviderServer } from "../helpers/provider-server.js";
import { fakeKey, startRatedServer } from "../helpers/rated-server.js";
import { armRecords } from "../helpers/report-json.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { manifestIn } from "../helpers/stored-run.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
let server: ProviderServer;

beforeAll(async () => {
  server = await startRatedServer();
  const users = Array.from({ length: 4 }, (_, i) => reviewUser(`u${i + 10}`));
  writeReviews(join(cwd, "reviews"), users, [reviewUser("training-1", 6, 0)]);
});
afterAll(() => server.close());

async function run(more: string, env: Record<string, string> = {}) {
  const before = server.requests.length;
  const line = `run --task lamp3 --data reviews ${more}`;
  return { ...(await runCommandLine(line, { cwd, env })), sent: server.requests.length - before };
}

const served = () => `--model openai/rated --base-url ${server.url}/v1`;
/** A model that takes no temperature, and has a price. */
const claude = () => `--model anthropic/claude-sonnet-5-5 --base-url ${server.url}`;
const sonnet = (usage: { in: number; out: number }) =>
  replyBody("messages", { model: "claude-sonnet-5-5", text: "4", usage });
const claudeKey = { ANTHROPIC_API_KEY: fakeKey };

describe("--dry-run", () => {
  type Line = EstimateLine & { readonly usd: number };

  test("sends nothing and leaves no folder", async () => {
    const { code, stdout, stderr, sent } = await run(`--method prompt,pag ${served()} --out dry --dry-run`);
    expect({ code, sent }).toEqual({ code: 0, sent: 0 });
    expect(stderr.match(/price unknown/g)).toHaveLength(1);
    expect(stderr.split("\n")[0]).toContain("model openai/rated (price unknown: --prices FILE)");
    expect(stdout).toMatch(/dry run: nothing was sent/);
    expect(stdout).toMatch(/lamp3 +pag +summary +4\.\.8 /);
    expect(existsSync(join(cwd, "dry"))).toBe(false);
  });

  test("bounds what the real run of every method then asks for", async () => {
    const line = `--method ${methods.names.join(",")} ${served()} --set wiki.mode=off --set agent.protocol=text-react --out bounded`;
    const dry = await run(`${line} --json --dry-run`);
    expect(dry.stderr).not.toMatch(/internal error/);
    const { phases, total } = JSON.parse(dry.stdout) as { phases: Line[]; total: Line };
    const { code, stderr } = await run(line);
    expect({ stderr, code }).toMatchObject({ code: 0 });
    const folder = join(cwd, "bounded");
    const arms = new Map(manifestIn(folder)?.identity.arms.map(({ id, method }) => [id, method]));
    const spent = new Map<string, PhaseTotals>();
    for (const { arm, spend } of [...rowsOf(folder), ...unitRecordsOf(folder)])
      for (const [phase, totals] of Object.entries(spend)) {
        const key = `${arms.get(arm)} ${phase}`;
        const sum = spent.get(key) ?? { calls: 0, in: 0, out: 0 };
        spent.set(key, { calls: sum.calls + totals.calls, in: sum.in + totals.in, out: sum.out + totals.out });
      }
    for (const { method, phase, callsLow, callsHigh, tokensIn, tokensOut } of phases) {
      const { calls, in: tokens, out } = spent.get(`${method} ${phase}`) ?? { calls: 0, in: 0, out: 0 };
      spent.delete(`${method} ${phase}`);
      expect({ method, phase, calls }).toEqual({
        method,
        phase,
        calls: Math.min(Math.max(calls, callsLow), callsHigh),
      });
      expect(tokens, `${method} ${phase} tokens in`).toBeLessThanOrEqual(tokensIn);
      expect(out, `${method} ${phase} tokens out`).toBeLessThanOrEqual(tokensOut);
    }
    expect([...spent.keys()]).toEqual([]); // no phase came as a surprise
    expect(total.callsHigh).toBeLessThanOrEqual(phases.reduce((sum, { callsHigh }) => sum + callsHigh, 0));
    const sent = Number(/(\d+) calls sent/.exec(stderr)?.[1]);
    expect(sent).toBeGreaterThanOrEqual(total.callsLow);
    expect(sent).toBeLessThanOrEqual(total.callsHigh);
  });

  test("says what is expected: within a quarter of what the embedded model then takes, in calls and in tokens", async () => {
    const line = "run --task lamp3 --method rag,persona-agent --queries-per-user 2 --users 8";
    const dry = await runCommandLine(`${line} --dry-run --json`, { cwd });
    const { total } = JSON.parse(dry.stdout) as RunEstimate;
    const { stderr } = await runCommandLine(`${line} --out rehearsed`, { cwd });
    const sent = Number(/(\d+) calls sent/.exec(stderr)?.[1]);
    const answers = [...readLog(join(cwd, "rehearsed", "log.jsonl")).entries()].flatMap((entry) =>
      entry.t === "answer" && entry.kind === "reply" ? [entry.value as unknown as ModelReply] : [],
    );
    const tokens = answers.reduce((sum, { usage }) => sum + usage.in, 0);
    expect(Math.abs(total.expected.calls / sent - 1)).toBeLessThan(0.25);
    expect(Math.abs(total.expected.tokensIn / tokens - 1)).toBeLessThan(0.25);
    expect(total.callsHigh).toBeGreaterThanOrEqual(sent);
  });

  test("prices a model that has a price", async () => {
    const { stdout } = await run(`--method prompt ${claude()} --dry-run`, claudeKey);
    expect(stdout).toMatch(/total .*\$0\.\d+/);
  });

  test("counts every repeat in full: no two repeats share a request", async () => {
    const least = async (more: string): Promise<number> => {
      const { stdout } = await run(`--method pag ${served()} --dry-run --json ${more}`);
      return (JSON.parse(stdout) as { total: Line }).total.callsLow;
    };
    expect(await least("--repeats 3")).toBe(3 * (await least("")));
  });

  test("expects the dollars of a request that two arms share once in the total, as its tokens", async () => {
    writeFileSync(join(cwd, "pag-k.yaml"), "sweep: { pag.k: [1, 2] }\n");
    const { stdout } = await run(`--method pag --config pag-k.yaml ${claude()} --dry-run --json`, claudeKey);
    const { phases, total } = JSON.parse(stdout) as { phases: Line[]; total: Line };
    const sum = (part: "usd" | "tokensIn") => phases.reduce((all, { expected }) => all + (expected[part] ?? 0), 0);
    expect(total.expected.tokensIn).toBeLessThan(sum("tokensIn"));
    const summaries = phases.filter(({ phase }) => phase === "summary");
    expect(summaries).toHaveLength(2);
    expect(sum("usd") - total.expected.usd!).toBeGreaterThan(0);
    expect(sum("usd") - total.expected.usd!).toBeLessThanOrEqual(summaries[1]!.expected.usd! + 1e-9);
  });
});

describe("a parameter that the model does not take", () => {
  test("is an error that names the option where it was set, before anything is sent", async () => {
    for (const flags of ["--set temperature=0.1", "--method pag --set pag.temperature=0.6"]) {
      const { code, stderr, sent } = await run(`--method prompt ${flags} ${claude()} --out refused`, claudeKey);
      expect({ code, sent }).toEqual({ code: 2, sent: 0 });
      expect(stderr).toMatch(
        /^lamp-eval: (pag\.)?temperature=0\.\d: anthropic\/claude-sonnet-5-5 takes no temperature/m,
      );
    }
    expect(existsSync(join(cwd, "refused"))).toBe(false);
  });

  test("is left out where it is a default: of the requests, and named in manifest and table", async () => {
    const speaker = await startRatedServer({ reply: () => sonnet({ in: 100, out: 1 }) });
    const line = `--method prompt --model anthropic/claude-sonnet-5-5 --base-url ${speaker.url} --out dropped`;
    const { code, stdout, stderr } = await run(line, claudeKey);
    await speaker.close();
    expect({ stderr, code }).toMatchObject({ code: 0 });
    expect(speaker.requests).toHaveLength(8);
    for (const { body } of speaker.requests) expect(body).not.toHaveProperty("temperature");
    const manifest = manifestIn(join(cwd, "dropped"));
    expect(manifest?.identity.notApplied).toEqual(["temperature"]);
    expect(manifest?.identity.arms[0]?.options.temperature).toBe("none");
    expect(readFileSync(join(cwd, "dropped", "results.md"), "utf8")).toMatch(/temperature not applied/);
    expect(stdout).toMatch(/\$0\.\d+/); // 8 calls of a priced model
    const [arm] = armRecords(readFileSync(join(cwd, "dropped", "results.json"), "utf8"));
    expect(arm!.usd).toBeCloseTo((8 * (100 * 2 + 1 * 10)) / 1e6, 12);
  });

  test("is no matter when it is not asked for", async () => {
    const { code } = await run(`--method prompt ${claude()} --set temperature=none --dry-run`, claudeKey);
    expect(code).toBe(0);
  });

  test("is sent to a model that takes it", async () => {
    await run(`--method prompt ${served()} --out sent`);
    expect(server.requests.at(-1)?.body.temperature).toBe(0.1);
  });
});

describe("the cost column", () => {
  /** Runs the 8 questions of `prompt` against a server that tells this usage, and reads what they cost. */
  async function costOf(model: string, usage: object, more: string) {
    const anthropic = model.startsWith("anthropic");
    const speaker = await startRatedServer({
      reply: (request) =>
        replyBody(anthropic ? "messages" : "chat", { model: request.body.model, text: "4", more: { usage } }),
    });
    const url = anthropic ? speaker.url : `${speaker.url}/v1`;
    const line = `--method prompt --model ${model} --base-url ${url} --set temperature=none ${more}`;
    const { code, stderr, stdout } = await run(line, claudeKey);
    await speaker.close();
    expect({ stderr, code }).toMatchObject({ code: 0 });
    return {
      stdout,
      usd: (folder: string) => armRecords(readFileSync(join(cwd, folder, "results.json"), "utf8"))[0]!.usd,
    };
  }
  const caches = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const openaiUsage = { prompt_tokens: 1000, completion_tokens: 2, total_tokens: 1002 };

  test("prices each call by its own length: 8 calls of 40,000 tokens are 8 short ones, also when it is reported again", async () => {
    const usage = { input_tokens: 40_000, output_tokens: 1, ...caches };
    const { usd } = await costOf("anthropic/claude-haiku-5-5", usage, "--out tiers");
    expect(usd("tiers")).toBeCloseTo((8 * (40_000 * 0.1 + 0.5)) / 1e6, 12);
    expect((await runCommandLine("report tiers", { cwd })).stdout).toMatch(/\$0\.032/);
  });

  test("counts cache reads and writes at their own prices, and a note says their share and what they saved", async () => {
    const usage = {
      input_tokens: 100,
      output_tokens: 0,
      cache_creation_input_tokens: 1000,
      cache_read_input_tokens: 4000,
    };
    const { usd } = await costOf("anthropic/claude-haiku-4-5", usage, "--out cached-calls");
    expect(usd("cached-calls")).toBeCloseTo((8 * (100 + 1000 * 1.25 + 4000 * 0.1)) / 1e6, 12);
    expect(readFileSync(join(cwd, "cached-calls/results.md"), "utf8")).toContain(
      "prompt: 78 % of prompt tokens read from the cache, 20 % written to it",
    );
  });

  test("is exactly what a gateway says that it billed", async () => {
    const { usd } = await costOf("openai/qwen/qwen3", { ...openaiUsage, cost: 0.00125 }, "--out billed");
    expect(usd("billed")).toBeCloseTo(8 * 0.00125, 12);
  });

  test("takes --prices for a model of one's own, and keeps them in the run", async () => {
    writeFileSync(join(cwd, "own.yaml"), "- { model: openai/mine, in: 3, out: 5 }\n");
    const { usd } = await costOf("openai/mine", openaiUsage, "--prices own.yaml --max-usd 9 --out own");
    expect(usd("own")).toBeCloseTo((8 * (1000 * 3 + 2 * 5)) / 1e6, 12);
    writeFileSync(join(cwd, "own.yaml"), "gone");
    expect((await runCommandLine("report own", { cwd })).stdout).toMatch(/\$0\.024/);
    const wrong = await run(`--method prompt ${served()} --prices own.yaml --dry-run`);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toMatch(/^lamp-eval: --prices own\.yaml: .*write rows/);
  });
});

describe("--max-usd", () => {
  test("stops before the money is gone, and the run can be resumed", async () => {
    const speaker = await startRatedServer({ reply: () => sonnet({ in: 100, out: 1 }) });
    const line = `--method prompt --model anthropic/claude-sonnet-5-5 --base-url ${speaker.url} --out poor`;
    const first = await run(`${line} --max-usd 0.000001`, claudeKey);
    expect(first.code).toBe(1);
    expect(first.stderr).toMatch(/stopped before the end: --max-usd 0\.000001 would be passed/);
    expect(speaker.requests).toHaveLength(0);
    const second = await run(`${line} --max-usd 1`, claudeKey);
    await speaker.close();
    expect(second.code).toBe(0);
    expect(rowsOf(join(cwd, "poor"))).toHaveLength(8);
  });
});
