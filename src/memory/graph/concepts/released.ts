import { type ConceptReader, eachOnce } from "./concept-reader.js";

/**
 * Pattern and domain rules as the release of PersonaAgent with GraphRAG has them (METHODS 8.1): every capitalized word (`[A-Z][a-z]+`, the
 * first word of a sentence too) and every topic word of eight domains. The release's word lists are not published with
 * the paper; these are ours for the same domains.
 */
export const released: ConceptReader = {
  name: "released",
  summary: "capitalized words, and topic words of eight domains",
  source: "PersonaAgent with GraphRAG, code; METHODS 8.1",
  async open() {
    return (text) => {
      const names = text.match(CAPITALIZED) ?? [];
      const lower = text.toLowerCase();
      const topics = DOMAINS.flatMap((pattern) => lower.match(pattern) ?? []);
      return eachOnce([...names, ...topics].map((word) => ({ key: word, label: word })));
    };
  },
};

/** Python's `\b[A-Z][a-z]+\b`, whose word boundaries know all scripts. */
const CAPITALIZED = /(?<![\p{L}\p{N}_])[A-Z][a-z]+(?![\p{L}\p{N}_])/gu;

const DOMAINS = [
  "music film movie album song concert actor director cinema television theater",
  "football basketball baseball soccer tennis olympics team championship league coach athlete",
  "politics election president senate congress government policy vote campaign democrat republican",
  "technology software internet computer digital app startup data robot science smartphone",
  "travel flight hotel vacation tourism airport destination trip cruise",
  "fashion style beauty makeup designer clothing dress runway jewelry",
  "food recipe restaurant cooking chef wine dinner kitchen dessert",
  "health medical doctor disease fitness hospital diet exercise therapy wellness",
].map((words) => new RegExp(`(?<![\\p{L}\\p{N}_])(?:${words.replaceAll(" ", "|")})(?![\\p{L}\\p{N}_])`, "gu"));
