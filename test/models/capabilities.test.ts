import { describe, expect, it } from "vitest";
import { capabilitiesOf, outputLimit } from "../../src/models/tokens.js";
import { claudeFamily } from "../../src/models/providers/anthropic/models.js";
import { ask } from "../helpers/model-request.js";

describe("what models can do", () => {
  it.each([
    ["claude-fable-5-2", false],
    ["claude-fable-5", false],
    ["claude-opus-5-5", false],
    ["claude-opus-5", false],
    ["claude-opus-4-8", false],
    ["claude-opus-4-7", false],
    ["claude-sonnet-5-5", false],
    ["claude-sonnet-5", false],
    ["claude-haiku-5-5", false],
    ["claude-something-9", false],
    ["claude-opus-4-6", true],
    ["claude-sonnet-4-6", true],
    ["claude-opus-4-5-20251101", true],
    ["claude-sonnet-4-5-20250929", true],
    ["claude-haiku-4-5", true],
    ["claude-3-5-sonnet-20240620", true],
  ])("%s takes a temperature: %s", (id, takes) => {
    expect(capabilitiesOf("anthropic", id).temperature).toBe(takes);
    expect(claudeFamily(id).apiVersion).toBe(takes ? "2023-06-01" : undefined);
  });

  it("no Claude model gives log probabilities", () => {
    for (const id of ["claude-haiku-4-5", "claude-opus-5-5", "claude-new"])
      expect(capabilitiesOf("anthropic", id).logprobs).toBe(false);
  });

  it.each([
    "anthropic.claude-haiku-4-5-20251001-v1:0",
    "us.anthropic.claude-haiku-4-5-20251001-v1:0",
    "arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-haiku-4-5-20251001-v1:0",
  ])("Bedrock's %s follows the family's rules", (id) => {
    expect(capabilitiesOf("bedrock", id)).toEqual(capabilitiesOf("anthropic", "claude-haiku-4-5"));
  });

  it("other makers' Bedrock models take Converse's parameters but give no log probabilities", () => {
    expect(capabilitiesOf("bedrock", "amazon.nova-lite-v1:0")).toMatchObject({ temperature: true, logprobs: false });
  });

  it("OpenAI's reasoning models take no sampling parameters and need room to think", () => {
    expect(capabilitiesOf("openai", "gpt-5-mini")).toMatchObject({ temperature: false, logprobs: false });
    expect(outputLimit(capabilitiesOf("openai", "o3"), ask("x"))).toBeGreaterThan(64);
    for (const id of ["gpt-6-luna", "gpt-6.1-sol", "gpt-5.6-terra"])
      expect(capabilitiesOf("openai", id)).toMatchObject({ temperature: false, stop: false, tools: false });
    expect(outputLimit(capabilitiesOf("openai", "o3"), ask("x", { effort: "none" }))).toBe(64);
    expect(outputLimit(capabilitiesOf("openai", "o3"), ask("x", { effort: "low" }))).toBe(64 + 4096);
    expect(outputLimit(capabilitiesOf("openai-compatible", "qwen3"), ask("x", { effort: "high" }))).toBe(64 + 16_384);
    expect(capabilitiesOf("openai", "gpt-4o-mini")).toMatchObject({ temperature: true, logprobs: true });
    expect(outputLimit(capabilitiesOf("openai", "gpt-4o-mini"), ask("x"))).toBe(64);
  });

  it("an unknown model behind --base-url is assumed able, whatever it is called", () => {
    for (const id of ["qwen3:8b", "gpt-5-lookalike", "meta-llama/Llama-3.1-8B"])
      expect(capabilitiesOf("openai-compatible", id)).toMatchObject({ temperature: true, stop: true, logprobs: true });
  });
});
