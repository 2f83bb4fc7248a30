import type { Event, Selector } from "../types/index.js";
import { growing } from "./growing.js";

/** A selector that does not look at the question. */
export const alwaysSelector = ({
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
