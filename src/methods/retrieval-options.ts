import { UsageError } from "../errors.js";
import { choice, integer, thing } from "../options.js";
import { retrievers } from "../retrievers/index.js";
import { selectOptions } from "../selectors/select-option.js";
import { tokenizers } from "../tokenizers/index.js";
import type { AssembleSettings, Option, Options, OptionTable, PromptStyle, TaskBrief } from "../types.js";

/** A temperature, or `run`: that of the run (undefined). */
export function runTemperature(help: string): Option<number | undefined> {
  const accepts = "run, or a number from 0 to 2";
  const read = (name: string, value: string | number | boolean): number | undefined => {
    if (value === "run") return undefined;
    const degrees = typeof value === "string" && value.trim() === "" ? Number.NaN : Number(value);
    if (typeof value === "boolean" || !(degrees >= 0 && degrees <= 2))
      throw new UsageError(`${name}=${value}: expected ${accepts}`);
    return degrees;
  };
  return { default: "run", help, accepts, read, canonical: (name, value) => read(name, value) ?? "run" };
}

/** Knobs of every method that shows retrieved events in an official prompt (METHODS 3). */
export const retrievalOptions = {
  "rag.retriever": thing({
    default: "bm25",
    of: () => retrievers,
    help: "ranks the user's events for a question; bm25 is LaMP's and OPPU's own default",
  }),
  "prompt.style": choice({
    default: "lamp",
    of: ["lamp", "oppu"],
    help: "official prompt strings: LaMP's in-prompt augmentation or OPPU's templates",
  }),
  "rag.maxTokens": integer({
    default: 0,
    help: "LaMP's prompt budget in tokens, shared evenly by the items (official: 256 or 512); 0 = unlimited",
  }),
  "rag.tokenizer": thing({ default: "words", of: () => tokenizers, help: "counts the tokens of rag.maxTokens" }),
  "rag.itemMaxWords": integer({ default: 0, help: "cut each shown item to so many words; 0 = whole" }),
  ...selectOptions,
} satisfies OptionTable;

export type RetrievalOptions = Options<typeof retrievalOptions>;

/** The task's official strings of that style. Throws UsageError where the task has none. */
export function styleOf(task: TaskBrief, options: Pick<RetrievalOptions, "prompt.style">): PromptStyle {
  const name = options["prompt.style"];
  const style = task.styles[name];
  if (style !== undefined) return style;
  throw new UsageError(`prompt.style=${name}: ${task.name} has only ${Object.keys(task.styles).join(", ")}`);
}

/** The knobs as a prompt style takes them. */
export function assembleSettings(options: RetrievalOptions, prefix = ""): AssembleSettings {
  return {
    prefix,
    maxTokens: options["rag.maxTokens"],
    tokenizer: options["rag.tokenizer"],
    itemMaxWords: options["rag.itemMaxWords"],
  };
}
