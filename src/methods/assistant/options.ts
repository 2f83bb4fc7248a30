import { choice, integer } from "../../options.js";
import type { Options, OptionTable } from "../../types.js";

/** Knobs of `assistant` (METHODS 11). */
export const assistantOptions = {
  "assistant.k": integer({ default: 10, min: 1, help: "facts recalled for an answer (papers/004, release: 10)" }),
  "assistant.extract": choice({
    default: "template",
    of: ["template", "llm"],
    help: "a past event becomes a fact by a sentence of our own, or by one model call each",
  }),
  "assistant.eventMaxWords": integer({ default: 200, help: "cut an event's content to so many words; 0 = whole" }),
  "assistant.ivfThreshold": integer({
    default: 1024,
    min: 1,
    help: "facts searched exactly; then inverted lists (release)",
  }),
  "assistant.ivfNlist": integer({ default: 100, min: 1, help: "inverted lists (release: 100)" }),
  "assistant.ivfNprobe": integer({ default: 20, min: 1, help: "lists that a search looks through (release: 20)" }),
} satisfies OptionTable;

export type AssistantOptions = Options<typeof assistantOptions>;
