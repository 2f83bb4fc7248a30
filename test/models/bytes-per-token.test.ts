import { describe, expect, test } from "vitest";
import { familyBytesPerToken, promptBytes, TokenGauge } from "../../src/models/tokens.js";
import { ask } from "../helpers/model-request.js";

test.each([
  ["anthropic/claude-haiku-5-5", 3],
  ["bedrock/us.anthropic.claude-opus-4-8", 3],
  ["anthropic/claude-haiku-4-5-20251001", 3.9],
  ["anthropic/claude-3-5-sonnet", 3.9],
  ["anthropic/claude-opus-4-20250514", 3.9],
  ["bedrock/us.anthropic.claude-sonnet-4-6-v1", 3.9],
  ["anthropic/claude-opus-4-7-20260416", 3],
  ["openai/gpt-6-luna", 4.4],
  ["openai/qwen3-8b", 4.4],
  ["offline/lexical", 4],
] as const)("%s: %d bytes a token before a reply has come", (model, bytes) => {
  expect(familyBytesPerToken(model)).toBe(bytes);
});

describe("a gauge", () => {
  const request = ask("ü".repeat(500)); // 1,000 bytes

  test("believes 20 replies: at 2.5 bytes a token its estimate is within 5 %", () => {
    const gauge = new TokenGauge("openai/gpt-6-luna");
    expect(promptBytes(request)).toBe(1000);
    expect(gauge.tokens(request)).toBe(Math.ceil(1000 / 4.4));
    expect(gauge.tokensToReserve(request)).toBe(Math.ceil(1000 / (4.4 * 0.8)));
    for (let reply = 0; reply < 20; reply++) gauge.add(request, { in: 400, out: 1 });
    expect(gauge.tokens(request)).toBeGreaterThanOrEqual(380);
    expect(gauge.tokens(request)).toBeLessThanOrEqual(420);
    expect(gauge.tokensToReserve(request)).toBe(gauge.tokens(request)); // it knows
  });

  test("goes on from what an earlier process had seen, and learns nothing of counts that are estimates", () => {
    const gauge = new TokenGauge("openai/x", { bytesPerToken: 2, replies: 30 });
    gauge.add(request, { in: 1, out: 1, estimated: true });
    expect(gauge.bytesPerToken).toBe(2);
    for (let reply = 0; reply < 100; reply++) gauge.add(request, { in: 250, out: 1 });
    expect(gauge.bytesPerToken).toBeGreaterThan(3.9);
    expect(gauge.facts?.replies).toBe(130);
  });
});
