import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rowsOf as rowsIn } from "../../src/record/rows.js";
import { entriesOf } from "../helpers/planted-log.js";
import type { Fault, ProviderServer, ServedRequest } from "../helpers/provider-server.js";
import { fakeKey, promptOf, startRatedServer } from "../helpers/rated-server.js";
import { armRecords } from "../helpers/report-json.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { comparable, everyFile } from "../helpers/run-folder.js";
import { manifestIn } from "../helpers/stored-run.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
let server: ProviderServer;
let fault: (request: ServedRequest) => Fault | undefined = () => undefined;

beforeAll(async () => {
  server = await startRatedServer({ fault: (request) => fault(request) });
  writeReviews(
    join(cwd, "reviews"),
    Array.from({ length: 12 }, (_, i) => reviewUser(`u${i + 10}`)),
  );
  await run("whole");
});
afterAll(() => server.close());

/** 12 users with 2 questions each: 24 calls of prompt, 12 + 24 of pag. */
const questions = 24;
const calls = 24 + 12 + 24;

function run(out: string, more = "", { url } = server) {
  const line = `run --task lamp3 --method prompt,pag --data reviews --model openai/rated --base-url ${url}/v1 --out ${out} ${more}`;
  return runCommandLine(line, { cwd, env: { OPENAI_API_KEY: fakeKey } });
}

/** Runs with a fault in place; returns how many requests it sent, too. */
async function runWith(wrong: typeof fault, out: string, more = "") {
  fault = wrong;
  const before = server.requests.length;
  const result = await run(out, more);
  fault = () => undefined;
  return { ...result, sent: server.requests.length - before };
}

const fine = () => undefined;
const whole = () => comparable(join(cwd, "whole"));
const rowsOf = (out: string) => rowsIn(join(cwd, out));

describe("a run that is repeated", () => {
  test("sends nothing when it is done, and leaves every compared byte as it was", async () => {
    const before = whole();
    const { code, sent, stderr } = await runWith(fine, "whole");
    expect({ code, sent }).toEqual({ code: 0, sent: 0 });
    expect(stderr).toMatch(/0 calls sent/);
    expect(whole()).toEqual(before);
  });

  test.each([
    ["--seed 1", /\(--seed 1, was 0\)/],
    ["--users 5", /\(--users 5, was \w+( \w+)?\)/],
    ["--set pag.k=2", /\(--set pag\.k=2, was not given\)/],
    ["--repeats 2", /\(--repeats 2, was 1\)/],
    ["--set temperature=0.5", /\(--set temperature=0\.5, was not given\)/],
  ])("with %s is refused by name, and nothing is sent or changed", async (change, says) => {
    const before = everyFile(join(cwd, "whole"));
    const { code, sent, stderr } = await runWith(fine, "whole", change);
    expect({ code, sent }).toEqual({ code: 2, sent: 0 });
    expect(stderr).toMatch(says);
    expect(stderr).toMatch(/choose another --out, or repeat the old command to resume/);
    expect(everyFile(join(cwd, "whole"))).toEqual(before);
  });

  test("may change what decides no reply: concurrency, caps, limits", async () => {
    const { code, sent } = await runWith(fine, "whole", "--concurrency 1 --max-calls 1000 --max-failed 0.5");
    expect({ code, sent }).toEqual({ code: 0, sent: 0 });
  });
});

