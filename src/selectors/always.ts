import type { Event, Kit, OpenSelector, SelectionRequest, SelectionResult, Selector } from "../types/index.js";

/** Chooses among a history that grows: `choose` sees all events so far, oldest first. */
export function openFromFunction(
  history: readonly Event[],
  choose: (known: readonly Event[], ask: SelectionRequest, kit: Kit) => Promise<SelectionResult>,
): OpenSelector {
  const known = [...history];
  return Object.assign((ask: SelectionRequest, kit: Kit) => choose(known, ask, kit), {
    add: async (event: Event) => void known.push(event),
  });
}

/** A selector that does not look at the question. */
const alwaysSelector = ({
  of,
  ...named
}: Pick<Selector, "name" | "summary" | "source"> & {
  readonly of: (history: readonly Event[]) => readonly Event[];
}): Selector => ({
  ...named,
  options: {},
  open: async (history) =>
    openFromFunction(history, async (known) => ({ chosen: of(known).map((event) => ({ event, reason: named.name })) })),
});

export const none = alwaysSelector({
  name: "none",
  summary: "no history: the plain prompt",
  source: "RUMS, baseline None",
  of: () => [],
});

export const allEvents = alwaysSelector({
  name: "all",
  summary: "the whole visible history, newest first, however long",
  source: "RUMS, baseline All",
  of: (history) => [...history].reverse(),
});
