import { selectionCalls, sharedSelectionCalls } from "../selectors/open.js";
import type { Method } from "../types/index.js";
import { checkSummary, pagOptions, summarize } from "./pag-summary.js";
import { recallAnswerer, styleOf } from "./recall-answer.js";

export const pag: Method<typeof pagOptions> = {
  name: "pag",
  summary: "a profile summary of the user, then the k best matching events",
  source: "Richardson et al. 2023, prompts as in OPPU; METHODS 4",
  unfit: ({ dialogue }) =>
    dialogue === true ? "it sums up a history with answers, and a dialogue starts without one" : undefined,
  options: pagOptions,
  check: checkSummary,
  async personalize(user, options, kit) {
    const summary = await summarize(user, styleOf(kit.task, options), options, kit);
    const prefix = summary === "" ? "" : `${summary}\n`;
    return recallAnswerer(user, { k: options["pag.k"], prefix }, options, kit);
  },
  plan: (options) => ({
    // An empty summary is asked for once more.
    perUnit: (history) =>
      options["pag.summary"] === "llm" && history.length > 0 ? { summary: { low: 1, high: 2 } } : {},
    perQuestion: () => ({ ...selectionCalls(options.select, options), answer: { low: 1, high: 1 } }),
    perCell: () => sharedSelectionCalls(options.select, options),
  }),
};
