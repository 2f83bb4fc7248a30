import { pySplit } from "../text/python.js";
import { cutWords } from "../text/words.js";
import type { Event, Kit, Random } from "../types.js";
import type { MemorySettings } from "./options.js";

export interface Recollection {
  readonly event: Event;
  readonly score: number;
  /** Date, content and the user's label in one line. */
  readonly line: string;
}

/** A searchable past. It holds the events it was built from and nothing else. */
export interface EpisodicMemory {
  readonly size: number;
  /** The best matching events, best first: at most `memory.k`, none below `memory.minScore`. */
  recall(query: string): Promise<readonly Recollection[]>;
}

/**
 * Indexes exactly these events. What a caller must not see (the future, the simulated event itself) it leaves out of
 * `events`: see `eventsVisibleAt`.
 */
export async function episodicMemory(
  events: readonly Event[],
  settings: MemorySettings,
  kit: Pick<Kit, "task" | "embedder">,
  random: Random,
): Promise<EpisodicMemory> {
  if (events.length === 0) return { size: 0, recall: async () => [] };
  const shown = (event: Event): string =>
    kit.task.show({ ...event, content: cutWords(event.content, settings["memory.eventMaxWords"]) });
  const indexed =
    settings["memory.embed"] === "event" ? (event: Event) => kit.task.show(event) : (event: Event) => event.content;
  const search = await settings["memory.kind"].index(
    events.map((event) => ({ text: indexed(event), ...(event.date === undefined ? {} : { date: event.date }) })),
    { tokenize: pySplit, embedder: kit.embedder, random },
  );
  const minScore = settings["memory.minScore"] ?? Number.NEGATIVE_INFINITY;
  return {
    size: events.length,
    async recall(query) {
      const hits = await search(query, settings["memory.k"]);
      return hits
        .filter(({ score }) => score >= minScore)
        .map(({ index, score }) => ({ event: events[index]!, score, line: shown(events[index]!) }));
    },
  };
}
