import { ModelError } from "../../../errors.js";
import { ENOUGH_REPLIES, familyBytesPerToken, promptBytes } from "../../../models/bytes-per-token.js";
import { countOf } from "../../../text/count.js";
import { oneLine } from "../../../text/file-trouble.js";
import type { Model, ModelRequest } from "../../../types/index.js";
import type { Prepared } from "../prepare.js";
import { type EstimateSources, estimate } from "./estimate.js";
import type { KnownTokens } from "./token-gauges.js";

/** Prompts of each model that are counted. */
const COUNTED = 30;

interface CountedTokens {
  readonly tokens: KnownTokens;
  /** What was found, or why nothing was, one line a model. */
  readonly lines: readonly string[];
}

/**
 * Asks the endpoints how many tokens some prompts of the run have, drawn evenly over all that its walk goes through: counts are free,
 * nothing is answered. What an endpoint does not count stays as it was known.
 */
export async function countedTokens(prepared: Prepared, sources: EstimateSources): Promise<CountedTokens> {
  const { tokens = {} } = sources;
  const cells = new Map(prepared.arms.map(({ cell }) => [cell.id, cell] as const));
  const asked = new Map<string, ModelRequest[]>();
  await estimate(prepared, {
    ...sources,
    heard(_bytes, { cell }, request) {
      const id = cells.get(cell)?.model;
      if (id !== undefined) asked.set(id, [...(asked.get(id) ?? []), request]);
    },
  });
  const found: Record<string, KnownTokens[string]> = { ...tokens };
  const lines: string[] = [];
  for (const model of prepared.models) {
    const some = evenly(asked.get(model.id) ?? [], COUNTED);
    if (some.length === 0 || model.simulated) continue;
    const counted = await bytesPerToken(model, some);
    if (typeof counted === "string") {
      lines.push(`${model.id}: ${counted}; tokens are taken at ${familyBytesPerToken(model.id)} bytes each`);
      continue;
    }
    const methods = new Set(prepared.arms.filter(({ cell }) => cell.model === model.id).map(({ cell }) => cell.method));
    const facts = { bytesPerToken: counted, replies: ENOUGH_REPLIES };
    found[model.id] = Object.fromEntries([...methods].map((method) => [method, facts]));
    lines.push(
      `${model.id}: ${counted.toFixed(2)} bytes a token, as its endpoint counts ${countOf(some.length, "prompt")}`,
    );
  }
  return { tokens: found, lines };
}

/** Why there is no count, in words. */
async function bytesPerToken(model: Model, requests: readonly ModelRequest[]): Promise<number | string> {
  if (model.count === undefined) return "its endpoint counts no tokens for free";
  let [bytes, tokens] = [0, 0];
  try {
    for (const request of requests) {
      tokens += await model.count(request, new AbortController().signal);
      bytes += promptBytes(request);
    }
  } catch (error) {
    if (error instanceof ModelError) return `no count: ${oneLine(error)}`;
    throw error;
  }
  return tokens > 0 ? bytes / tokens : "its endpoint counts no tokens";
}

const evenly = <T>(all: readonly T[], most: number): T[] =>
  all.length <= most ? [...all] : Array.from({ length: most }, (_, i) => all[Math.floor((i * all.length) / most)]!);
