import type { Event, Selecting, Selector } from "../types/index.js";

/** A selector that does not look at the question. */
export function alwaysSelector({
  of,
  ...named
}: Pick<Selector, "name" | "summary" | "source"> & {
  readonly of: (history: readonly Event[]) => readonly Event[];
}): Selector {
  return {
    ...named,
    options: {},
    async open(history) {
      const known = [...history];
      const selecting: Selecting = async () => ({
        chosen: of(known).map((event) => ({ event, reason: named.name })),
      });
      selecting.add = async (event) => void known.push(event);
      return selecting;
    },
  };
}
