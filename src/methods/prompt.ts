import type { Method } from "../types/index.js";
import { answer, callPlan } from "./calls.js";

export const prompt: Method = {
  name: "prompt",
  summary: "the raw LaMP input, nothing else",
  source: "non-personalized baseline; METHODS 1",
  options: {},
  personalize: async () => (question, kit) => answer(kit, question.text),
  plan: () => callPlan({}),
};
