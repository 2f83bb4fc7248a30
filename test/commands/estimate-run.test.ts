import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { estimateRun, run } from "../../src/commands/library.js";
import type { RunRequest } from "../../src/plan/settings.js";
import { sha256 } from "../../src/text/content-id.js";
import type { Kit, Method, Provider, User } from "../../src/types/index.js";
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
  it("leaves out what is answered, and goes by the tokens of these replies", async () => {
    const { runWith, estimateWith } = bench();
    const before = await estimateWith({});
    const { calls } = await runWith({ users: 12, out: "some" }); // four characters of the whole request a token: fewer bytes of its text
    for (const after of [await estimateWith({ reuse: "some" }), await estimateWith({ out: "some" })]) {
      expect(after.atHand).toBe(calls.sent);
      expect(after.text).toContain(`${calls.sent} calls answered already`);
      const [{ expected: all }, { expected: left }] = [before.total, after.total];
      expect(left.calls).toBeCloseTo(all.calls - calls.sent, 0);
      expect(left.tokensIn / left.calls).toBeGreaterThan((all.tokensIn / all.calls) * 1.05);
      expect(left.tokensOut / left.calls).toBeGreaterThan(50); // the embedded model's are shorter
    }
    await runWith({ out: "whole", reuse: "some" });
    expect((await estimateWith({ out: "whole" })).total.callsHigh).toBe(0);
  });

  it("says no difference in accuracy above the share of questions that is assumed to disagree", async () => {
    const said = (users: number) =>
      bench().estimateWith({ task: "lamp2m", method: "prompt", data: undefined, model: undefined, users });
    expect((await said(12)).text).toMatch(
      /lamp2m: 12 users.*: too few to find any difference in 80 % of cases, where two methods disagree/,
    );
    expect((await said(24)).text).toMatch(/lamp2m: 24 users.*: a difference in accuracy of \.1\d\d is found/);
  });

  it("counts the calls that a plug-in's plan leaves out", async () => {
    const method = {
      ...{
        name: "hidden",
        summary: "",
        source: "a test",
        options: {},
        plan: () => ({ perUnit: () => ({}), perQuestion: () => ({}) }),
      },
      personalize: async (_user: User, _options: object, kit: Kit) => async () =>
        (await kit.ask("summary", { messages: [{ role: "user", content: kit.task.name }] })).text,
    };
    const { phases, total } = await bench().estimateWith({
      methods: [method as unknown as Method],
      method: "hidden",
      users: 10,
    });
    const [line] = phases;
    expect([phases.length, line?.phase, line?.callsLow]).toEqual([1, "summary", 0]);
    expect(line!.callsHigh).toBeGreaterThanOrEqual(total.callsHigh);
    expect(total.callsHigh).toBeGreaterThan(0);
  });

  it("names what has no price", async () => {
    const endpoints = { slow: { provider: "counted" } };
    const { text } = await bench().estimateWith({ model: "slow/model", endpoints });
    expect(text).toContain(
      'the price of slow/model is unknown, so its dollars are, too: put "- { model: slow/model, in: X, out: Y }"',
    );
  });
});
