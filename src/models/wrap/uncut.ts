import { ModelError } from "../../errors.js";
import type { Model } from "../../types.js";
import { ENOUGH_REPLIES, promptBytes, TokenGauge } from "../bytes-per-token.js";

/**
 * Tells when a server cuts prompts in silence, as some do at the end of their context: the longest prompt so far has far fewer tokens
 * than its bytes say, or as many as a much shorter one. The run then stops: answers to half a prompt are no results.
 */
export function uncut(model: Model): Model {
  if (model.simulated) return model;
  const gauge = new TokenGauge(model.id);
  let [longest, mostTokens, shortestOfMost] = [0, 0, 0];
  return {
    ...model,
    async complete(request, signal, hear) {
      const reply = await model.complete(request, signal, hear);
      const { in: tokens, estimated } = reply.usage;
      if (estimated === true || tokens <= 0) return reply;
      const bytes = promptBytes(request);
      const calibrated = (gauge.facts?.replies ?? 0) >= ENOUGH_REPLIES ? gauge.tokens(request) : 0;
      const isFew = bytes > longest && calibrated >= LEAST_TOKENS && tokens < FEW * calibrated;
      const isEqual = tokens >= LEAST_TOKENS && tokens === mostTokens && differ(bytes, shortestOfMost);
      if (isFew || isEqual) throw cutPrompt(model.id, tokens, isFew ? calibrated : undefined);
      longest = Math.max(longest, bytes);
      if (tokens > mostTokens) [mostTokens, shortestOfMost] = [tokens, bytes];
      else if (tokens === mostTokens) shortestOfMost = Math.min(shortestOfMost, bytes);
      gauge.add(request, reply.usage);
      return reply;
    },
  };
}

/** No server's context is shorter; below it bytes say little of tokens. */
const LEAST_TOKENS = 1024;
const FEW = 0.6;
/** Of the shorter prompt: equal texts in other words are nearer. */
const DIFFERENT = 0.3;

const differ = (a: number, b: number): boolean => Math.abs(a - b) > DIFFERENT * Math.max(a, b);

function cutPrompt(id: string, tokens: number, expected: number | undefined): ModelError {
  const why = expected === undefined ? "as many as of a much shorter one" : `about ${expected} were sent`;
  return new ModelError(`${id}: the server cut the prompt (${tokens} tokens of it, ${why}); raise its context`, {
    retryable: false,
    scope: "stop",
  });
}
