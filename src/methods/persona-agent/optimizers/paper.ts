import { askGradient, type Gradient, gradientsOf, type Optimizer, rewrite, type Sample } from "./steps.js";

/** LLM_grad sees question, expected and given answer alone; LLM_update sees the persona and the joined feedback. */
export const paper: Optimizer = {
  name: "paper",
  summary: "one feedback call per simulated answer, one rewrite",
  source: "PersonaAgent Algorithm 1 and appendix B, in our words",
  gradientsPerSample: 1,
  async step({ persona, samples, tools, kit }) {
    const gradients = await gradientsOf(samples, kit, (sample, sampleKit) =>
      askGradient(sampleKit, gradientPrompt(sample, tools)),
    );
    if (gradients.length === 0) return { gradients, persona: undefined };
    return { gradients, persona: await rewrite(updatePrompt(persona.text, joined(gradients), tools), kit) };
  },
};

/** Returns several feedback texts as one numbered list, in batch order. */
function joined(gradients: readonly Gradient[]): string {
  const texts = gradients.map(({ text }) => text);
  return texts.length === 1 ? texts[0]! : texts.map((text, index) => `${index + 1}. ${text}`).join("\n\n");
}

/** Joined, never filled into a template: questions, answers and personas hold braces, backticks and tags. */
function gradientPrompt({ question, expected, response }: Sample, tools: number): string[] {
  const tips = [
    ...(tools === 0 ? [] : ["Explain how the agent can improve the search keywords it gives its tools for this user."]),
    "Consider the user's prior interactions and preferences and everything else that is personal.",
    "Give an explicit description of the user's profile and preferences that is not specific to this task.",
  ];
  return [
    "You are a meticulous and critical evaluator of the answers that personalized AI agents give.",
    "Look at the case below and give feedback on how the agent's system prompt should be improved, so that its answers align with what this user prefers.",
    "",
    `Question: ${question.text}`,
    `Expected Answer: ${expected}`,
    `Agent Response: ${response}`,
    "",
    "Your feedback is about the persona in the system prompt: how to adjust it to what is unique in this one user. Be concise and clear.",
    "",
    "Tips:",
    ...tips.map((tip, index) => `${index + 1}. ${tip}`),
    "",
    "Feedback:",
  ];
}

function updatePrompt(persona: string, feedback: string, tools: number): string {
  return [
    "You are a prompt engineering assistant. You refine the system prompts of personal agents, so that they align better with what their users prefer.",
    "",
    `Current system prompt: ${persona}`,
    `Provided feedback: ${feedback}`,
    "",
    "Write an updated system prompt that follows from this feedback and explicitly highlights the user's unique preferences. It must tell the agent to align its answers with them, and it must hold a detailed profile of the user. Keep its tone helpful and clear. Reply with the new system prompt alone.",
    ...(tools === 0 ? ["The agent has no tools: the new system prompt must not ask it to use any."] : []),
    "",
    "New system prompt:",
  ].join("\n");
}
