import { createRequire } from "node:module";

/** The tags of English words by the word list of `natural`, the most frequent first. The compiled package has verbs and adverbs alone. */
export const tags: Readonly<Record<string, readonly string[]>> = createRequire(import.meta.url)(
  "natural/lib/natural/brill_pos_tagger/data/English/lexicon_from_posjs.json",
);
