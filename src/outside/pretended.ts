import { requestKey } from "../log/entry.js";
import { CHARACTERS_PER_TOKEN, familyBytesPerToken, outputLimit, promptBytes, TokenGauge } from "../models/tokens.js";
import type { Reused } from "../record/reused.js";
import type { Model, ModelReply, ModelRequest, TokenLogprob } from "../types/index.js";
import { fromStore } from "./store.js";
import { adapted } from "./wire.js";

/** Returns the kept reply of a key to a model; undefined where there is none. */
export type FindReply = (key: string, model: string) => ModelReply | undefined;

/** Looks in logs, in their order, for replies of models that they asked in the same way. */
export const repliesIn =
  (logs: readonly Pick<Reused, "log" | "models">[]): FindReply =>
  (key, model) => {
    for (const { log, models } of logs) {
      const answer = models.has(model) && log.state.answers.has(key) ? log.get(key) : undefined;
      if (answer?.kind === "reply") return answer.value as unknown as ModelReply; // `repliesOf` made it
    }
    return undefined;
  };

/**
 * Returns how many bytes a token of a model has: as replies in logs show, else as its family's have. Replies of other models and
 * estimates of servers that count nothing are passed over.
 */
export function bytesPerTokenIn(logs: readonly Pick<Reused, "log">[]): (model: string) => number {
  const known = new Map<string, number>();
  return (model) => {
    const gauge = new TokenGauge(model, FEWEST_REPLIES);
    let left = known.has(model) ? 0 : MOST_REPLIES;
    for (const { log } of logs)
      for (const key of log.state.answers.keys()) {
        if (left === 0) break;
        const { kind, value, request } = log.get(key) ?? {};
        if (kind !== "reply" || request === undefined || requestKey(model, request) !== key) continue;
        gauge.add(request, (value as unknown as ModelReply).usage); // `repliesOf` made it
        left -= 1;
      }
    if (!known.has(model)) known.set(model, gauge.bytesPerToken);
    return known.get(model)!; // set above
  };
}

const FEWEST_REPLIES = 5;
/** Replies that are looked at. */
const MOST_REPLIES = 200;

/** Answers as a run would: parameters that the model does not take are left out, and replies at hand are read. */
export function withReplies(model: Model, find: FindReply): Model {
  return adapted({
    ...model,
    async complete(request, signal) {
      const found = find(requestKey(model.id, request), model.id);
      return found === undefined ? model.complete(request, signal) : fromStore(found);
    },
  });
}

type Named = Pick<Model, "id" | "capabilities">;

/** Fills every reply to its limit and sends nothing. `labels`: whose probabilities are told where they are asked for. */
export function filling({ id, capabilities }: Named, labels: readonly string[] = []): Model {
  const bytes = familyBytesPerToken(id) * FEWEST_BYTES;
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

/** A token may have so many fewer bytes than by the model's family. */
const FEWEST_BYTES = 0.8;

/** Returns probabilities that grow with the prompt's length: a selector that goes by them then selects as much as it may. */
function surerOfMore(request: ModelRequest, labels: readonly string[]): TokenLogprob[] {
  const tokens = (labels.length > 1 ? labels : ["word", "other"]).slice(0, request.logprobs);
  const others = 1 / (2 + promptBytes(request) / 100);
  const top = tokens.map((token, at) => ({
    token,
    logprob: Math.log(at === 0 ? 1 - others : others / (tokens.length - 1)),
  }));
  return Array.from({ length: request.maxTokens }, () => ({ ...top[0]!, top }));
}

/** Replies what `replyModel` replies, under the model's name and with its abilities; a token has so many bytes. */
export function answeredBy(replyModel: Model, { id, capabilities }: Named, bytesPerToken: number): Model {
  return {
    id,
    capabilities,
    simulated: false,
    async complete(request, signal) {
      const reply = await replyModel.complete(request, signal);
      const calls = reply.toolCalls.length === 0 ? "" : JSON.stringify(reply.toolCalls);
      const written = Math.ceil(Buffer.byteLength(reply.text + calls) / bytesPerToken);
      const thinks = outputLimit(capabilities, request) > request.maxTokens;
      const usage = {
        in: Math.ceil(promptBytes(request) / bytesPerToken),
        out: written + (thinks ? THINKING_TOKENS : 0),
        estimated: true,
      };
      return { ...reply, usage };
    },
  };
}

/** Of a call of a model that always thinks, at the effort that short answers are asked with. */
const THINKING_TOKENS = 300;
