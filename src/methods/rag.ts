import { integer } from "../options.js";
import type { Answerer, Method, OptionTable } from "../types.js";
import { answer } from "./answer.js";
import { assembleSettings, retrievalOptions, styleOf } from "./retrieval-options.js";
import { indexHistory } from "./retrieve.js";

const options = {
  "rag.k": integer({ default: 4, help: "events shown per question" }),
  ...retrievalOptions,
} satisfies OptionTable;

export const rag: Method<typeof options> = {
  name: "rag",
  summary: "the user's k best matching past events in the official prompt",
  source: "Salemi et al. 2024 (LaMP, in-prompt augmentation); METHODS 3",
  options,
  async personalize(user, options, unitKit) {
    const style = styleOf(unitKit.task, options);
    let history = user.history;
    let recall = await indexHistory(history, options["rag.retriever"], style, unitKit);
    const settings = assembleSettings(options);
    const answerer: Answerer = async (question, kit) => {
      if (history.length === 0) kit.count("fallback=prompt");
      const events = await recall(question, options["rag.k"]);
      kit.note(
        "retrieved",
        events.map(({ id }) => id),
      );
      return answer(kit, style.assemble(question, events, settings));
    };
    answerer.learn = async (event, kit) => {
      history = [...history, event];
      recall = await indexHistory(history, options["rag.retriever"], style, kit);
    };
    return answerer;
  },
  plan: () => ({
    perUnit: () => ({}),
    perQuestion: () => ({ answer: { low: 1, high: 1 } }),
  }),
};
