import { malformed, type Speaker } from "./failure.js";
import { fieldsOf } from "./read-reply.js";

/** The tokens in an endpoint's answer to a free count: `input_tokens`, `inputTokens`, `count`, or as many as `tokens` has. */
export function countIn(speaker: Speaker, answer: unknown): number {
  const { input_tokens, inputTokens, count, tokens } = fieldsOf(answer);
  const told = input_tokens ?? inputTokens ?? count ?? (Array.isArray(tokens) ? tokens.length : undefined);
  if (typeof told === "number" && Number.isInteger(told) && told >= 0) return told;
  throw malformed(speaker, "a count of tokens: expected a whole number", answer);
}

/** The fields of a body that a count knows. */
export const only = (body: Readonly<Record<string, unknown>>, ...names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])));
