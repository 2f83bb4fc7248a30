import type { Answerer, Method } from "../types.js";
import { answer } from "./answer.js";
import { pagOptions } from "./pag-options.js";
import { checkSummary, summarize } from "./pag-summary.js";
import { assembleSettings, styleOf } from "./retrieval-options.js";
import { indexHistory } from "./retrieve.js";

export const pag: Method<typeof pagOptions> = {
  name: "pag",
  summary: "a profile summary of the user, then the k best matching events",
  source: "Richardson et al. 2023, prompts as in OPPU; METHODS 4",
  options: pagOptions,
  check: checkSummary,
  async personalize(user, options, unitKit) {
    const style = styleOf(unitKit.task, options);
    const summary = await summarize(user, style, options, unitKit);
    let history = user.history;
    let recall = await indexHistory(history, options["rag.retriever"], style, unitKit);
    const prefix = summary === "" ? "" : summary + options["pag.sep"].replaceAll("\\n", "\n");
    const settings = assembleSettings(options, prefix);
    const answerer: Answerer = async (question, kit) => {
      if (history.length === 0) kit.count("fallback=prompt");
      const events = await recall(question, options["pag.k"]);
      kit.note(
        "retrieved",
        events.map(({ id }) => id),
      );
      return answer(kit, style.assemble(question, events, settings));
    };
    // The profile is written once, as in the papers; what is retrieved grows.
    answerer.learn = async (event, kit) => {
      history = [...history, event];
      recall = await indexHistory(history, options["rag.retriever"], style, kit);
    };
    return answerer;
  },
  plan: (options) => ({
    // An empty summary is asked for once more.
    perUnit: (history) =>
      options["pag.summary"] === "llm" && history.length > 0 ? { summary: { low: 1, high: 2 } } : {},
    perQuestion: () => ({ answer: { low: 1, high: 1 } }),
  }),
};
