import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rowsOf } from "../../src/record/rows.js";
import { type Sending, startBatchServer } from "../helpers/batch-server.js";
import { type Fault, startProviderServer } from "../helpers/provider-server.js";
import { fakeKey } from "../helpers/rated-server.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
const env = {
  ANTHROPIC_API_KEY: fakeKey,
  OPENAI_API_KEY: fakeKey,
  AWS_REGION: "us-east-1",
  AWS_BEARER_TOKEN_BEDROCK: fakeKey,
};
const wires = {
  openai: { model: "openai/gpt-4.1-mini", path: "/v1" },
  anthropic: { model: "anthropic/claude-haiku-5-5", path: "" },
  bedrock: { model: "bedrock/anthropic.claude-haiku-5-5", path: "" },
} as const;
const REFUSED_ALIKE = 5;

let fault: Fault | undefined;
let server: Awaited<ReturnType<typeof startProviderServer>>;
beforeAll(async () => {
  server = await startProviderServer({ fault: () => fault });
  writeReviews(join(cwd, "reviews"), [reviewUser("ann"), reviewUser("bob"), reviewUser("cyd")]);
});
afterAll(() => server.close());

const run = (wire: keyof typeof wires, url: string, more: string) =>
  runCommandLine(
    `run --task lamp3 --method prompt --data reviews --model ${wires[wire].model} --base-url ${url}${wires[wire].path} ${more}`,
    { cwd, env },
  );

