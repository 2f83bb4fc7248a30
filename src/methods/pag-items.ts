import type { Counted } from "../options.js";
import type { Event, Random } from "../types.js";

/** Which events a summary is made of, oldest first. It depends on the history alone, never on a question. */
export function summaryItems(history: readonly Event[], wanted: Counted, random: Random): readonly Event[] {
  return choosers[wanted.kind]?.(history, wanted.count, random) ?? history;
}

/** The newest events whose shown lines fit in `maxTokens` (characters / 4), oldest first; the newest always. 0 = unlimited. */
export function newestWithin(
  events: readonly Event[],
  show: (event: Event) => string,
  maxTokens: number,
): readonly Event[] {
  if (maxTokens === 0) return events;
  let tokens = 0;
  const tooOld = events.findLastIndex((event, index) => {
    tokens += Math.ceil(show(event).length / CHARACTERS_PER_TOKEN);
    return tokens > maxTokens && index < events.length - 1;
  });
  return events.slice(tooOld + 1);
}

const CHARACTERS_PER_TOKEN = 4;

type Chooser = (history: readonly Event[], count: number, random: Random) => readonly Event[];

const choosers: Readonly<Record<string, Chooser>> = {
  all: (history) => history,
  latest: (history, count) => history.slice(-count),
  random: (history, count, random) => {
    const drawn = new Set(random.sample(history, count));
    return history.filter((event) => drawn.has(event));
  },
};
