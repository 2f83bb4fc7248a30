import { dot } from "../retrievers/dense.js";
import { type InvertedLists, invertedLists, topOf } from "../retrievers/inverted-lists.js";
import { type AskedFor, selectingSearch } from "../selectors/open.js";
import type { ChosenSelector } from "../selectors/select-option.js";
import type { Embedder, Event, Kit, Options, OptionTable, Random } from "../types/index.js";

interface FactMemorySettings {
  /** Facts that are searched exactly; once so many are held, the next ones make inverted lists of all. */
  readonly exactUpTo: number;
  readonly lists: number;
  readonly probes: number;
  readonly iterations: number;
}

/** What an assistant knows of its user, as sentences found again by their vectors (section 3.2 of the assistant paper; METHODS 11). */
interface FactMemory {
  /** In the order in which they came; no sentence twice. */
  readonly facts: readonly string[];
  /** `exact` until there are too many for it; `selector` where the run names one. */
  readonly searchKind: "exact" | "inverted lists" | "selector";
  /** Lets these in, but for those that are held already, letter by letter. Returns how many were new. */
  add(facts: readonly string[], kit?: Kit): Promise<number>;
  /** The best `k`, best first; fewer only where fewer are held or looked through, or a selector chooses fewer. */
  recall(query: string, k: number, asked?: AskedFor): Promise<readonly string[]>;
}

/**
 * An empty memory. As the release does, the step to inverted lists is taken when facts come in while `exactUpTo` are held, with
 * lists trained on those held.
 */
export function factMemory(settings: FactMemorySettings, embedder: Embedder, random: Random): FactMemory {
  const facts: string[] = [];
  const known = new Set<string>();
  const vectors: Float32Array[] = [];
  let lists: InvertedLists | undefined;
  return {
    facts,
    get searchKind() {
      return lists === undefined ? "exact" : "inverted lists";
    },
    async add(given) {
      const fresh = [...new Set(given)].filter((fact) => !known.has(fact));
      if (fresh.length === 0) return 0;
      const embedded = await embedder.embed(fresh);
      if (lists === undefined && vectors.length >= settings.exactUpTo)
        lists = invertedLists(vectors, settings, random.fork("lists"));
      for (const [index, fact] of fresh.entries()) {
        const vector = embedded[index]!; // one a text
        known.add(fact);
        facts.push(fact);
        vectors.push(vector);
        lists?.add(vector);
      }
      return fresh.length;
    },
    async recall(query, k) {
      if (facts.length === 0) return [];
      const [asked] = await embedder.embed([query]);
      const hits =
        lists?.search(asked!, k) ??
        topOf(
          vectors.map((vector, index) => ({ index, score: dot(vector, asked!) })),
          k,
        );
      return hits.map(({ index }) => facts[index]!); // an index of the vectors, one a fact
    },
  };
}

/** A memory of facts out of which the selector that a run names chooses, in the place of their vectors. No sentence is held twice. */
export async function selectedFacts(
  select: ChosenSelector,
  options: Options<OptionTable>,
  unitKit: Kit,
): Promise<FactMemory> {
  const facts: string[] = [];
  const known = new Set<string>();
  const search = await selectingSearch(select, [], { stream: "facts" }, options, unitKit);
  return {
    facts,
    searchKind: "selector",
    async add(given, kit = unitKit) {
      const fresh = [...new Set(given)].filter((fact) => !known.has(fact));
      for (const fact of fresh) {
        known.add(fact);
        facts.push(fact);
        await search.add(eventOf(fact, facts.length), kit);
      }
      return fresh.length;
    },
    recall: async (query, k, asked) =>
      facts.length === 0 ? [] : (await search(query, k, asked)).map(({ event }) => event.content),
  };
}

/** A fact in the form of an event; its number is its id. */
function eventOf(fact: string, number: number): Event {
  const id = `fact ${number}`;
  return { id, fields: { id, text: fact }, content: fact, document: fact };
}
