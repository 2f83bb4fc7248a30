import { describe, expect, it, test } from "vitest";
import { familyBytesPerToken, TokenGauge } from "../../src/models/tokens.js";
import { stopsAtCutPrompts } from "../../src/outside/wire.js";
import { ask, noAbort, replyOf, scripted } from "../helpers/model-request.js";

test.each([
  ["bedrock/us.anthropic.claude-opus-4-8", 3],
  ["anthropic/claude-haiku-4-5-20251001", 3.9],
  ["anthropic/claude-opus-4-20250514", 3.9],
  ["anthropic/claude-opus-4-7-20260416", 3],
  ["openai/qwen3-8b", 4.4],
  ["offline/lexical", 4],
] as const)("%s: %d bytes a token before a reply has come", (model, bytes) => {
  expect(familyBytesPerToken(model)).toBe(bytes);
});

test("a gauge believes replies once there are enough, and none whose counts are estimates", () => {
  const request = ask("ü".repeat(500)); // 1,000 bytes
  const gauge = new TokenGauge("openai/gpt-6-luna", 2);
  gauge.add(request, { in: 1, out: 1, estimated: true });
  gauge.add(request, { in: 500, out: 1 });
  expect([gauge.bytesPerToken, gauge.tokensToReserve(request)]).toEqual([4.4, Math.ceil(1000 / (4.4 * 0.8))]);
  for (let reply = 0; reply < 100; reply++) gauge.add(request, { in: 250, out: 1 });
  expect(gauge.bytesPerToken).toBeCloseTo(4, 1);
  expect(gauge.tokensToReserve(request)).toBe(Math.ceil(1000 / gauge.bytesPerToken));
});

describe("a server that cuts prompts in silence", () => {
  /** Prompts of so many bytes, each with the tokens that the server tells of it; the last one decides. */
  const told = async (...prompts: readonly (readonly [bytes: number, tokens: number])[]): Promise<string> => {
    let tokens = 0;
    const model = stopsAtCutPrompts(scripted(() => replyOf("x", { usage: { in: tokens, out: 1 } })));
    let end = "whole";
    for (const [bytes, now] of prompts) {
      tokens = now;
      await model.complete(ask("x".repeat(bytes)), noAbort()).catch((error: Error) => (end = error.message));
    }
    return end;
  };

  it.each([
    [
      [9000, 2048],
      [4000, 1000],
      [15_000, 2048],
    ],
    [
      [11_000, 2048],
      [9000, 2048],
      [13_500, 2048],
    ],
    [
      [7000, 2048],
      [10_001, 2048],
    ],
    [
      [4096, 1024],
      [9000, 1024],
    ],
  ] as const)("is told by prompts of one count and very different length: %j, %j", async (...prompts) => {
    expect(await told(...prompts)).toMatch(/cut the prompt \(\d+ tokens of it, as many as of a much shorter one\)/);
  });

  it.each([
    [
      [9000, 2048],
      [9000, 2048],
    ],
    [
      [7000, 2048],
      [10_000, 2048],
    ],
    [
      [9000, 2048],
      [4000, 1000],
      [11_000, 2048],
    ],
    [
      [4096, 1023],
      [9000, 1023],
    ],
  ] as const)("is not seen in %j, %j", async (...prompts) => {
    expect(await told(...prompts)).toBe("whole");
  });
});
