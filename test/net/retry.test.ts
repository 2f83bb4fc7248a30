import { describe, expect, it } from "vitest";
import { ModelError } from "../../src/errors.js";
import { type FailedTry, longWaitMessage, retry, retryAfterMs } from "../../src/net/retry.js";
import type { Random } from "../../src/types/index.js";

const POLICY = { tries: 4, firstWaitMs: 100, longestWaitMs: 1_000 };
const busy = (retryAfter?: number) => new ModelError("busy", { retryable: true, retryAfterMs: retryAfter });

/** What a caller saw of tries that fail so in turn and are then done. */
async function tried(errors: readonly Error[], random?: Random) {
  const waits: number[] = [];
  let tries = 0;
  const call = async (): Promise<string> => {
    const error = errors[tries++];
    if (error !== undefined) throw error;
    return `try ${tries}`;
  };
  const wait = async ({ waitMs }: FailedTry): Promise<void> => void waits.push(waitMs);
  const end = await retry(call, { policy: POLICY, wait, ...(random === undefined ? {} : { random }) }).catch(
    (error: Error) => error.message,
  );
  return { end, waits };
}

it.each([
  [9_999, 9_999, undefined],
  [30_000, 0, "host does not serve now; waiting 30 s before the next try"],
  [30_000, 30_000, "host does not serve now; waiting 30 s before the next try"],
  [120_000, 100_000_000, "host asks to wait 100000 s; trying again in 120 s, the longest wait"],
])("a wait of %i ms, %i asked, is told as %s", (waitMs, askedMs, line) => {
  expect(longWaitMessage("host", { waitMs, askedMs })).toBe(line);
});

describe("the loop of tries", () => {
  it("ends at the first that is done; waits double in between", async () => {
    expect(await tried([busy(), busy(), busy()])).toMatchObject({ end: "try 4", waits: [100, 200, 400] });
  });

  it("gives up after the last try, without waiting for another", async () => {
    const { end, waits } = await tried([busy(), busy(), busy(), busy()]);
    expect([end, waits.length]).toEqual(["busy (gave up after 4 tries)", 3]);
  });

  it("waits as long as the server asks, never longer than the policy, nor shorter than by itself", async () => {
    expect((await tried([busy(700), busy(100_000_000), busy(0)])).waits).toEqual([700, 1_000, 400]);
    expect((await tried([busy(50), busy(150)])).waits).toEqual([100, 200]);
  });

  it.each([
    [0, 500, 50],
    [0.5, 550, 75],
    [1, 600, 100],
  ])("spread by %f: never before the server's time, never after our own", async (chance, asked, own) => {
    const random = { next: () => chance } as Random;
    expect((await tried([busy(500)], random)).waits).toEqual([asked]);
    expect((await tried([busy()], random)).waits).toEqual([own]);
  });

  it("lets through at once what cannot pass by itself", async () => {
    for (const error of [new Error("final"), new ModelError("final", { retryable: false })])
      expect(await tried([error])).toMatchObject({ end: "final", waits: [] });
  });
});

const DATE = "Sat, 21 Nov 2026 10:00:00 GMT";

describe("what a server asked to wait", () => {
  it.each([
    [{ "retry-after": "7" }, 7000],
    [{ "retry-after": " 7 " }, 7000],
    [{ "retry-after": "0.5" }, 500],
    [{ "retry-after": "0" }, 0],
    [{ "retry-after-ms": "120", "retry-after": "7" }, 120],
    [{ "retry-after-ms": "soon", "retry-after": "7" }, 7000],
    [{ "retry-after": "Sat, 21 Nov 2026 10:00:09 GMT", date: DATE }, 9000],
    [{ "retry-after": "Sat, 21 Nov 2026 09:00:00 GMT", date: DATE }, 0],
  ])("%j is %i ms", (headers, waitMs) => {
    expect(retryAfterMs(new Headers(headers as Record<string, string>))).toBe(waitMs);
  });

  const details = (...all: unknown[]) => ({ code: 429, details: all });
  const info = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.07s" };

  it.each([
    [{}, details({ "@type": "type.googleapis.com/google.rpc.QuotaFailure" }, info), 34_070],
    [{ "retry-after": "7" }, details(info), 7000],
    [{}, details({ ...info, retryDelay: "soon" }, null, 3), undefined],
    [{}, details({ ...info, "@type": "type.googleapis.com/google.rpc.DebugInfo" }), undefined],
    [{}, { details: "34s" }, undefined],
  ])("%j and an error's details %j: %s ms", (headers, served, waitMs) => {
    expect(retryAfterMs(new Headers(headers as Record<string, string>), served)).toBe(waitMs);
  });

  it.each([
    {},
    { "retry-after": "" },
    { "retry-after": "soon" },
    { "retry-after": "-3" },
    { "retry-after": "1e5" },
    { "retry-after": "Infinity" },
    { "retry-after": "Sat, 21 Nov 2026 10:00:09 GMT" }, // no clock of ours is measured against the server's
  ])("%j asks nothing that can be read", (headers) => {
    expect(retryAfterMs(new Headers(headers as Record<string, string>))).toBeUndefined();
  });
});
