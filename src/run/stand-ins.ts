import { familyBytesPerToken, promptBytes } from "../models/bytes-per-token.js";
import { outputLimit } from "../models/capabilities.js";
import type { Model, ModelRequest, TokenLogprob } from "../types/index.js";

/** English prose is about four characters a token; the bound is for planning, the bill is the provider's. */
const CHARACTERS_PER_TOKEN = 4;
/** A token may have so many fewer bytes than by the model's family. */
const LEAST = 0.8;

/** Sends nothing and fills every reply to its limit. */
export function fillingModel(id: string, capabilities: Model["capabilities"], labels: readonly string[] = []): Model {
  const bytes = familyBytesPerToken(id) * LEAST;
  return {
    id,
    capabilities,
    simulated: false,
    async complete(request) {
      return {
        text: "word ".repeat(Math.floor((request.maxTokens * CHARACTERS_PER_TOKEN) / 5)),
        toolCalls: [],
        stop: "end",
        usage: {
          in: Math.ceil(promptBytes(request) / bytes),
          out: outputLimit(capabilities, request),
          estimated: true,
        },
        model: id,
        ...(request.logprobs === undefined || !capabilities.logprobs ? {} : { logprobs: surerOfMore(request, labels) }),
      };
    },
  };
}

/** Probabilities that are the surer the longer the prompt is: whoever chooses by them chooses as much as may be. */
function surerOfMore(request: ModelRequest, labels: readonly string[]): TokenLogprob[] {
  const tokens = (labels.length > 1 ? labels : ["word", "other"]).slice(0, request.logprobs);
  const others = 1 / (2 + promptBytes(request) / 100);
  const top = tokens.map((token, at) => ({
    token,
    logprob: Math.log(at === 0 ? 1 - others : others / (tokens.length - 1)),
  }));
  return Array.from({ length: request.maxTokens }, () => ({ ...top[0]!, top }));
}

/**
 * The stand-in of a model: what `answers` replies, under the model's name and with its abilities. Prompts and replies have a
 * token for so many bytes, and room is taken for thinking that cannot be switched off.
 */
export function standInFor({ id, capabilities }: Model, answers: Model, bytes: number): Model {
  return {
    id,
    capabilities,
    simulated: false,
    async complete(request, signal) {
      const reply = await answers.complete(request, signal);
      const calls = reply.toolCalls.length === 0 ? "" : JSON.stringify(reply.toolCalls);
      const written = Math.ceil(Buffer.byteLength(reply.text + calls) / bytes);
      const thinks = outputLimit(capabilities, request) > request.maxTokens;
      const usage = {
        in: Math.ceil(promptBytes(request) / bytes),
        out: written + (thinks ? THINKING_TOKENS : 0),
        estimated: true,
      };
      return { ...reply, usage };
    },
  };
}

/** Of a call of a model that always thinks, at the effort that short answers are asked with. */
const THINKING_TOKENS = 300;
