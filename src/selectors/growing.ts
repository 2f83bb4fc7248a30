import type { Event, Kit, Selecting, Selection, SelectionAsk } from "../types/index.js";

/** Chooses among a past that grows: `choose` sees all events so far, oldest first. */
export function growing(
  history: readonly Event[],
  choose: (known: readonly Event[], ask: SelectionAsk, kit: Kit) => Promise<Selection>,
): Selecting {
  const known = [...history];
  return Object.assign((ask: SelectionAsk, kit: Kit) => choose(known, ask, kit), {
    add: async (event: Event) => void known.push(event),
  });
}
