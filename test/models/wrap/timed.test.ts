import { expect, it } from "vitest";
import { claudeFamily } from "../../../src/models/providers/anthropic/models.js";
import { onChatCompletions } from "../../../src/models/providers/openai/models.js";
import { usualDeadlineMs } from "../../../src/models/wrap/layered.js";

it.each([
  ["anthropic", "claude-haiku-5-5", "auto", 120],
  ["anthropic", "claude-opus-5-5", "auto", 600],
  ["openai-compatible", "qwen3-8b", "auto", 120],
  ["openai-compatible", "qwen3-8b", "low", 600],
  ["openai", "gpt-6-luna", "none", 120],
  ["openai", "gpt-6-astra", "low", 600],
] as const)("a try of %s/%s at effort %s has %i s where nobody says", (provider, id, effort, seconds) => {
  const able = provider === "anthropic" ? claudeFamily(id).capabilities : onChatCompletions(id, provider === "openai");
  expect(usualDeadlineMs(able, effort)).toBe(seconds * 1000);
});
