import { ModelError } from "../../errors.js";
import type { Judgement } from "../../report/judgements/judgement.js";
import { stripReasoning } from "../../text/strip-reasoning.js";
import type { Judge, JudgeCase, Model, ModelRequest } from "../../types.js";

/** Tries of a case whose verdict cannot be read (papers/004's reading has one). */
const TRIES = 2;

type Asked = Pick<Judgement, "judged" | "tokens" | "calls">;

/**
 * Shows a case to a judge, once more where its reply is no verdict. A call that fails for good is `failed` and tried again the
 * next time. Throws what stops all work.
 */
export async function askJudge(judge: Judge, shown: JudgeCase, model: Model, signal: AbortSignal): Promise<Asked> {
  const replies: string[] = [];
  const tokens = { in: 0, out: 0 };
  const taken = () => ({ tokens, calls: replies.length });
  try {
    for (let sample = 0; sample < TRIES; sample += 1) {
      const reply = await model.complete(requestOf(judge, shown, model, sample), signal);
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
export function requestOf(
  judge: Judge,
  shown: JudgeCase,
  { capabilities }: Pick<Model, "capabilities">,
  sample: number,
): ModelRequest {
  const { maxTokens = 250, temperature, draw: _, ...rest } = judge.request(shown);
  const wanted = temperature ?? 0;
  return { ...rest, maxTokens, ...(capabilities.temperature ? { temperature: wanted } : {}), sample };
}

const isWithin = (value: number, [least, most]: readonly [number, number]): boolean =>
  Number.isFinite(value) && value >= least && value <= most;
