import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { limitsSeen } from "../../src/app/run/models/call-notices.js";
import { estimateRun, type RunRequest, run } from "../../src/app/run/run.js";
import { minutesAtLimits } from "../../src/report/plan/minutes.js";
import { sha256 } from "../../src/text/content-id.js";
import type { Provider } from "../../src/types/index.js";
import { fakeClock } from "../helpers/fake-clock.js";
import { replyOf, scripted } from "../helpers/model-request.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { tempDir } from "../helpers/temp-dir.js";

/** Dollars a million tokens. */
const PRICES = [{ model: "counted/model", in: 100, out: 500 }];

/** A run of 24 users on a model that counts its requests, and replies of a length by their text. */
function bench() {
  const cwd = tempDir();
  const users = Array.from({ length: 24 }, (_, i) => reviewUser(`u${i}`, 1 + (i % 5), 1 + (i % 3)));
  writeReviews(join(cwd, "reviews"), users);
  const model = scripted((request) => {
    const text = JSON.stringify(request);
    const usage = { in: Math.ceil(text.length / 4), out: 1 + (Number.parseInt(sha256(text).slice(0, 4), 16) % 200) };
    return replyOf(String(1 + (usage.out % 5)), { usage });
  });
  const provider: Provider = {
    name: "counted",
    summary: "counts what it is asked",
    open: async () => ({ ...model, id: "counted/model" }),
  };
  const request = (more: RunRequest): RunRequest => ({
    ...{ task: "lamp3", method: ["prompt", "pag"], data: "reviews", model: "counted/model", prices: PRICES },
    ...{ providers: [provider], ...more },
  });
  const io = {
    cwd,
    env: {},
    clock: fakeClock(Date.UTC(2026, 10, 1)),
    node: "v20.19.0",
    tell: () => undefined,
  };
  const runWith = (more: RunRequest) => run(request(more), io);
  const estimateWith = (more: RunRequest) => estimateRun(request(more), io);
  return { runWith, estimateWith };
}

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