describe("--max-calls", () => {
  test("stops before call n+1, says how to go on, and the rest completes the same run", async () => {
    const first = await runWith(fine, "capped", "--max-calls 17");
    expect(first).toMatchObject({ code: 1, sent: 17 });
    expect(first.stderr).toMatch(/stopped before the end: --max-calls 17 is reached/);
    expect(first.stderr).toMatch(/resume with the same command/);
    expect(rowsOf("capped").every(({ outcome }) => outcome.kind !== "failed")).toBe(true);
    const second = await runWith(fine, "capped");
    expect(second).toMatchObject({ code: 0, sent: calls - 17 });
    expect(comparable(join(cwd, "capped"))).toEqual(whole());
  });

  test("counts tries, not calls: what fails or is late counts, what is refused unbilled does not, over resumes", async () => {
    const wrong = ({ index }: ServedRequest): Fault | undefined => {
      if (index % 3 === 0) return { kind: "status", status: index % 2 === 0 ? 500 : 429 };
      return index % 5 === 0 ? { kind: "cut" } : undefined;
    };
    const more = "--max-calls 20 --concurrency 16";
    const first = await runWith(wrong, "tries", more);
    expect(first.code).toBe(1);
    const entries = entriesOf(join(cwd, "tries"));
    const refused = entries.filter((one) => one.t === "failure" && one.billed === "none" && one.final !== true).length;
    expect([refused > 0, first.sent - refused]).toEqual([true, 20]);
    expect(entries.filter(({ t }) => t === "try")).toHaveLength(first.sent);
    expect(first.stderr).toMatch(/^20 calls sent/m);
    expect(first.stderr).toMatch(/of the calls sent brought no reply: \d+ billed, [1-9]\d* answer unknown/);
    const again = await runWith(fine, "tries", more);
    expect(again).toMatchObject({ code: 1, sent: 0 });
    expect(again.stderr).toMatch(/^answer unknown: \d+ tries were sent and no answer came/m);
    const report = await runCommandLine("report tries", { cwd });
    expect([report.code, report.stderr]).toEqual([0, expect.stringMatching(/^answer unknown: \d+ tries/)]);
    expect(await runWith(fine, "tries")).toMatchObject({ code: 0 });
    expect(comparable(join(cwd, "tries"))).toEqual(whole());
  });

  test("tries that run into the deadline reach the server no more often than the cap says, and are told of", async () => {
    const more = "--max-calls 10 --concurrency 16 --set server.deadlineSeconds=0.05";
    // Its own: on a busy machine a call that was given up may arrive while the next test counts.
    const slow = await startRatedServer({ fault: () => ({ kind: "hang" }) });
    const { code, stderr } = await run("late", more, slow);
    await slow.close();
    expect(code).toBe(1);
    expect(slow.requests.length).toBeLessThanOrEqual(10);
    expect(stderr).toMatch(/^10 calls sent/m);
    expect(stderr).toMatch(/10 of the calls sent brought no reply: 0 billed, 10 answer unknown/);
  });
});

