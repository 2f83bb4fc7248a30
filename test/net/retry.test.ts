import { describe, expect, it } from "vitest";
import { type FailedTry, longWait, type RetryRules, retry, type Try } from "../../src/net/retry.js";
import type { Random } from "../../src/types/index.js";

const POLICY = { tries: 4, firstWaitMs: 100, longestWaitMs: 1_000 };

/** What a caller with these rules saw of tries that came to `results`, in turn. */
async function tried(results: readonly Try<string, string>[], rules: Partial<RetryRules<string>> = {}) {
  const attempts: number[] = [];
  const waits: [waitMs: number, next: number][] = [];
  const failures: FailedTry<string>[] = [];
  const outcome = await retry(
    async (attempt) => {
      attempts.push(attempt);
      return results[attempts.length - 1]!;
    },
    {
      policy: POLICY,
      wait: async ({ waitMs }, next) => void waits.push([waitMs, next]),
      onFailure: (failed) => failures.push(failed),
      gaveUp: (failure, tries) => new Error(`${failure} x ${tries}`),
      ...rules,
    },
  ).catch((error: Error) => error.message);
  return { outcome, attempts, waits, failures };
}

const busy = (retryAfterMs?: number): Try<string, string> => ({ failure: "busy", retryAfterMs });
const always = (value: number): Random => ({ next: () => value }) as Random;

describe("a long wait", () => {
  it.each([
    [9_999, 0, undefined],
    [9_999, 9_999, undefined],
    [30_000, 0, "host does not serve now; waiting 30 s before the next try"],
    [30_000, 30_000, "host does not serve now; waiting 30 s before the next try"],
    [120_000, 100_000_000, "host asks to wait 100000 s; no wait is longer than 120 s before the next try"],
  ])("of %i ms, %i asked, is told as %s", (waitMs, askedMs, line) => {
    expect(longWait("host", { waitMs, askedMs })).toBe(line);
  });
});

describe("the loop of tries", () => {
  it("ends at the first that is done; waits double in between", async () => {
    expect(await tried([busy(), busy(), busy(), { done: "yes" }])).toMatchObject({
      outcome: "yes",
      attempts: [1, 2, 3, 4],
      waits: [
        [100, 2],
        [200, 3],
        [400, 4],
      ],
    });
  });

  it("of the patient waits no less than it would by itself, though less is asked for", async () => {
    const policy = { ...POLICY, patient: true } as const;
    const { waits } = await tried([busy(50), busy(500), busy(5_000), { done: "yes" }], { policy });
    expect(waits.map(([waitMs]) => waitMs)).toEqual([100, 500, 1_000]);
  });

  it("gives up after the last try, without waiting for another", async () => {
    const { outcome, waits, failures } = await tried([busy(), busy(), busy(), busy()]);
    expect(outcome).toBe("busy x 4");
    expect(waits).toHaveLength(3);
    expect(failures.map(({ attempt, last }) => [attempt, last])).toEqual([
      [1, false],
      [2, false],
      [3, false],
      [4, true],
    ]);
  });

  it("waits as long as the server asks, never longer than the policy", async () => {
    const { waits, failures } = await tried([busy(700), busy(100_000_000), { done: "yes" }]);
    expect(waits.map(([waitMs]) => waitMs)).toEqual([700, 1_000]);
    expect(failures.map(({ heldMs }) => heldMs)).toEqual([700, 1_000]);
  });

  it("a server that asks for nothing is not hammered", async () => {
    const { waits, failures } = await tried([busy(0), { done: "yes" }]);
    expect(waits).toEqual([[100, 2]]);
    expect(failures[0]?.heldMs).toBe(0);
  });

  it.each([
    [0, 500, 50],
    [0.5, 550, 75],
    [1, 600, 100],
  ])("spread by %f: never before the server's time, never after our own", async (chance, asked, own) => {
    const rules = { random: always(chance) };
    expect((await tried([busy(500), { done: "yes" }], rules)).waits).toEqual([[asked, 2]]);
    expect((await tried([busy(), { done: "yes" }], rules)).waits).toEqual([[own, 2]]);
  });

  it("lets through at once what a try throws", async () => {
    const call = retry(() => Promise.reject(new Error("final")), {
      policy: POLICY,
      wait: () => Promise.reject(new Error("waited")),
      gaveUp: () => new Error("gave up"),
    });
    await expect(call).rejects.toThrow("final");
  });
});
