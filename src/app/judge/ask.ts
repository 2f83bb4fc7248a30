import { ModelError } from "../../errors.js";
import type { Prices } from "../../models/prices.js";
import { requestKey } from "../../models/wrap/cached.js";
import type { Judgement } from "../../report/judgements/judgement.js";
import type { JudgeSpend } from "../../report/judgements/text.js";
import type { StoredCall } from "../../run/replies.js";
import { stripReasoning } from "../../text/strip-reasoning.js";
import type { Judge, JudgeCase, Model, ModelReply, ModelRequest } from "../../types/index.js";

/** Tries of a case whose verdict cannot be read (the assistant paper's reading has one). */
const TRIES = 2;

type Asked = Pick<Judgement, "judged" | "tokens" | "calls">;

/** Who judges, with which model, and at which temperature where the judge itself names none. */
export interface Asking {
  readonly judge: Judge;
  readonly model: Model;
  readonly temperature: number | undefined;
}

/**
 * Shows a case to a judge, once more where its reply is no verdict. A call that fails for good is `failed` and tried again the
 * next time. Throws what stops all work.
 */
export async function askJudge(asking: Asking, shown: JudgeCase, signal: AbortSignal): Promise<Asked> {
  const { judge, model } = asking;
  const replies: string[] = [];
  const tokens = { in: 0, out: 0 };
  const taken = () => ({ tokens, calls: replies.length });
  try {
    for (let sample = 0; sample < TRIES; sample += 1) {
      const reply = await model.complete(requestOf(asking, shown, sample), signal);
      tokens.in += reply.usage.in;
      tokens.out += reply.usage.out;
      const text = stripReasoning(reply.text);
      replies.push(text);
      const verdict = reply.stop === "refusal" ? undefined : judge.read(text);
      if (verdict !== undefined && isWithin(verdict.value, judge.range))
        return { judged: { kind: "judged", ...verdict }, ...taken() };
    }
    return { judged: { kind: "unjudged", replies }, ...taken() };
  } catch (error) {
    if (!(error instanceof ModelError) || error.scope !== "call") throw error;
    return { judged: { kind: "failed", error: error.message }, ...taken() };
  }
}

/** What a try of a case asks; `sample` 0 is the first. */
function requestOf({ judge, model, temperature: usual }: Asking, shown: JudgeCase, sample: number): ModelRequest {
  const { maxTokens = 250, temperature = usual, draw: _, ...rest } = judge.request(shown);
  const sent = model.capabilities.temperature && temperature !== undefined ? { temperature } : {};
  return { ...rest, maxTokens, ...sent, sample };
}

const isWithin = (value: number, [least, most]: readonly [number, number]): boolean =>
  Number.isFinite(value) && value >= least && value <= most;

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

/** What the stored replies took, at list prices; `usd` is undefined where no price is known. */
export function spendOf(records: Iterable<StoredCall>, model: string, prices: Pick<Prices, "ofCall">): JudgeSpend {
  const spend = { calls: 0, tokens: 0, usd: 0 as number | undefined };
  for (const { reply } of records) {
    const cost = prices.ofCall(model, reply.usage);
    spend.calls += 1;
    spend.tokens += reply.usage.in + reply.usage.out;
    spend.usd = spend.usd === undefined || cost === undefined ? undefined : spend.usd + cost;
  }
  return spend;
}
