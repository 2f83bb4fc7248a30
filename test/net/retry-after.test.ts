import { describe, expect, it } from "vitest";
import { retryAfterMs } from "../../src/net/retry-after.js";

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
