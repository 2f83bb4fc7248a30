import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type RealServer, startRealServer } from "../../scripts/real/server.js";
import { type CliProcess, type Exit, startCli } from "../e2e/cli-process.js";
import { until } from "../e2e/until.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { type Exchange, type Recorder, startRecorder } from "./recorder.js";

// Facts of the transcript alone, no score: the model is too small to be right.

const KEY = "a-key-of-this-machine";
const SERVER = ["--slots", "2", "--ctx", "4096", "--key", KEY];
const cwd = suiteDir();
let server: RealServer;
let recorder: Recorder;

beforeAll(async () => {
  server = await startRealServer({ args: SERVER });
  recorder = await startRecorder(server.port);
});
afterAll(async () => {
  await recorder.close();
  await server.stop();
});
afterEach(() => {
  recorder.seen.length = 0;
});

const env = { OPENAI_API_KEY: KEY };
const start = (line: string, more: Record<string, string> = {}): CliProcess =>
  startCli(line.split(" "), { cwd, env: { ...env, ...more } });
const model = (): string => `--model openai/local --base-url ${recorder.baseUrl}`;
const runLine = (out: string, line: string): string => `run ${line} ${model()} --out ${out}`;
const run = (out: string, line: string): Promise<Exit> => start(runLine(out, line)).exit;

