import { requestKey } from "../../models/wrap/cached.js";
import type { Judgement } from "../../report/judgements/judgement.js";
import type { JudgeSpend } from "../../report/judgements/text.js";
import type { StoredCall } from "../../run/stores/response-store.js";
import type { Judge, JudgeCase, Model, ModelReply, ModelRequest } from "../../types.js";
import { requestOf } from "./ask.js";

/** A judgement, and what was judged. */
export interface Kept {
  readonly shown: JudgeCase;
  readonly judgement: Judgement;
}

/** What judgements took whose replies are gone. */
export interface LostReplies {
  readonly judgements: number;
  readonly calls: number;
  readonly tokens: { readonly in: number; readonly out: number };
}

/** Finds the stored reply to a request. A temperature that the model did not take is in no stored request. */
export function replyFinder(
  records: Iterable<StoredCall>,
  model: string,
): (request: ModelRequest) => ModelReply | undefined {
  const keyOf = ({ temperature: _, ...request }: ModelRequest): string => requestKey(model, request);
  const replies = new Map<string, ModelReply>();
  for (const { request, reply } of records) replies.set(keyOf(request), reply);
  return (request) => replies.get(keyOf(request));
}

/** `get` finds the stored reply to a request. Equal requests were sent once and count once. */
export function lostReplies(
  kept: Iterable<Kept>,
  judge: Judge,
  model: Pick<Model, "id" | "capabilities">,
  get: (request: ModelRequest) => ModelReply | undefined,
): LostReplies {
  const seen = new Set<string>();
  const lost = { judgements: 0, calls: 0, tokens: { in: 0, out: 0 } };
  for (const { shown, judgement } of kept) {
    const left = { calls: judgement.calls, ...judgement.tokens };
    for (let sample = 0; sample < judgement.calls; sample++) {
      const reply = get(requestOf(judge, shown, model, sample));
      if (reply === undefined) continue;
      left.calls -= 1;
      left.in -= reply.usage.in;
      left.out -= reply.usage.out;
    }
    const key = requestKey(model.id, requestOf(judge, shown, model, 0));
    if (left.calls === 0) continue;
    lost.judgements += 1;
    if (seen.has(key)) continue;
    seen.add(key);
    lost.calls += left.calls;
    lost.tokens.in += left.in;
    lost.tokens.out += left.out;
  }
  return lost;
}

/** With the lost ones; `usd`: what their tokens cost, undefined where no price is known. */
export function withLost(
  spend: JudgeSpend,
  { judgements, calls, tokens }: LostReplies,
  usd: number | undefined,
): JudgeSpend {
  if (judgements === 0) return spend;
  return {
    calls: spend.calls + calls,
    tokens: spend.tokens + tokens.in + tokens.out,
    usd: spend.usd === undefined || usd === undefined ? undefined : spend.usd + usd,
    lost: judgements,
  };
}