const stops: readonly (readonly [string, keyof typeof wires, number, string, RegExp, string | undefined])[] = [
  ["a refused key", "openai", 401, "Incorrect API key provided", /check OPENAI_API_KEY/, undefined],
  ["no credit", "openai", 429, "You exceeded your current quota", /raise the account's limit/, "insufficient_quota"],
  [
    "no credit",
    "anthropic",
    400,
    "Your credit balance is too low to access the API",
    /raise the account's limit/,
    undefined,
  ],
  [
    "a spend limit",
    "anthropic",
    429,
    "Your limit is reached",
    /raise the account's limit/,
    "enforced_spend_limit_reached",
  ],
  [
    "a daily quota",
    "bedrock",
    429,
    "Too many tokens per day, please wait before trying again.",
    /wait for it to renew/,
    undefined,
  ],
  ["an unknown model", "openai", 404, "The model does not exist", /check the model id/, undefined],
  [
    "no on-demand throughput",
    "bedrock",
    400,
    "Invocation of model ID anthropic.claude-haiku-5-5 with on-demand throughput isn\u2019t supported.",
    /--model bedrock\/global\.anthropic/,
    undefined,
  ],
];

describe("a provider that takes no call of the run ends it in one line, with exit code 3, resumably", () => {
  test.each(stops)("%s of %s, status %i: %s", async (_, wire, status, message, says, code) => {
    const out = `${wire}-${status}-${message.length}`;
    fault = { kind: "status", status, message, ...(code === undefined ? {} : { code }) };
    const before = server.requests.length;
    const stopped = await run(wire, server.url, `--concurrency 1 --out ${out}`);
    expect(stopped.code).toBe(3);
    expect(stopped.stderr.match(/^stopped before the end: .*$/gm)).toEqual([expect.stringMatching(says)]);
    expect(server.requests.length - before).toBe(1);
    fault = undefined;
    expect(await run(wire, server.url, `--out ${out}`)).toMatchObject({ code: 0 });
    expect(rowsOf(join(cwd, out)).every(({ outcome }) => outcome.kind !== "failed")).toBe(true);
  });

  test("Gemini's daily quota, which only its violation names, although it says to retry soon", async () => {
    const quotaId = "GenerateRequestsPerDayPerProjectPerModel-FreeTier";
    const message = "You exceeded your current quota. Please retry in 34.07s.";
    const type = "type.googleapis.com/google.rpc";
    const details = [
      { "@type": `${type}.QuotaFailure`, violations: [{ quotaId }] },
      { "@type": `${type}.RetryInfo`, retryDelay: "34.07s" },
    ];
    fault = { kind: "status", status: 429, served: [{ error: { code: 429, message, details } }] };
    const before = server.requests.length;
    const stopped = await run("openai", server.url, "--concurrency 1 --out per-day");
    expect(stopped).toMatchObject({ code: 3, stderr: expect.stringContaining("wait for it to renew") });
    expect(server.requests.length - before).toBe(1);
  });

  test.each(["openai", "anthropic", "bedrock"] as const)("a redirect of %s, by its target", async (wire) => {
    const location = "https://login.example/sso?token=very-secret-value";
    fault = { kind: "status", status: 302, headers: { location } };
    const before = server.requests.length;
    const stopped = await run(wire, server.url, `--concurrency 1 --out moved-${wire}`);
    expect(stopped.code).toBe(3);
    expect(stopped.stderr).toMatch(
      /^stopped before the end: .*: 302 the server redirects to https:\/\/login\.example\/sso.*; no redirect is followed/m,
    );
    expect(stopped.stderr).not.toContain("very-secret-value");
    expect(server.requests.length - before).toBe(1);
  });

  test.each(["openai", "anthropic", "bedrock"] as const)("five requests that %s refuses alike", async (wire) => {
    fault = { kind: "status", status: 400, message: "this account may not ask that" };
    const before = server.requests.length;
    const stopped = await run(wire, server.url, `--concurrency 1 --out alike-${wire}`);
    expect(stopped.code).toBe(3);
    expect(stopped.stderr.match(/^stopped before the end: .*$/gm)).toEqual([
      expect.stringMatching(/so for 5 different/),
    ]);
    expect(server.requests.length - before).toBe(REFUSED_ALIKE);
    expect(rowsOf(join(cwd, `alike-${wire}`)).map(({ outcome }) => outcome.kind)).toEqual(Array(4).fill("failed"));
    fault = undefined;
    expect(await run(wire, server.url, `--out alike-${wire}`)).toMatchObject({ code: 0 });
  });
});

describe("the same of batches", () => {
  const sendings: readonly (readonly [string, Sending])[] = [
    ["a refused key", { status: 401, message: "invalid x-api-key" }],
    ["a spend limit", { status: 400, message: "You have reached your specified API usage limits." }],
    ["a 400 for the batch, and so for all its requests", { status: 400, message: "no batches for this account" }],
  ];
  test.each(sendings)("%s: one sending, exit code 3, and the same command goes on", async (name, refused) => {
    for (const wire of ["openai", "anthropic"] as const) {
      let isRefused = true;
      const batches = await startBatchServer({ sending: () => (isRefused ? refused : "taken") });
      const out = `batch-${wire}-${name.slice(0, 12).replaceAll(" ", "-")}`;
      const stopped = await run(wire, batches.url, `--batch --out ${out}`);
      expect({ stderr: stopped.stderr, code: stopped.code }).toMatchObject({ code: 3 });
      expect(stopped.stderr.match(/^stopped before the end: .*$/gm)).toHaveLength(1);
      expect(rowsOf(join(cwd, out))).toEqual([]);
      isRefused = false;
      expect(await run(wire, batches.url, `--batch --out ${out}`)).toMatchObject({ code: 0 });
      expect([...batches.billed.values()]).toEqual(Array(6).fill(1));
      await batches.close();
    }
  });

  test("lines that are refused alike", async () => {
    let isRefused = true;
    const batches = await startBatchServer({ fate: () => (isRefused ? "invalid" : "succeeded") });
    const stopped = await run("anthropic", batches.url, "--batch --out batch-alike");
    expect(stopped.code).toBe(3);
    expect(stopped.stderr).toMatch(/^stopped before the end: .*so for 5 different requests/m);
    expect(rowsOf(join(cwd, "batch-alike"))).toEqual([]);
    isRefused = false;
    expect(await run("anthropic", batches.url, "--batch --out batch-alike")).toMatchObject({ code: 0 });
    await batches.close();
  });
});
