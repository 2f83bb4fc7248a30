import { pySplit, pyStrip } from "../../../text/python.js";
import type { Kit } from "../../../types/index.js";
import {
  askGradient,
  type Gradient,
  gradientsOf,
  type Optimizer,
  type Persona,
  rewrite,
  type Sample,
} from "./steps.js";

/**
 * The unfused chain: loss of each answer, its gradient on the answer, that one's gradient on the system prompt, then one
 * descent step over all (conversation, feedback) pairs. Against the code at 75e912e: pairs keep batch order (there: a set).
 */
export const textgrad: Optimizer = {
  name: "textgrad",
  summary: "loss, two chained gradients per simulated answer, then one descent step",
  source: "Yuksekgonul et al. 2025; zou-group/textgrad @75e912e, prompts in our words; METHODS 7.5",
  gradientsPerSample: 3,
  async step({ persona, samples, kit }) {
    const gradients = await gradientsOf(samples, kit, (sample, sampleKit) => backward(sample, persona.text, sampleKit));
    if (gradients.length === 0) return { gradients, persona: undefined };
    const context = conversations(persona.text, samples, gradients);
    return { gradients, persona: await rewrite(descent(persona, context), kit, improved) };
  },
};

const ROLE = "system prompt of a personal agent, which decides how well its answers fit the user";
/** Words that TextGrad keeps at either end of a shortened variable. */
const EDGE_WORDS = 10;

const conversation = ({ question, response }: Sample, persona: string): string =>
  [
    `<LM_SYSTEM_PROMPT>${persona}</LM_SYSTEM_PROMPT>`,
    `<LM_INPUT>${question.text}</LM_INPUT>`,
    `<LM_OUTPUT>${response}</LM_OUTPUT>`,
  ].join("\n");

/** Each conversation with its own feedback behind it. */
const conversations = (persona: string, samples: readonly Sample[], gradients: readonly Gradient[]): string =>
  gradients
    .flatMap(({ event, text }) => {
      const ofEvent = samples.filter((sample) => sample.event.id === event);
      return ofEvent.map((sample) => `${conversation(sample, persona)}\n<FEEDBACK>${text}</FEEDBACK>`);
    })
    .join("\n");

async function backward(sample: Sample, persona: string, kit: Kit): Promise<string> {
  const ask = (lines: readonly string[]): Promise<string> => askGradient(kit, lines);
  const loss = await ask([
    "Evaluate the answer of a personal agent against what its user really answered. Be critical and concise; do not answer the question yourself.",
    "",
    `Question: ${sample.question.text}`,
    `Expected Answer: ${sample.expected}`,
    `Agent Response: ${sample.response}`,
  ]);
  const onResponse = await ask([
    "You are part of an optimization system that improves text by feedback. The variable is the answer of a personal agent.",
    `<VARIABLE>${sample.response}</VARIABLE>`,
    `<OBJECTIVE>${loss}</OBJECTIVE>`,
    "Explain how the variable should change to do better on the objective. Give feedback only, not a new version.",
  ]);
  return ask([
    `You are part of an optimization system that improves text by feedback. The variable is the ${ROLE}.`,
    "It was used in this conversation:",
    conversation(sample, persona),
    `<OBJECTIVE>${onResponse}</OBJECTIVE>`,
    "The objective is the feedback on <LM_OUTPUT>. Explain how <LM_SYSTEM_PROMPT> should change so that the output improves for this user. Give feedback only, not a new version.",
  ]);
}

function descent(persona: Persona, context: string): string {
  return [
    `You are part of an optimization system that improves text by feedback. The variable is the ${ROLE}.`,
    `<VARIABLE>${shortened(persona.text)}</VARIABLE>`,
    "These conversations used it in full, each with feedback on it:",
    `<CONTEXT>${context}</CONTEXT>`,
    `Improve the variable by the feedback. Send the new version in full between ${OPEN} and ${CLOSE}, and nothing else between these tags.`,
  ].join("\n");
}

function shortened(text: string): string {
  const words = pySplit(text);
  if (words.length <= 2 * EDGE_WORDS) return text;
  return `${words.slice(0, EDGE_WORDS).join(" ")} (...) ${words.slice(-EDGE_WORDS).join(" ")}`;
}

const OPEN = "<IMPROVED_VARIABLE>";
const CLOSE = "</IMPROVED_VARIABLE>";

function improved(reply: string): string | undefined {
  const start = reply.indexOf(OPEN);
  const end = reply.lastIndexOf(CLOSE);
  return start < 0 || end < start ? undefined : pyStrip(reply.slice(start + OPEN.length, end));
}
