import { choice, integer, temperature } from "../registry/options.js";
import type { OptionTable } from "../types/index.js";

/** Options of judging. They are part of an arm only where a run sets them (a preset); `judge --set` comes before them. */
export const judgeOptions = {
  "judge.onParseFail": choice({
    default: "exclude",
    of: ["exclude", "zero"],
    help: "a reply whose verdict could not be read in judge.tries: left out and counted as unjudged, or 0 in the mean (LaMP-QA; the assistant paper, on a scale from 1)",
  }),
  "judge.tries": integer({
    default: 2,
    min: 1,
    max: 1000,
    help: "how often a verdict is asked for until it can be read (LaMP-QA: 101, each .1 hotter)",
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