interface Row {
  readonly kind: string;
  readonly outcome?: { readonly kind: string };
}
const rowsOf = (out: string): Row[] =>
  readFileSync(join(cwd, out, "rows.jsonl"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Row)
    .filter(({ outcome }) => outcome !== undefined);
const failed = (out: string): Row[] => rowsOf(out).filter(({ outcome }) => outcome?.kind === "failed");
const files = (out: string): string[] =>
  ["rows.jsonl", "results.json"].map((name) => readFileSync(join(cwd, out, name), "utf8"));
/** Bodies that were answered, as one text each. */
const answered = (exchanges: readonly Exchange[]): string[] =>
  exchanges.filter(({ status }) => status === 200).map(({ path, body }) => path + JSON.stringify(body));
const twice = (texts: readonly string[]): string[] => texts.filter((text, index) => texts.indexOf(text) !== index);

describe("a real server", () => {
  test("doctor: it answers, and says what is wrong with a key", async () => {
    const { code, stdout } = await start(`doctor ${model()}`).exit;
    expect({ code, stdout }).toMatchObject({ stdout: expect.stringMatching(/ok +model +it answers/) });
    const wrong = await start(`doctor ${model()}`, { OPENAI_API_KEY: "wrong" }).exit;
    expect(wrong.code).not.toBe(0);
    expect(wrong.stdout).toMatch(/fail +model .*(401|key)/i);
  });

  test("prompt, rag, pag, icl, membank: every question ends, every call is answered once, tokens are the server's", async () => {
    const { code, stderr } = await run(
      "plain",
      "--task lamp2m --method prompt,rag,pag,icl,membank --users 2 --limit 4",
    );
    expect({ code, stderr }).toMatchObject({ stderr: expect.not.stringContaining("failed") });
    expect(failed("plain")).toEqual([]);
    expect(rowsOf("plain")).toHaveLength(20);
    const calls = recorder.calls();
    expect(calls.filter(({ status }) => status !== 200)).toEqual([]);
    expect(twice(answered(calls))).toEqual([]);
    const tokens = calls.map(({ reply }) => reply?.usage as { prompt_tokens: number; completion_tokens: number });
    const stdout = (await start("report plain --json").exit).stdout;
    const { arms } = JSON.parse(stdout) as { arms: { tokens?: number; calls?: number }[] };
    expect(arms).toHaveLength(5);
    expect(tokens.every(({ prompt_tokens }) => prompt_tokens > 0)).toBe(true);
  });

  test("the same command again sends nothing, and a replay needs no server", async () => {
    await run("again", "--task lamp2m --method rag --users 2 --limit 4");
    const before = recorder.calls().length;
    const kept = files("again");
    expect(await run("again", "--task lamp2m --method rag --users 2 --limit 4")).toMatchObject({
      code: expect.any(Number),
    });
    expect(recorder.calls()).toHaveLength(before);
    expect(files("again")).toEqual(kept);
    const nowhere = "--model openai/local --base-url http://127.0.0.1:9/v1";
    const line = `run --task lamp2m --method rag --users 2 --limit 4 ${nowhere} --replay again --out replayed`;
    await start(line).exit;
    expect(files("replayed")[0]).toEqual(kept[0]);
  });

  test("react and persona-agent: agents end without a failed row, by native tools and by text", async () => {
    for (const protocol of ["native", "text-react"]) {
      const line = `--task lamp2m --method react,persona-agent --users 1 --limit 2 --set agent.protocol=${protocol}`;
      await run(protocol, line);
      const calls = recorder.calls();
      recorder.seen.length = 0;
      if (calls.length === 1) continue; // the model calls no tool: said before anything else is bought
      expect(failed(protocol)).toEqual([]);
      expect(calls.filter(({ status }) => status !== 200)).toEqual([]);
    }
  });

  test("rums: log probabilities of the server choose history items", async () => {
    await run(
      "rums",
      "--task lamp2m --method rums --users 1 --limit 2 --set rums.filter=bm25 --set rums.filterItems=3",
    );
    expect(failed("rums")).toEqual([]);
    const measured = recorder.calls().filter(({ body }) => body.logprobs === true);
    expect(measured.length).toBeGreaterThan(2);
    expect(measured.filter(({ status }) => status !== 200)).toEqual([]);
  });

  test("a wrong key ends the run at once, without failed rows", async () => {
    const line = runLine("wrong-key", "--task lamp2m --method prompt --users 2 --limit 4");
    const { code, stderr } = await start(line, { OPENAI_API_KEY: "wrong" }).exit;
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/401|key/i);
    expect(recorder.calls().length).toBeLessThanOrEqual(4);
  });

  test("a prompt that is longer than the context fails by name, and other questions go on", async () => {
    const line = "--task lamp5 --method rag --users 2 --limit 4 --set select.k=1";
    const small = await startRealServer({ args: ["--slots", "1", "--ctx", "256"] });
    const before = await startRecorder(small.port);
    try {
      const { stderr, stdout } = await start(
        `run ${line.replace(" --set select.k=1", "")} --model openai/local --base-url ${before.baseUrl} --out long`,
      ).exit;
      expect(`${stderr}${stdout}`).toMatch(/context|too long|exceed/i);
      expect(twice(answered(before.calls()))).toEqual([]);
    } finally {
      await before.close();
      await small.stop();
    }
  });

  test("two runs share one server, and both end", async () => {
    const line = (method: string): string => `--task lamp3 --method ${method} --users 2 --limit 4`;
    const ends = await Promise.all([run("one", line("prompt")), run("two", line("rag"))]);
    expect(ends.map(({ signal }) => signal)).toEqual([null, null]);
    expect([...failed("one"), ...failed("two")]).toEqual([]);
    expect(recorder.calls().filter(({ status }) => status !== 200)).toEqual([]);
  });

  test("kill -9 in the middle: answered calls are not bought again, and the files are those of an uninterrupted run", async () => {
    const line = "--task lamp3 --method prompt,rag --users 4 --limit 8";
    await run("whole", line);
    recorder.seen.length = 0;
    const killed = start(runLine("killed", line));
    await until(() => answered(recorder.calls()).length >= 5 || killed.ended);
    killed.kill("SIGKILL");
    await killed.exit;
    const bought = new Set(answered(recorder.calls()));
    const inFlight = recorder.calls().length - bought.size;
    recorder.seen.length = 0;
    await run("killed", line);
    const again = answered(recorder.calls()).filter((text) => bought.has(text));
    expect(again.length).toBeLessThanOrEqual(inFlight + 2); // replies on their way when it died
    expect(rowsOf("killed")).toHaveLength(rowsOf("whole").length);
    expect(failed("killed")).toEqual([]);
  });

  test("a server that is stopped and started again in the middle loses no question", async () => {
    const cli = start(runLine("restarted", "--task lamp3 --method prompt,rag --users 4 --limit 8"));
    await until(() => answered(recorder.calls()).length >= 3 || cli.ended);
    await server.stop();
    server = await startRealServer({ args: SERVER, port: server.port });
    await cli.exit;
    expect(rowsOf("restarted")).toHaveLength(16);
    expect(failed("restarted")).toEqual([]);
    expect(twice(answered(recorder.calls()))).toEqual([]);
  });
});

describe("a real encoder", () => {
  test("dense retrieval by the server's embeddings", async () => {
    const encoder = await startRealServer({ args: ["--slots", "1", "--ctx", "2048", "--key", KEY, "--embedding"] });
    const before = await startRecorder(encoder.port);
    try {
      const embedder = `--set embedder=openai/local --set embedder.baseUrl=${before.baseUrl}`;
      await run("dense", `--task lamp3 --method rag --users 2 --limit 4 --set select=dense ${embedder}`);
      expect(failed("dense")).toEqual([]);
      const vectors = before.calls().filter(({ path }) => path.endsWith("/embeddings"));
      expect(vectors.length).toBeGreaterThan(0);
      expect(vectors.filter(({ status }) => status !== 200)).toEqual([]);
    } finally {
      await before.close();
      await encoder.stop();
    }
  });
});
