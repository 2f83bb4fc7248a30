import { UsageError } from "../errors.js";
import { integer, thing } from "../registry/options.js";
import { growingSearch } from "../retrievers/growing-search.js";
import { retrievers } from "../retrievers/index.js";
import { type AskedFor, selectingSearch } from "../selectors/open.js";
import { type ChosenSelector, selectOptions } from "../selectors/select-option.js";
import { pySplit } from "../text/python.js";
import { cutWords } from "../text/words.js";
import type { Event, Kit, Option, Options, OptionValue, Random, SelectorUse } from "../types/index.js";

interface Recollection {
  readonly event: Event;
  readonly score: number;
  /** Date, content and the user's label in one line. */
  readonly line: string;
}

/** A searchable past. It holds the events that it was given and nothing else. */
export interface EpisodicMemory {
  /** Number of events. */
  readonly size: number;
  /**
   * The best matching events, best first: at most `memory.k`, none below `memory.minScore`. A selector that the run names chooses
   * in their place; it must know for whose question.
   */
  recall(query: string, asked?: AskedFor): Promise<readonly Recollection[]>;
  /** Lets one more event in, behind the others: recalls what a memory of all of them with this kit would. */
  add(event: Event, kit: EpisodicKit, random: Random): Promise<void>;
}

type EpisodicKit = Pick<Kit, "task" | "embedder"> & Partial<Kit>;

/**
 * Indexes exactly these events. What a caller must not see (the future, the simulated event itself) it leaves out of
 * `events`: see `eventsVisibleAt`.
 */
export async function episodicMemory(
  events: readonly Event[],
  settings: MemorySettings,
  kit: EpisodicKit,
  random: Random,
): Promise<EpisodicMemory> {
  const shown = (event: Event): string =>
    kit.task.show({ ...event, content: cutWords(event.content, settings["events.maxWords"]) });
  const documentOf = (event: Event) => ({
    text: kit.task.show(event), // the whole event with date and label (PersonaAgent equations 1 and 2)
    ...(event.date === undefined ? {} : { date: event.date }),
  });
  if (settings.select !== undefined && isWhole(kit))
    return selectedMemory(settings.select, events, settings, { documentOf, shown }, kit);
  const search = await growingSearch(settings["memory.kind"], events, documentOf, searchKit(kit, random));
  const minScore = settings["memory.minScore"] ?? Number.NEGATIVE_INFINITY;
  let size = events.length;
  return {
    get size() {
      return size;
    },
    async recall(query) {
      const hits = await search(query, settings["memory.k"]);
      return hits
        .filter(({ score }) => score >= minScore)
        .map(({ item, score }) => ({ event: item, score, line: shown(item) }));
    },
    async add(event, laterKit, laterRandom) {
      size++;
      await search.add(event, searchKit(laterKit, laterRandom));
    },
  };
}

const isWhole = (kit: EpisodicKit): kit is Kit => kit.ask !== undefined;

async function selectedMemory(
  select: ChosenSelector,
  events: readonly Event[],
  settings: MemorySettings,
  { documentOf, shown }: { readonly documentOf: SelectorUse["document"]; readonly shown: (event: Event) => string },
  kit: Kit,
): Promise<EpisodicMemory> {
  const search = await selectingSearch(select, events, { stream: "memory", document: documentOf }, settings, kit);
  let size = events.length;
  return {
    get size() {
      return size;
    },
    async recall(query, asked) {
      const chosen = await search(query, settings["memory.k"], asked);
      return chosen.map(({ event, score = 0 }) => ({ event, score, line: shown(event) }));
    },
    async add(event, laterKit) {
      size++;
      if (isWhole(laterKit)) await search.add(event, laterKit);
    },
  };
}

const searchKit = ({ embedder }: EpisodicKit, random: Random) => ({ tokenize: pySplit, embedder, random });

/** How much of an event a model is shown, whichever method lists it. */
export const eventOptions = {
  "events.maxWords": integer({ default: 200, help: "cut the content of a listed event to so many words; 0 = whole" }),
} as const;

/** Knobs of the episodic memory (METHODS 7.3). */
export const memoryOptions = {
  "memory.kind": thing({ default: "dense", of: () => retrievers, help: "how the memory is searched" }),
  "memory.k": integer({ default: 4, min: 1, help: "events per search (PersonaAgent: 4, as LaMP)" }),
  ...eventOptions,
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
