import type { Event, Selector } from "../types/index.js";
import { growing } from "./growing.js";

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
    growing(history, async (known) => ({ chosen: of(known).map((event) => ({ event, reason: named.name })) })),
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
