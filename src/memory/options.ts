import { UsageError } from "../errors.js";
import { choice, integer, thing } from "../options.js";
import { retrievers } from "../retrievers/index.js";
import { type ChosenSelector, selectOptions } from "../selectors/select-option.js";
import type { Option, Options, OptionValue } from "../types.js";

/** Knobs of the episodic memory (METHODS 7.3). */
export const memoryOptions = {
  "memory.kind": thing({ default: "dense", of: () => retrievers, help: "how the memory is searched" }),
  "memory.k": integer({ default: 4, min: 1, help: "events per search (PersonaAgent: 4, as LaMP)" }),
  "memory.embed": choice({
    default: "event",
    of: ["event", "input"],
    help: "what is indexed: the whole event with date and label (PersonaAgent eq. 1-2), or its content alone",
  }),
  "memory.eventMaxWords": integer({ default: 200, help: "cut an event's content to so many words; 0 = whole" }),
  "memory.minScore": atLeast("leave out hits that score lower"),
  ...selectOptions,
} as const;

export type MemorySettings = Omit<Options<typeof memoryOptions>, "select"> & {
  /** Chooses in the place of `memory.kind`. */
  readonly select?: ChosenSelector | undefined;
};

/** A lower bound, or `none`. */
function atLeast(help: string): Option<number | undefined> {
  const accepts = "a number, or none";
  const read = (name: string, value: OptionValue): number | undefined => {
    if (value === "none") return undefined;
    const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
    if (typeof number === "number" && Number.isFinite(number)) return number;
    throw new UsageError(`${name}=${value}: expected ${accepts}`);
  };
  return { default: "none", help, accepts, read, canonical: (name, value) => read(name, value) ?? "none" };
}
