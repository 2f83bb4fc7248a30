import type { Method } from "../types/index.js";
import { STATELESS_SYSTEM } from "./assistant/prompts.js";
import { answer, callPlan } from "./calls.js";

/** The assistant paper's baseline without any memory. */
export const stateless: Method = {
  name: "stateless",
  summary: "a helpful assistant without any memory",
  source: "section 4.2 of the assistant paper; METHODS 11",
  options: {},
  personalize: async () => (question, kit) => answer(kit, question.text, STATELESS_SYSTEM),
  plan: () => callPlan({}, { perObserved: () => ({}) }),
};
