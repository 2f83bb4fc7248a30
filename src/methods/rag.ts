import { integer } from "../registry/options.js";
import type { Method, OptionTable } from "../types/index.js";
import { callPlan } from "./calls.js";
import { recallAnswerer, retrievalOptions } from "./recall-answer.js";

const options = {
  "rag.k": integer({ default: 4, help: "events shown per question" }),
  ...retrievalOptions,
} satisfies OptionTable;

export const rag: Method<typeof options> = {
  name: "rag",
  summary: "the user's k best matching history items in the official prompt",
  source: "Salemi et al. 2024 (LaMP, in-prompt augmentation); METHODS 3",
  options,
  personalize: (user, options, kit) => recallAnswerer(user, { k: options["rag.k"] }, options, kit),
  plan: (options) => callPlan(options),
};
