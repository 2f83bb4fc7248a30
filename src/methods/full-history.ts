import { CHARACTERS_PER_TOKEN } from "../models/tokens.js";
import { integer } from "../registry/options.js";
import type { Answerer, Method, OptionTable } from "../types/index.js";
import { answer, callPlan } from "./calls.js";
import { latestWithinSize } from "./pag-summary.js";
import { noteRetrieved, retrievalOptions, styleOf } from "./recall-answer.js";

const options = {
  "full-history.maxTokens": integer({
    default: 100_000,
    help: "token budget of the history, a token counted as four characters; the oldest events beyond it are dropped; 0 = unlimited",
  }),
  "prompt.style": retrievalOptions["prompt.style"],
} satisfies OptionTable;

export const fullHistory: Method<typeof options> = {
  name: "full-history",
  summary: "the user's whole history, oldest first, as far as a token budget reaches back",
  source: "the baseline of PersonaMem, LongMemEval and LoCoMo (history in the prompt)",
  options,
  async personalize(user, options, unitKit) {
    const style = styleOf(unitKit.task, options);
    const history = [...user.history];
    const most = options["full-history.maxTokens"] * CHARACTERS_PER_TOKEN || Number.POSITIVE_INFINITY;
    const answerer: Answerer = async (question, kit) => {
      const shown = latestWithinSize(history, most, (event) => kit.task.formatEvent(event).length);
      for (let dropped = shown.length; dropped < history.length; dropped++) kit.count("events-over-budget");
      noteRetrieved(kit, shown);
      return answer(kit, style.assemble(question, shown, { maxTokens: 0 }));
    };
    answerer.learn = async (event) => void history.push(event);
    return answerer;
  },
  plan: () => callPlan({}),
};
