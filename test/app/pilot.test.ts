import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { limitsSeen } from "../../src/app/run/models/call-notices.js";
import { estimateRun, type RunRequest, run } from "../../src/app/run/run.js";
import { openaiBatches } from "../../src/models/batch/openai-batches.js";
import { promptBytes } from "../../src/models/bytes-per-token.js";
import { minutesAtLimits } from "../../src/report/plan/minutes.js";
import { sha256 } from "../../src/text/content-id.js";
import type { Provider } from "../../src/types/index.js";
import { fakeClock } from "../helpers/fake-clock.js";
import { replyOf, scripted } from "../helpers/model-request.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { tempDir } from "../helpers/temp-dir.js";

/** Dollars a million tokens. */
const PRICES = [{ model: "counted/model", in: 100, out: 500 }];

const never = (): Promise<never> => Promise.reject(new Error("no batch is sent here"));
const speaker = { model: "counted/model", keyName: "KEY", secrets: [] };
const line = { endpoint: "/v1/responses", read: () => replyOf("5") } as const;

/** A run of 24 users on a model that counts its requests, and replies of a length by their text. */
function bench() {
  const cwd = tempDir();
  const users = Array.from({ length: 24 }, (_, i) => reviewUser(`u${i}`, 1 + (i % 5), 1 + (i % 3)));
  writeReviews(join(cwd, "reviews"), users);
  const sent: string[] = [];
  const model = scripted((request) => {
    const text = JSON.stringify(request);
    sent.push(text);
    const usage = { in: Math.ceil(text.length / 4), out: 1 + (Number.parseInt(sha256(text).slice(0, 4), 16) % 200) };
    return replyOf(String(1 + (usage.out % 5)), { usage });
  });
  const provider: Provider = {
    name: "counted",
    summary: "counts what it is asked",
    open: async () => ({
      ...{ ...model, id: "counted/model" },
      batch: openaiBatches({ json: () => never(), text: () => never() }, speaker, { ...line, bodyOf: () => ({}) }),
      count: async (request) => Math.ceil(promptBytes(request) / 2.5),
    }),
  };
  const told: string[] = [];
  const request = (more: RunRequest): RunRequest => ({
    ...{ task: "lamp3", method: ["prompt", "pag"], data: "reviews", model: "counted/model", prices: PRICES },
    ...{ providers: [provider], ...more },
  });
  const io = {
    cwd,
    env: {},
    clock: fakeClock(Date.UTC(2026, 10, 1)),
    node: "v20.19.0",
    tell: (line: string) => void told.push(line),
  };
  const runWith = (more: RunRequest) => run(request(more), io);
  const estimateWith = (more: RunRequest) => estimateRun(request(more), io);
  return { cwd, sent, told, runWith, estimateWith };
}

