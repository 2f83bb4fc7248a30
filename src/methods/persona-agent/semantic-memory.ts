import type { Event, Kit, Options, OptionTable, User } from "../../types.js";
import { summaryOptions } from "../pag-options.js";
import { summarize } from "../pag-summary.js";
import { retrievalOptions, styleOf } from "../retrieval-options.js";

/** The knobs of PAG that decide on its summary. */
export const semanticMemoryOptions = {
  ...summaryOptions,
  "prompt.style": retrievalOptions["prompt.style"],
} satisfies OptionTable;

type SemanticMemoryOptions = Options<typeof semanticMemoryOptions>;

/** P^u: the summary PAG would make of these events (PersonaAgent eq. 3 and appendix E). Empty where there are none. */
export async function semanticMemory(
  user: User,
  events: readonly Event[],
  options: SemanticMemoryOptions,
  kit: Kit,
): Promise<string> {
  return summarize({ ...user, history: events }, styleOf(kit.task, options), options, kit);
}
