import { integer } from "../registry/options.js";
import { dense } from "../retrievers/dense.js";
import { openSearch, type RecallContext } from "../selectors/open.js";
import { type SelectorChoice, selectOptions } from "../selectors/select-option.js";
import { cutWords } from "../text/words.js";
import type { Event, Kit, Options } from "../types/index.js";

interface Recollection {
  readonly event: Event;
  /** Date, content and the user's label in one line. */
  readonly line: string;
}

/** A searchable history. It holds the events that it was given and nothing else. */
export interface EpisodicMemory {
  /** Number of events. */
  readonly size: number;
  /** Finds the best events, best first: at most `memory.k`, or those that a selector chooses. */
  recall(query: string, context: RecallContext): Promise<readonly Recollection[]>;
  /** Lets one more event in, behind the others: recalls what a memory of all of them with this kit would. */
  add(event: Event, kit: Kit): Promise<void>;
}

/**
 * Indexes exactly these events. What a caller must not see (the future, the simulated event itself) it leaves out of
 * `events`: see `eventsVisibleAt`. `stream` labels its random draws.
 */
export async function episodicMemory(
  events: readonly Event[],
  settings: MemorySettings,
  kit: Kit,
  stream = "memory",
): Promise<EpisodicMemory> {
  const { task } = kit;
  const document = (event: Event) => ({
    text: task.formatEvent(event), // the whole event with date and label (PersonaAgent equations 1 and 2)
    ...(event.date === undefined ? {} : { date: event.date }),
  });
  const search = await openSearch(events, { own: dense, stream, document }, settings, kit);
  let size = events.length;
  return {
    get size() {
      return size;
    },
    async recall(query, context) {
      const found = await search(query, settings["memory.k"], context);
      return found.map(({ event }) => ({
        event,
        line: task.formatEvent({ ...event, content: cutWords(event.content, settings["events.maxWords"]) }),
      }));
    },
    async add(event, laterKit) {
      size++;
      await search.add(event, laterKit);
    },
  };
}

/** Limits the listed content of an event, in every method. */
export const eventOptions = {
  "events.maxWords": integer({ default: 200, help: "cut the content of a listed event to so many words; 0 = whole" }),
} as const;

/** Options of the episodic memory (METHODS 7.3). Its own search is dense (PersonaAgent, equations 1 and 2). */
export const memoryOptions = {
  "memory.k": integer({ default: 4, min: 1, help: "events per search (PersonaAgent: 4, as LaMP)" }),
  ...eventOptions,
  ...selectOptions,
} as const;

export type MemorySettings = Omit<Options<typeof memoryOptions>, "select"> & {
  readonly select?: SelectorChoice | undefined;
};
