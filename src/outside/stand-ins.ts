import { requestKey } from "../log/entry.js";
import { familyBytesPerToken, outputLimit, promptBytes, TokenGauge } from "../models/tokens.js";
import type { Reused } from "../record/reused.js";
import type { Model, ModelReply, ModelRequest, Usage } from "../types/index.js";
import { storedReply } from "./answers.js";
import { adapted } from "./wire.js";

/** Returns the kept reply of a key to a model; undefined where there is none. */
export type FindReply = (key: string, model: string) => ModelReply | undefined;

/** Looks in logs, in their order, for replies of models that they asked in the same way. */
export const findReplyIn =
  (logs: readonly Pick<Reused, "log" | "models">[]): FindReply =>
  (key, model) => {
    for (const { log, models } of logs) {
      const answer = models.has(model) && log.state.answers.has(key) ? log.get(key) : undefined;
      if (answer?.kind === "reply") return storedReply(answer);
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
        gauge.add(request, (value as unknown as ModelReply).usage); // `boughtOnce` made it
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
      return found === undefined ? model.complete(request, signal) : { ...found, source: "store" };
    },
  });
}

type Named = Pick<Model, "id" | "capabilities">;

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
      const { maxTokens, effort = "low" } = request;
      const text = maxTokens > SHORT_ANSWER ? Math.max(written, Math.ceil(maxTokens * WRITTEN_SHARE)) : written;
      const most = outputLimit(capabilities, request);
      const thinking = most > maxTokens ? (THINKING_TOKENS[effort] ?? 0) : 0;
      const usage = {
        in: Math.ceil(promptBytes(request) / bytesPerToken),
        out: Math.min(most, text + thinking),
        estimated: true,
      };
      // a model that decides whether history is shown: the longer prompt is planned
      return { ...reply, text: reply.text.replace('"personal":false', '"personal":true'), usage };
    },
  };
}

/** `maxTokens` of calls whose replies are a label, a rating or a title: as short as the embedded model's. */
const SHORT_ANSWER = 128;

/** Part of `maxTokens` that models write in longer replies (summaries, personas, feedback, turns of agents): assumed. */
const WRITTEN_SHARE = 0.25;

/** Tokens of thinking for a short question, by effort: assumed. Replies at hand tell more. */
const THINKING_TOKENS: Readonly<Record<string, number>> = {
  ...{ minimal: 100, low: 300, medium: 1000, high: 3000, xhigh: 6000, max: 10_000 },
};

/** A call that was made for the same user and question, or for all users. */
export interface EarlierCall {
  readonly phase: string;
  /** Messages, as JSON. */
  readonly prompt: string;
  readonly reply: string;
  /** Tokens by which the reply may be longer. */
  readonly growth: number;
}

/** Returns the most tokens of a call: its prompt with the earlier replies in it as long as they may be, and the longest reply. */
export function mostOfCall(model: Named, request: ModelRequest, before: readonly EarlierCall[]): Usage {
  const prompt = JSON.stringify(request.messages) + JSON.stringify(request.system ?? "");
  const mayHold = ({ phase, reply }: EarlierCall): boolean => phase === "update" || isHeld(reply, prompt);
  const held = before.filter(mayHold).reduce((sum, { growth }) => sum + growth, 0);
  const bytes = familyBytesPerToken(model.id) * FEWEST_BYTES;
  return { in: Math.ceil(promptBytes(request) / bytes) + held, out: outputLimit(model.capabilities, request) };
}

/** A token may have so many fewer bytes than by the model's family. */
const FEWEST_BYTES = 0.8;

/** Tells whether a prompt holds a reply or a part of it: methods cut replies and take texts out of them. */
function isHeld(reply: string, prompt: string): boolean {
  const text = JSON.stringify(reply.trim()).slice(1, -1);
  return text !== "" && [0, text.length >> 1].some((at) => prompt.includes(text.slice(at, at + 24)));
}

/** Tells whether messages go on where earlier ones end: the next turn of a loop. */
export const isTurnAfter = (first: string, next: string): boolean =>
  next.length > first.length && next.startsWith(first.replace(/"?\}?\]$/, ""));
