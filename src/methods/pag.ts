import type { Method } from "../types/index.js";
import { callPlan } from "./calls.js";
import { checkSummary, pagOptions, summarizeUser, summaryCalls } from "./pag-summary.js";
import { recallAnswerer } from "./recall-answer.js";

export const pag: Method<typeof pagOptions> = {
  name: "pag",
  summary: "a profile summary of the user, then the k best matching events",
  source: "Richardson et al. 2023, prompts as in OPPU; METHODS 4",
  unfit: ({ dialogue }) =>
    dialogue === true ? "it sums up a history with answers, and a dialogue starts without one" : undefined,
  options: pagOptions,
  check: checkSummary,
  async personalize(user, options, kit) {
    const summary = await summarizeUser(user, options, kit);
    const prefix = summary === "" ? "" : `${summary}\n`;
    return recallAnswerer(user, { k: options["pag.k"], prefix }, options, kit);
  },
  plan: (options) => callPlan(options, { perUnit: (history) => summaryCalls(history, options) }),
};