describe("failed calls", () => {
  const refused: Fault = { kind: "status", status: 400, message: "the prompt is not to my taste" };
  const aboutUser12 = (request: ServedRequest) => (/of u12\b/.test(promptOf(request)) ? refused : undefined);

  test("become failed rows: exit 1, not scored, named, and tried again by the same command", async () => {
    const first = await runWith(aboutUser12, "failing");
    expect(first.code).toBe(1);
    expect(first.stderr).toMatch(/8\.3 % of the questions failed, more than --max-failed 0/);
    expect(first.stderr).toMatch(/^failed, \d+ times: .+\nmore: lamp-eval show \S+ --question \S+$/m);
    const failed = rowsOf("failing").filter(({ outcome }) => outcome.kind === "failed");
    expect(failed.map(({ user }) => user)).toEqual(["u12", "u12", "u12", "u12"]);
    expect(first.stdout).toMatch(/^prompt: 2 of 24 failed and are not in the scores/m);
    for (const arm of armRecords(readFileSync(join(cwd, "failing", "results.json"), "utf8")))
      expect(arm).toMatchObject({ failed: 2, n: questions - 2 });

    const second = await runWith(fine, "failing");
    expect(second).toMatchObject({ code: 0, sent: 2 + 1 + 2 });
    expect(comparable(join(cwd, "failing"))).toEqual(whole());
  });

  test("do not matter to the exit code up to --max-failed", async () => {
    expect(await runWith(aboutUser12, "tolerant", "--max-failed 0.1")).toMatchObject({ code: 0 });
    expect(rowsOf("tolerant").filter(({ outcome }) => outcome.kind === "failed")).toHaveLength(4);
  });

  test("are scored as nothing, not as zero, when none is answered", async () => {
    const { code, stdout } = await runWith(() => ({ ...refused, status: 413 }), "hopeless", "--json");
    expect(code).toBe(1);
    expect(armRecords(stdout)[0]).toMatchObject({ failed: questions, n: 0, mae: null });
    expect(readFileSync(join(cwd, "hopeless", "results.md"), "utf8")).toMatch(/\| prompt (\| - )+\| 0 \|/);
  });

  test("that pass by themselves are tried again within the run", async () => {
    const flaky = ({ attempt, index }: ServedRequest): Fault | undefined =>
      attempt === 1 && index % 3 === 0 ? { kind: "status", status: 429, headers: { "retry-after": "2" } } : undefined;
    expect(await runWith(flaky, "flaky")).toMatchObject({ code: 0 });
    expect(comparable(join(cwd, "flaky"))).toEqual(whole());
  });

  test.each([
    [401, "invalid key", /check OPENAI_API_KEY/],
    [404, "no such model", /check the model id after the slash in --model, and --base-url/],
    [429, "you exceeded your current quota", /raise the account's limit or wait/],
    [
      400,
      "You have reached your specified API usage limits. You will regain access on 2026-12-01.",
      /2026-12-01.*raise/,
    ],
    [400, "API key not valid. Please pass a valid API key.", /check OPENAI_API_KEY/],
    [400, "rated is not a valid model ID", /check the model id/],
  ])("with status %i end the run with what to mend, and no row is written", async (status, message, says) => {
    const stop: Fault = { kind: "status", status, message };
    const out = `stopped-${status}-${message.length}`;
    const { code, stderr, sent } = await runWith(() => stop, out, "--concurrency 3");
    expect(code).toBe(3);
    expect(stderr).toMatch(/stopped before the end: openai\/rated: /);
    expect(stderr).toMatch(says);
    expect(sent).toBeLessThanOrEqual(3);
    expect(rowsOf(out)).toEqual([]);
    expect(await runWith(fine, out)).toMatchObject({ code: 0, sent: calls });
    expect(comparable(join(cwd, out))).toEqual(whole());
  });
});

describe("the run folder", () => {
  test("never holds a password of the server's address", async () => {
    const url = server.url.replace("http://", "http://someone:swordfish-7@");
    const line = `run --task lamp3 --method prompt --data reviews --model openai/rated --base-url ${url}/v1 --out passworded`;
    const { stdout, stderr } = await runCommandLine(line, { cwd });
    const files = { ...everyFile(join(cwd, "passworded")), stdout, stderr };
    for (const [name, content] of Object.entries(files)) expect(content.includes("swordfish-7"), name).toBe(false);
  });

  test("never holds a key in the query of the server's address, which still goes with every request", async () => {
    const line = `run --task lamp3 --method prompt --data reviews --model openai/rated --base-url ${server.url}/v1?api-key=swordfish-8 --out queried`;
    for (const sent of [24, 0]) {
      const before = server.requests.length;
      const { code, stdout, stderr } = await runCommandLine(line, { cwd });
      expect({ code, sent: server.requests.length - before }, stderr).toEqual({ code: 0, sent });
      const files = { ...everyFile(join(cwd, "queried")), stdout, stderr };
      for (const [name, content] of Object.entries(files)) expect(content.includes("swordfish-8"), name).toBe(false);
    }
  });

  test("has a manifest that says what was run, on what, and what answered", () => {
    const manifest = manifestIn(join(cwd, "whole"))!; // the run has finished
    expect(manifest.argv.slice(0, 3)).toEqual(["run", "--task", "lamp3"]);
    expect(manifest).toMatchObject({ answeredBy: ["rated"], simulated: false, node: process.version });
    expect(manifest.identity.data[0]?.files[0]).toMatchObject({
      name: "users.json",
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  test("is named by the plan when no --out is given, so that the same command resumes", async () => {
    const line = "run --task lamp3 --method prompt --data reviews --model offline/lexical";
    for (const more of ["", "", " --seed 3"]) expect((await runCommandLine(line + more, { cwd })).code).toBe(0);
    const names = readdirSync(join(cwd, "results"));
    expect(names).toHaveLength(2);
    for (const name of names) expect(name).toMatch(/^lamp3-prompt-[0-9a-f]{8}$/);
  });
});
