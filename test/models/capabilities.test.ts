import { describe, expect, it } from "vitest";
import { claudeFamily } from "../../src/models/providers/anthropic/models.js";
import { onConverse } from "../../src/models/providers/bedrock/converse.js";
import { onChatCompletions } from "../../src/models/providers/openai/models.js";
import { outputLimit } from "../../src/models/tokens.js";
import { ask } from "../helpers/model-request.js";

describe("what models can do", () => {
  it.each([
    ["claude-fable-5-2", false],
    ["claude-opus-5-5", false],
    ["claude-opus-4-8", false],
    ["claude-sonnet-5-5", false],
    ["claude-haiku-5-5", false],
    ["claude-something-9", false],
    ["claude-opus-4-6", true],
    ["claude-sonnet-4-6", true],
    ["claude-opus-4-5-20251101", true],
    ["claude-sonnet-4-5-20250929", true],
    ["claude-haiku-4-5", true],
    ["claude-3-5-sonnet-20240620", true],
  ])("%s takes a temperature: %s", (id, takes) => {
    expect(claudeFamily(id).capabilities.temperature).toBe(takes);
    expect(claudeFamily(id).apiVersion).toBe(takes ? "2023-06-01" : undefined);
  });

  it.each([
    "anthropic.claude-haiku-4-5-20251001-v1:0",
    "us.anthropic.claude-haiku-4-5-20251001-v1:0",
    "arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-haiku-4-5-20251001-v1:0",
  ])("Bedrock's %s follows the family's rules", (id) => {
    expect(onConverse(id)).toEqual(claudeFamily("claude-haiku-4-5").capabilities);
  });

  it("OpenAI's reasoning models take no sampling parameters and need room to think", () => {
    expect(onChatCompletions("gpt-5-mini", true)).toMatchObject({ temperature: false, logprobs: false });
    expect(outputLimit(onChatCompletions("o3", true), ask("x"))).toBeGreaterThan(64);
    for (const id of ["gpt-6-luna", "gpt-6.1-sol", "gpt-5.6-terra"])
      expect(onChatCompletions(id, true)).toMatchObject({ temperature: false, stop: false, tools: false });
    expect(outputLimit(onChatCompletions("o3", true), ask("x", { effort: "none" }))).toBe(64);
    expect(outputLimit(onChatCompletions("o3", true), ask("x", { effort: "low" }))).toBe(64 + 4096);
    expect(outputLimit(onChatCompletions("qwen3", false), ask("x", { effort: "high" }))).toBe(64 + 16_384);
    expect(onChatCompletions("gpt-4o-mini", true)).toMatchObject({ temperature: true, logprobs: true });
    expect(outputLimit(onChatCompletions("gpt-4o-mini", true), ask("x"))).toBe(64);
  });
});
