import { text } from "../registry/options.js";
import type { Method, OptionTable } from "../types/index.js";
import { answer } from "./answer.js";

const options = {
  "prompt.system": text({ default: "", help: "system prompt; empty = none" }),
} satisfies OptionTable;

export const prompt: Method<typeof options> = {
  name: "prompt",
  summary: "the raw LaMP input, nothing else",
  source: "non-personalized baseline; METHODS 1",
  options,
  async personalize(_user, options) {
    return (question, kit) => answer(kit, question.text, options["prompt.system"]);
  },
  plan: () => ({
    perUnit: () => ({}),
    perQuestion: () => ({ answer: { low: 1, high: 1 } }),
  }),
};
