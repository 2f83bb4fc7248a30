import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Fault, ProviderServer } from "../helpers/provider-server.js";
import { fakeKey, promptOf, startRatedServer } from "../helpers/rated-server.js";
import { answeredPrompts, comparable } from "../helpers/run-folder.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { type CliProcess, type Exit, startCli } from "./cli-process.js";
import { runHere } from "./in-process.js";
import { until } from "./until.js";

const cwd = suiteDir();
let server: ProviderServer;
let fault: Fault | undefined;

beforeAll(async () => {
  server = await startRatedServer({ latencyMs: 5, fault: () => fault });
});
afterAll(() => server.close());

const settings = { cwd, env: { OPENAI_API_KEY: fakeKey } };
const argumentsFor = (out: string, more: readonly string[]): string[] => [
  ...`run --task lamp3 --method prompt,pag --users 6 --model openai/rated --base-url ${server.url}/v1 --concurrency 4 --out ${out}`.split(
    " ",
  ),
  ...more,
];
const start = (out: string, ...more: string[]): CliProcess => startCli(argumentsFor(out, more), settings);
/** No signal comes. */
const finish = (out: string, ...more: string[]): Promise<Exit> => runHere(argumentsFor(out, more), settings);

test("Ctrl-C once finishes the calls in flight, says how to resume, and the rerun ends as if nothing had been", async () => {
  await finish("uninterrupted");
  const before = server.requests.length;
  const cli = start("interrupted");
  await until(() => server.requests.length >= before + 6 || cli.ended);
  fault = { kind: "slow", delayMs: 100 };
  await until(() => server.requests.length >= before + 12 || cli.ended);
  cli.kill("SIGINT");
  const { code, stderr } = await cli.exit;
  fault = undefined;
  expect(code).toBe(130);
  expect(stderr).toMatch(/interrupted: finishing the calls in flight; Ctrl-C again leaves at once/);
  expect(stderr).toMatch(/resume with the same command; what is answered is in interrupted/);
  expect(existsSync(join(cwd, "interrupted", "lock"))).toBe(false);
  const sent = server.requests.slice(before).map(promptOf);
  expect(answeredPrompts(join(cwd, "interrupted"))).toEqual(new Set(sent));

  const resumed = await finish("interrupted");
  expect(resumed.code).toBe(0);
  const all = server.requests.slice(before).map(promptOf);
  expect(new Set(all).size).toBe(all.length);
  expect(comparable(join(cwd, "interrupted"))).toEqual(comparable(join(cwd, "uninterrupted")));
});

test("Ctrl-C twice leaves at once, even while a call hangs, and the run can be resumed", async () => {
  fault = { kind: "hang" };
  const before = server.requests.length;
  const cli = start("left");
  await until(() => server.requests.length > before || cli.ended);
  cli.kill("SIGINT");
  await until(() => cli.messages.includes("Ctrl-C again") || cli.ended);
  cli.kill("SIGINT");
  const left = await cli.exit;
  expect(left).toMatchObject({ code: 130, signal: null });
  expect(left.stderr).toMatch(/left at once: resume with the same command; what is answered is in left and/);
  fault = undefined;
  expect((await finish("left")).code).toBe(0);
  expect(comparable(join(cwd, "left"))).toEqual(comparable(join(cwd, "uninterrupted")));
});

test.each([
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)(
  "%s ends a run as Ctrl-C does, with exit code %i: calls in flight are finished",
  async (signal, exitCode) => {
    const before = server.requests.length;
    fault = { kind: "slow", delayMs: 120 };
    const cli = start(signal);
    await until(() => server.requests.length >= before + 4 || cli.ended);
    cli.kill(signal);
    const { code, stderr } = await cli.exit;
    fault = undefined;
    expect({ code, stderr }).toEqual({
      code: exitCode,
      stderr: expect.stringContaining("finishing the calls in flight"),
    });
    const sent = server.requests.slice(before).map(promptOf);
    expect(answeredPrompts(join(cwd, signal))).toEqual(new Set(sent));
  },
);

test("calls that do not end within --drain-seconds are dropped, counted as unknown, and asked again", async () => {
  fault = { kind: "hang" }; // the first call goes alone: it may tell the limits
  const before = server.requests.length;
  const cli = start("drained", "--set", "server.drainSeconds=0.1");
  await until(() => server.requests.length > before || cli.ended);
  cli.kill("SIGTERM");
  const { code, stderr } = await cli.exit;
  fault = undefined;
  expect(code).toBe(143);
  expect(stderr).toMatch(/^1 calls? sent/m);
  expect(stderr).toMatch(/^1 of the calls? sent brought no reply: 0 billed, 1 answer unknown/m);
  const resumed = await finish("drained");
  expect(resumed.code).toBe(0);
  expect(resumed.stderr).toMatch(/^answer unknown: 1 (try was|tries were) sent/m);
  expect(comparable(join(cwd, "drained"))).toEqual(comparable(join(cwd, "uninterrupted")));
});
