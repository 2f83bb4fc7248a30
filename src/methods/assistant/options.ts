import { eventOptions } from "../../memory/episodic.js";
import { choice, counted, flag, integer } from "../../registry/options.js";
import { selectOptions } from "../../selectors/select-option.js";
import type { Options, OptionTable } from "../../types/index.js";

/** Knobs of `assistant` (METHODS 11). */
export const assistantOptions = {
  "assistant.k": integer({
    default: 10,
    min: 1,
    help: "facts recalled for an answer (the assistant paper, release: 10)",
  }),
  "assistant.extract": choice({
    default: "template",
    of: ["template", "llm"],
    help: "a history item becomes a fact by a sentence of our own, or by one model call each; lines of a dialogue are always read by the model",
  }),
  ...eventOptions,
  "assistant.history": counted({
    default: "full",
    plain: ["full", "none"],
    counted: ["buffer"],
    whole: true,
    help: "lines of a dialogue beside the facts: all (release), the last N, or none",
  }),
  "assistant.seedPersona": flag({
    default: true,
    help: "in a dialogue the memory starts with the persona (release; its baselines are told nothing)",
  }),
  "assistant.personaSide": choice({
    default: "asPublished",
    of: ["asPublished", "querySpeaker"],
    help: "whose persona PersonaChat's is: it belongs to the one who answers, and the release takes it for the user's; querySpeaker leaves it out",
  }),
  "assistant.remember": choice({
    default: "all",
    of: ["all", "asked"],
    help: "whose facts are looked for: every turn of a dialogue, or only those that are asked (release)",
  }),
  ...selectOptions,
} satisfies OptionTable;

export type AssistantOptions = Options<typeof assistantOptions>;
