import { choice, integer, text } from "../../options.js";
import type { Options } from "../../types.js";

/** Knobs of the `wikipedia` tool (METHODS 5.3). A method that offers it spreads this table into its own. */
export const wikiOptions = {
  "wiki.mode": choice({
    default: "live",
    of: ["live", "record", "replay", "off"],
    help: "live; record into the fixture what it lacks; replay the fixture only (for runs that are compared); off: no tool",
  }),
  "wiki.lang": text({ default: "en", help: "language code of the Wikipedia to search" }),
  "wiki.topK": integer({ default: 3, min: 1, max: 10, help: "pages per search" }),
  "wiki.maxChars": integer({ default: 4000, min: 1, help: "the joined summaries are cut to so many characters" }),
  "wiki.fixture": text({
    default: "",
    help: "file that record writes and replay reads; empty: the built-in one, for the demo data alone",
  }),
} as const;

export type WikiSettings = Options<typeof wikiOptions>;
