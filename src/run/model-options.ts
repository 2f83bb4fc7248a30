import { choice, integer, text } from "../options.js";
import type { OptionTable, OptionValue } from "../types.js";

/** How much a model may think. `auto`: what the provider's code finds right for short answers. */
const efforts = ["auto", "none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;

/** Knobs of every call. They are part of a cell only where they are set: cells of before keep their names. */
export const modelOptions = {
  "model.effort": choice({
    default: "auto",
    of: efforts,
    help: "how much a reasoning model thinks, where it can be told",
  }),
  "model.answerTokens": integer({
    default: 0,
    help: "least room of every reply, thinking included, tokens; 0: as the task and the method say",
  }),
  "model.reference": text({
    default: "",
    help: "a further model, provider/id, whose probabilities say how sure an answer is (RUMS); empty: the one that answers",
  }),
  "model.reference.baseUrl": text({
    default: "",
    help: "its server; empty: --base-url where the provider is the same, else the provider's own",
  }),
  "model.judge": text({
    default: "",
    help: "a further model, provider/id, that weighs answers; empty: the one that answers",
  }),
  "model.judge.baseUrl": text({
    default: "",
    help: "its server; empty: --base-url where the provider is the same, else the provider's own",
  }),
} as const;

/** Those that are set, in their canonical form. */
export function givenModelOptions(given: Readonly<Record<string, OptionValue>>): Record<string, OptionValue> {
  const table: OptionTable = modelOptions;
  const all = Object.entries(table).map(
    ([name, knob]) => [name, knob.canonical(name, given[name] ?? knob.default)] as const,
  );
  return Object.fromEntries(all.filter(([name, value]) => value !== table[name]?.default));
}