describe("--pilot", () => {
  it("says how many users a cap pays for, and the flags that draw so many", async () => {
    const lineOf = async (caps: RunRequest): Promise<string | undefined> => {
      const { told, runWith } = bench();
      await runWith({ pilot: 6, out: "piloted", ...caps });
      return told.find((text) => text.startsWith("--max-"));
    };
    const asked =
      /^--max-calls 60 pays for about (\d+) of 24 users: --users \1 --set data\.users=drawn asks so many, drawn by --seed/;
    const [, users] = asked.exec((await lineOf({ maxCalls: 60 })) ?? "") ?? [];
    const { runWith } = bench();
    const drawn = await runWith({ users: Number(users), options: { "data.users": "drawn" }, out: "drawn", seed: 3 });
    expect(drawn.summaries[0]!.users).toBe(Number(users));
    expect(drawn.calls.sent).toBeGreaterThan(40);
    expect(drawn.calls.sent).toBeLessThan(80);
    expect(await lineOf({ maxCalls: 1000 })).toBe("--max-calls 1000 pays for all users");
    const { usd = 0 } = (await bench().runWith({ pilot: 6, out: "whole" })).pilot!.total.forecast;
    expect(await lineOf({ maxUsd: 0.8 * usd })).toMatch(/^--max-usd [\d.]+ pays for about \d+ of 24 users: --users/);
    expect(await lineOf({})).toBeUndefined();
  });

  it("runs some users, tells what all will cost, stops, and the run goes on from there: the bytes and calls of a run without", async () => {
    const { cwd, sent, told, runWith } = bench();
    const first = await runWith({ pilot: 6, out: "piloted" });
    expect(first.ended).toBe("pilot");
    expect(first.tables.text).toBe("");
    expect(first.notices.map(({ text }) => text).join("\n")).toContain("the same command with --yes goes on");
    const inPilot = sent.length;
    expect(told.join("\n")).toMatch(/^pilot: 6 of 24 users of lamp3; their replies are kept$/m);
    expect(first.pilot!.total.inBatches).toBeCloseTo(first.pilot!.total.forecast.usd! / 2, 9);
    const { interval, usd = 0, calls } = first.pilot!.total.forecast;
    expect(interval!.low).toBeGreaterThan(0);

    const again = await runWith({ pilot: 6, out: "piloted" });
    expect(again.ended).toBe("pilot");
    expect(sent).toHaveLength(inPilot);

    const whole = await runWith({ pilot: 6, yes: true, out: "piloted" });
    expect(whole.ended).toBe("done");
    const cost = whole.summaries.reduce((sum, { usd: one = 0 }) => sum + one, 0);
    expect(interval!.low).toBeLessThanOrEqual(cost);
    expect(interval!.high).toBeGreaterThanOrEqual(cost);
    expect(Math.abs(usd / cost - 1)).toBeLessThan(0.25);
    expect(Math.abs(calls / sent.length - 1)).toBeLessThan(0.25);

    const piloted = sent.splice(0);
    expect((await runWith({ out: "plain" })).ended).toBe("done");
    expect([...piloted].sort()).toEqual([...sent].sort());
    for (const file of ["rows.jsonl", "units.jsonl", "traces.jsonl"])
      expect(readFileSync(join(cwd, "piloted", file), "utf8")).toBe(readFileSync(join(cwd, "plain", file), "utf8"));
  });

  it("goes on by itself where the upper end of its forecast is below --max-usd, and not where it is above", async () => {
    const { told, runWith } = bench();
    const { high = 0 } = (await runWith({ pilot: 6, out: "free" })).pilot?.total.forecast.interval ?? {};
    expect((await runWith({ pilot: 6, maxUsd: 0.9 * high, out: "dear" })).ended).toBe("pilot");
    expect((await runWith({ pilot: 6, maxUsd: 100, out: "cheap" })).ended).toBe("done");
    expect(told.join("\n")).toMatch(/going on: \$[\d.]+, the upper end of its 95 % interval, is below --max-usd 100/);
  });

  it("takes all users where they are fewer than twice as many, and forecasts nothing from fewer than five", async () => {
    const { told, runWith } = bench();
    expect((await runWith({ pilot: 20, out: "all" })).ended).toBe("done");
    expect((await runWith({ pilot: 3, out: "few" })).ended).toBe("pilot");
    expect(told.join("\n")).toMatch(/^Too few users for a forecast \(5 needed\)\. At most \d+ calls and \$[\d.]+$/m);
  });
});

describe("planning after replies have come", () => {
  it("goes by the bytes of a token that they showed, and by the limits that the endpoint states", async () => {
    const { runWith, estimateWith } = bench();
    const before = await estimateWith({ out: "gauged" });
    await runWith({ out: "gauged" }); // four characters of the whole request a token: fewer bytes of its text
    const after = await estimateWith({ out: "gauged" });
    expect(after.guesses.expected.tokensIn).toBeGreaterThan(before.guesses.expected.tokensIn * 1.05);
    const limits = { provider: "counted", rpm: 2 };
    const limited = await estimateWith({ model: "slow/model", endpoints: { slow: limits } });
    expect(limited.guesses.expected.minutes).toBeCloseTo(limited.guesses.expected.calls / 2, 6);
    expect(limited.text).toContain("2 requests a minute");
  });
});

describe("--dry-run --count", () => {
  it("goes by what the endpoint counts of 30 prompts, and says so; nothing is answered", async () => {
    const { sent, estimateWith } = bench();
    const plain = await estimateWith({});
    const counted = await estimateWith({ count: true });
    expect(sent).toEqual([]);
    expect(counted.text).toMatch(/^counted\/model: 2\.\d+ bytes a token, as its endpoint counts 30 prompts$/m);
    const more = counted.guesses.expected.tokensIn / plain.guesses.expected.tokensIn;
    expect(more).toBeGreaterThan(1.4); // 4.0 bytes a token were assumed
  });
});

it("the minutes of a plan are those of the tightest limit that servers told, all servers of a model together", () => {
  const seen = [
    { name: "lab/a", servers: [{ limits: { requests: 30, input: 6000 } }, { limits: { requests: 30, input: 6000 } }] },
    { name: "lab/b", servers: [{ limits: {} }] },
  ];
  const limits = limitsSeen(seen, "lab/a");
  expect(limits).toMatchObject({ requests: 60, tokensIn: 12_000 });
  expect(minutesAtLimits({ calls: 120, tokensIn: 60_000, tokensOut: 9 }, limits!)).toBe(5);
  expect(limitsSeen(seen, "lab/b")).toBeUndefined();
});
