import { choice, temperature } from "../registry/options.js";
import type { OptionTable } from "../types/index.js";

/** Options of judging. They are part of an arm only where a run sets them (a preset); `judge --set` comes before them. */
export const judgeOptions = {
  "judge.onParseFail": choice({
    default: "exclude",
    of: ["exclude", "zero"],
    help: "a reply whose verdict could not be read in two tries: left out and counted as unjudged, or 0 in the mean (the assistant paper, on a scale from 1)",
  }),
  "judge.history": choice({
    default: "own-dialogue",
    of: ["own-dialogue", "user-only"],
    help: "what a judge is shown of the dialogue: both speakers, or the user's lines alone (the assistant paper)",
  }),
  "judge.temperature": temperature({
    default: 0,
    help: "sampling temperature of a judge; none: the provider's default (the assistant paper)",
  }),
} as const satisfies OptionTable;
