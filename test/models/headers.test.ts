import { describe, expect, it } from "vitest";
import { providers } from "../../src/models/index.js";
import { readLimits as limitsIn } from "../../src/models/wire/limits.js";
import type { HeaderBag } from "../../src/net/retry.js";

const names = providers.all.flatMap(({ limits }) => limits?.headers ?? []);
const readLimits = (headers: HeaderBag) => limitsIn(headers, names);

const bag = (headers: Record<string, string>) => ({ get: (name: string) => headers[name] });
const date = "Sun, 22 Nov 2026 00:00:00 GMT";

/** What a reset in this form comes to, milliseconds. */
function resetMs(text: string, headers: Record<string, string> = { date }): number | undefined {
  const name = "x-ratelimit";
  return readLimits(bag({ ...headers, [`${name}-limit`]: "10", [`${name}-remaining`]: "5", [`${name}-reset`]: text }))
    ?.requests?.resetMs;
}

describe("resets", () => {
  it.each([
    ["2", 2_000],
    ["0.25", 250],
    ["1s", 1_000],
    ["250ms", 250],
    ["6m0s", 360_000],
    ["1m30.5s", 90_500],
    ["1h2m3s", 3_723_000],
    ["2d", 172_800_000],
    ["2026-11-22T00:00:42Z", 42_000],
    ["2026-11-21T23:59:59Z", 0],
    [String(Date.UTC(2026, 10, 22, 0, 0, 7)), 7_000],
    [String(Date.UTC(2026, 10, 22, 0, 0, 7) / 1000), 7_000],
  ])("are read as seconds, durations and times: %s", (text, ms) => {
    expect(resetMs(text)).toBe(ms);
  });

  it("as a time say nothing without the reply's own date: no clock need agree", () => {
    expect(resetMs("2026-11-22T00:00:42Z", {})).toBeUndefined();
  });
});

describe("limits in headers", () => {
  it("are OpenAI's, the tighter of account and project", () => {
    const limits = readLimits(
      bag({
        "x-ratelimit-limit-requests": "500",
        "x-ratelimit-remaining-requests": "499",
        "x-ratelimit-reset-requests": "120ms",
        "x-ratelimit-limit-tokens": "30000",
        "x-ratelimit-remaining-tokens": "29000",
        "x-ratelimit-reset-tokens": "2s",
        "x-ratelimit-limit-project-tokens": "10000",
        "x-ratelimit-remaining-project-tokens": "400",
      }),
    );
    expect(limits).toEqual({
      requests: { limit: 500, remaining: 499, resetMs: 120, offMs: 1 },
      tokens: { limit: 10_000, remaining: 400 },
    });
  });

  it("are Anthropic's, by what is counted", () => {
    const of = (what: string, remaining: number) => ({
      [`anthropic-ratelimit-${what}-limit`]: "30000",
      [`anthropic-ratelimit-${what}-remaining`]: String(remaining),
      [`anthropic-ratelimit-${what}-reset`]: "2026-11-22T00:00:30Z",
    });
    const limits = readLimits(
      bag({ date, ...of("input-tokens", 15_000), ...of("output-tokens", 30_000), ...of("requests", 1) }),
    );
    expect(limits?.input).toEqual({ limit: 30_000, remaining: 15_000, resetMs: 30_000, offMs: 1_000 });
    expect(Object.keys(limits ?? {}).sort()).toEqual(["input", "output", "requests"]);
  });
});
