import { seeded } from "../../../src/random/seeded.js";
import type { ModelRequest } from "../../../src/types/index.js";

/** Bytes of a token in the texts of the bench. */
const BYTES = 4.4;

/** So many requests of 500 to 1,700 tokens, always the same. */
export function requestsOf(calls: number): ModelRequest[] {
  const random = seeded("limits/prompts");
  return Array.from({ length: calls }, (_, sample) => {
    const content = `${sample} `.padEnd(Math.round((500 + random.below(1201)) * BYTES), "x");
    return { messages: [{ role: "user", content }], maxTokens: 64, sample };
  });
}

/** Tokens of such a request, as the server counts them. */
export function tokensIn({ messages: [first] }: Pick<ModelRequest, "messages">): number {
  return first?.role === "user" ? tokensOf(first.content) : 0;
}

const tokensOf = (content: string): number => Math.round(content.length / BYTES);
