import { selectorEmbeds } from "../selectors/open.js";
import { rumsOptions } from "../selectors/rums/options.js";
import { rumsSelector } from "../selectors/rums/rums.js";
import type { Method, OptionTable } from "../types/index.js";
import { callPlan } from "./calls.js";
import { recallAnswerer, retrievalOptions } from "./recall-answer.js";

const { "prompt.style": style, "rag.maxTokens": maxTokens, "rag.itemText": itemText } = retrievalOptions;

const options = {
  ...rumsOptions,
  "prompt.style": style,
  "rag.maxTokens": maxTokens,
  "rag.itemText": itemText,
} satisfies OptionTable;

const select = { selector: rumsSelector } as const;

export const rums: Method<typeof options> = {
  name: "rums",
  summary:
    "the history items that reduce the entropy of the answer most, in the official prompt; the plain prompt where none does",
  source: "RUMS; METHODS 9",
  options,
  embeds: (options) => selectorEmbeds({ ...options, select }),
  personalize: (user, options, kit) =>
    recallAnswerer(user, { k: options["rums.maxItems"] }, { ...options, select }, kit),
  plan: (options) => callPlan({ ...options, select }),
};
