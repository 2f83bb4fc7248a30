import { describe, expect, it } from "vitest";
import { CallCost } from "../../../src/run/outside/call-cost.js";
import { usualWidth } from "../../../src/run/outside/paces.js";
import { ask, replyOf, scripted } from "../../helpers/model-request.js";

const plain = { outputAsWritten: false, cacheReadsFree: false };
const { capabilities } = scripted(() => replyOf("x"));
const request = ask("x".repeat(4000), { maxTokens: 64 });
const usage = { in: 1000, out: 5, cacheRead: 800 };

/** What a call is expected to take once sixty replies have come. */
function learned(rules: typeof plain) {
  const guess = new CallCost("offline/x", rules, capabilities);
  const first = guess.of(request);
  for (let reply = 0; reply < 60; reply++) guess.learn(request, replyOf("x", { usage }));
  return { first, later: guess.of(request) };
}

describe("what a call is expected to take of the limits", () => {
  it("is the prompt, a quarter more before replies tell, and the whole limit of output, whatever is written", () => {
    const { first, later } = learned(plain);
    expect(first).toEqual({ requests: 1, input: 1250, output: 64, tokens: 1314 });
    expect(later).toMatchObject({ input: 1000, output: 64 });
  });

  it("is the usual output, and no cache reads, where the provider counts so (Anthropic)", () => {
    const { first, later } = learned({ ...plain, outputAsWritten: true, cacheReadsFree: true });
    expect(first).toMatchObject({ input: 1250, output: 64 });
    expect(later.output).toBe(5);
    expect(later.input).toBeGreaterThanOrEqual(200);
    expect(later.input).toBeLessThan(210);
  });
});

it.each([
  ["https://api.openai.com/v1", 64],
  [undefined, 64],
  ["http://127.0.0.1:8000/v1", 8],
  ["http://localhost:11434/v1", 8],
] as const)("at %s at most %i calls are in flight where nobody says", (address, most) => {
  expect(usualWidth(address, false)).toBe(most);
});
