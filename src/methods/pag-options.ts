import { choice, counted, integer, text } from "../options.js";
import type { Options, OptionTable } from "../types.js";
import { retrievalOptions } from "./retrieval-options.js";
import { runTemperature } from "./run-temperature.js";

/** Knobs of the profile summary, shared by all methods that show one. */
export const summaryOptions = {
  "pag.summary": choice({
    default: "llm",
    of: ["llm", "exact", "counts"],
    help: "llm: the model writes it; exact: the most frequent label, computed; counts: all label counts, computed",
  }),
  "pag.items": counted({
    default: "all",
    plain: ["all"],
    counted: ["random", "latest"],
    help: "events the summary is made of (OPPU: random:10)",
  }),
  "pag.maxHistoryTokens": integer({
    default: 24_000,
    help: "tokens (characters / 4) of events in the summary request, newest kept; 0 = unlimited",
  }),
  "pag.fieldMaxWords": integer({
    default: 200,
    help: "cut each event in the summary request to so many words; 0 = whole",
  }),
  "pag.summaryTokens": integer({ default: 1024, min: 1, help: "most tokens of the summary" }),
  "pag.temperature": runTemperature("temperature of the summary call (OPPU: 0.6)"),
} satisfies OptionTable;

export type SummaryOptions = Options<typeof summaryOptions>;

export const pagOptions = {
  ...summaryOptions,
  "pag.k": integer({ default: 4, help: "events shown per question (OPPU: 1); 0 = the summary alone" }),
  "pag.sep": text({ default: "\\n", help: "between summary and prompt; \\n stands for a line break" }),
  ...retrievalOptions,
} satisfies OptionTable;
