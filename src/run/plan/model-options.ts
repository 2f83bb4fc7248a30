import { choice, integer, text } from "../../registry/options.js";
import type { OptionTable, OptionValue } from "../../types/index.js";

/** How much a model may think. `auto`: what the provider's code finds right for short answers. */
const efforts = ["auto", "none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;

/** Knobs of every call. They are part of a cell only where they are set, or settled by the model: cells of before keep their names. */
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
  "model.omit": text({
    default: "",
    help: "parameters and fields of the request that are never sent, comma separated: temperature, stop, ...",
  }),
  "openai.api": choice({
    default: "auto",
    of: ["auto", "chat", "responses"],
    help: "wire of provider openai; auto: responses for OpenAI and Azure, chat for compatible servers",
  }),
} as const;

/**
 * Those that are set, in their canonical form, over what the model has settled by itself. The wire is as settled: a cell without
 * it is of Chat Completions.
 */
export function givenModelOptions(
  given: Readonly<Record<string, OptionValue>>,
  settled: Readonly<Record<string, OptionValue>> = {},
): Record<string, OptionValue> {
  const table: OptionTable = modelOptions;
  const { "openai.api": _asked, ...rest } = given;
  const asked = Object.fromEntries(Object.entries(rest).filter(([name, value]) => value !== table[name]?.default));
  const all = Object.entries({ ...settled, ...asked }).flatMap(([name, value]) => {
    const knob = table[name];
    return knob === undefined ? [] : [[name, knob.canonical(name, value)] as const];
  });
  return Object.fromEntries(all.filter(([name, value]) => value !== table[name]?.default));
}

/**
 * The wire that the models of recorded cells were asked on, for provider openai; undefined where there is no recording. Recordings
 * that say nothing are of Chat Completions.
 */
export function recordedApi(
  cells: readonly { readonly model: string; readonly options: Readonly<Record<string, unknown>> }[] | undefined,
  modelId: string,
): "chat" | "responses" | undefined {
  const ofModel = cells?.filter(({ model }) => model === modelId) ?? [];
  if (ofModel.length === 0) return undefined;
  return ofModel.some(({ options }) => options["openai.api"] === "responses") ? "responses" : "chat";
}
