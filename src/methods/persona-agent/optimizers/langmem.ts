import type { Message } from "../../../types/index.js";
import { askText, type Sample, withoutFailedCall } from "../samples.js";
import { GRADIENT_TOKENS, type Optimizer, REWRITE_CALLS, rewrite, type StepJob } from "./steps.js";

/** Reflects on the whole batch in one conversation until it recommends, and rewrites only where a change is warranted. */
export const langmem: Optimizer = {
  name: "langmem",
  summary: "up to align.reflections reflections on the whole batch, then a minimal edit if one is warranted",
  source: "langchain-ai/langmem, gradient prompt optimizer, in our words; METHODS 12",
  async step(job) {
    const { persona, samples, options, kit } = job;
    const recommendation = await withoutFailedCall("gradient-failed", kit, () => reflect(job));
    if (recommendation === undefined) return { gradients: [], persona: undefined };
    const event = samples.map((sample) => sample.event.id).join(", ");
    const gradients = [{ event, text: recommendation.text }];
    if (!recommendation.warranted) return { gradients, persona: undefined };
    return { gradients, persona: await rewrite(minimalEdit(persona.text, recommendation.text), options, kit) };
  },
  calls: (_samples, options) => ({
    gradient: { low: 1, high: options["align.reflections"] },
    update: { low: 0, high: REWRITE_CALLS.high },
  }),
};

interface Recommendation {
  readonly warranted: boolean;
  readonly text: string;
}

const VERDICT = /^[*_#\t ]*warrants adjustment[*_\s]*:[*_\s]*(yes|no)\b/im;
const FORM = "Warrants adjustment: yes or no\nRecommendation: what to change in the prompt and why";
const BEGIN = `Think it through first, or recommend at once in this form:\n${FORM}`;
const GO_ON = `Go on: criticize your own reasoning, look for another explanation, then either think further or recommend in this form:\n${FORM}`;
const RECOMMEND_NOW = `There is no further reflection after this one. Recommend now, in this form:\n${FORM}`;

/** Undefined when even the last reply had no verdict in it: then nothing is changed. */
async function reflect({ persona, samples, options, kit }: StepJob): Promise<Recommendation | undefined> {
  const messages: Message[] = [];
  const steps = options["align.reflections"];
  for (let step = 1; step <= steps; step++) {
    const wanted = step === steps ? RECOMMEND_NOW : step === 1 ? BEGIN : GO_ON;
    messages.push({ role: "user", content: step === 1 ? `${review(persona.text, samples)}\n\n${wanted}` : wanted });
    const text = await askText(kit, "gradient", [...messages], { maxTokens: GRADIENT_TOKENS });
    const verdict = VERDICT.exec(text)?.[1];
    if (verdict !== undefined) return { warranted: verdict.toLowerCase() === "yes", text };
    messages.push({ role: "assistant", content: text === "" ? "(nothing)" : text });
  }
  kit.count("no-recommendation");
  return undefined;
}

function review(persona: string, samples: readonly Sample[]): string {
  const cases = samples.map(({ question, expected, response }, index) =>
    [
      `Case ${index + 1}`,
      `Question: ${question.text}`,
      `Expected Answer: ${expected}`,
      `Agent Response: ${response}`,
    ].join("\n"),
  );
  return [
    "You review the system prompt of a personal agent after it was tried on past questions of its user. Find out what in the prompt caused the answers that differ from the user's own, and whether a change of the prompt is warranted at all.",
    `Current system prompt: ${persona}`,
    ...cases,
  ].join("\n\n");
}

function minimalEdit(persona: string, recommendation: string): string {
  return [
    "You edit the system prompt of a personal agent. Make the smallest change that follows the feedback; keep everything else word for word.",
    "",
    `Current system prompt: ${persona}`,
    `Provided feedback: ${recommendation}`,
    "",
    "Write the updated system prompt in full and nothing else.",
  ].join("\n");
}
