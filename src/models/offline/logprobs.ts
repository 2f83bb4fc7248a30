import type { TokenLogprob } from "../../types.js";

/** Cuts text into this model's tokens: up to five letters or digits with a leading space, or one other character. */
export function tokensOf(text: string): string[] {
  return text.match(/\s?[\p{L}\p{N}]{1,5}|\s?[^\s\p{L}\p{N}]|\s+/gu) ?? [];
}

/**
 * Log-probabilities of an answer's tokens. The possible answers form a prefix tree, so at every token the alternatives
 * sum to one and the chain gives back the answer's own probability.
 */
export function answerLogprobs(
  answers: ReadonlyMap<string, number>,
  answer: string,
  alternatives: number,
): TokenLogprob[] {
  const paths = [...answers].map(([text, share]) => ({ tokens: [...tokensOf(text), endToken], share }));
  let alive = paths;
  return [...tokensOf(answer), endToken].map((token, at) => {
    const total = alive.reduce((sum, path) => sum + path.share, 0);
    const shares = new Map<string, number>();
    for (const path of alive) shares.set(path.tokens[at] ?? "", (shares.get(path.tokens[at] ?? "") ?? 0) + path.share);
    alive = alive.filter((path) => path.tokens[at] === token);
    const top = [...shares]
      .map(([text, share]) => ({ token: text, logprob: Math.log(share / total) }))
      .sort((a, b) => b.logprob - a.logprob);
    const logprob = Math.log((shares.get(token) ?? 0) / total);
    return { token, logprob, top: top.slice(0, alternatives) };
  });
}

const endToken = "<end>";
