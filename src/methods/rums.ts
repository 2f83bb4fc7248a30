import { rumsOptions } from "../selectors/rums/options.js";
import { rums as selector } from "../selectors/rums/rums.js";
import type { Method, OptionTable } from "../types/index.js";
import { callPlan } from "./calls.js";
import { recallAnswerer, retrievalOptions } from "./recall-answer.js";

const { "rag.retriever": retriever, "prompt.style": style, "rag.maxTokens": maxTokens } = retrievalOptions;

const options = { ...rumsOptions, "prompt.style": style, "rag.maxTokens": maxTokens } satisfies OptionTable;

const select = { selector } as const;

export const rums: Method<typeof options> = {
  name: "rums",
  summary: "the history items that make the answer surest, in the official prompt; the plain prompt where none does",
  source: "RUMS; METHODS 9",
  options,
  personalize: (user, options, kit) => {
    const unused = retriever.read("rag.retriever", retriever.default);
    return recallAnswerer(user, { k: options["rums.maxItems"] }, { ...options, select, "rag.retriever": unused }, kit);
  },
  plan: (options) => callPlan({ ...options, select }),
};
