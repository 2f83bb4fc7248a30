import { choice, integer } from "../registry/options.js";
import type { Answerer, Method, OptionTable } from "../types/index.js";
import { bufferSystem, type Line, linesOf } from "./assistant/prompts.js";
import { answer, callPlan } from "./calls.js";

const options = {
  "buffer.lines": integer({
    default: 4,
    min: 1,
    help: "last lines of the dialogue in the prompt (the assistant paper: 4)",
  }),
  "assistant.baselineHistory": choice({
    default: "user-only",
    of: ["user-only", "both"],
    help: "whose lines these are: the user's (release), or both speakers'",
  }),
} satisfies OptionTable;

/** The assistant paper's baseline with a short memory. */
export const buffer: Method<typeof options> = {
  name: "buffer",
  summary: "the last lines of the dialogue in the prompt, nothing else",
  source: "section 4.2 of the assistant paper; METHODS 11",
  options,
  async personalize(_user, options, _kit) {
    const lines: Line[] = [];
    const answerer: Answerer = (question, kit) =>
      answer(kit, question.text, bufferSystem(lines.slice(-options["buffer.lines"])));
    // the answer of a learned event is the user's own
    answerer.learn = async ({ content, label }) =>
      void lines.push(...linesOf({ said: content, ...(label === undefined ? {} : { reply: label }) }));
    answerer.observe = async (turn) => {
      const shown = linesOf(turn);
      lines.push(...(options["assistant.baselineHistory"] === "both" ? shown : shown.slice(0, 1)));
    };
    return answerer;
  },
  plan: () => callPlan({}, { perObserved: () => ({}) }),
};
