import { readOptions } from "../../options.js";
import type { Event, Kit, Options, OptionTable, User } from "../../types.js";
import { pagOptions } from "../pag-options.js";
import { summarize } from "../pag-summary.js";
import { styleOf } from "../retrieval-options.js";

/** The knobs of PAG that decide on its summary. */
export const semanticMemoryOptions = {
  "pag.summary": pagOptions["pag.summary"],
  "pag.items": pagOptions["pag.items"],
  "pag.maxHistoryTokens": pagOptions["pag.maxHistoryTokens"],
  "pag.fieldMaxWords": pagOptions["pag.fieldMaxWords"],
  "pag.summaryTokens": pagOptions["pag.summaryTokens"],
  "pag.temperature": pagOptions["pag.temperature"],
  "prompt.style": pagOptions["prompt.style"],
} satisfies OptionTable;

export type SemanticMemoryOptions = Options<typeof semanticMemoryOptions>;

/** P^u: the summary PAG would make of these events (papers/000 eq. 3 and appendix E). Empty where there are none. */
export async function semanticMemory(
  user: User,
  events: readonly Event[],
  options: SemanticMemoryOptions,
  kit: Kit,
): Promise<string> {
  const all = { ...readOptions(pagOptions, {}), ...options };
  return summarize({ ...user, history: events }, styleOf(kit.task, all), all, kit);
}
