import { dot } from "../retrievers/dense.js";
import { type InvertedLists, invertedLists, topKStable } from "../retrievers/inverted-lists.js";
import { openSearch, type RecallContext, type WithSelector } from "../selectors/open.js";
import type { Embedder, Event, Kit, Random } from "../types/index.js";

interface FactMemorySettings {
  /** Facts that are searched exactly; once so many are held, the next ones make inverted lists of all. */
  readonly exactUpTo: number;
  readonly lists: number;
  readonly probes: number;
  readonly iterations: number;
}

/** An assistant's facts about its user, as searchable sentences (section 3.2 of the assistant paper; METHODS 11). */
interface FactMemory {
  /** In the order in which they came; no sentence twice. */
  readonly facts: readonly string[];
  /** `exact` until there are too many for it; `selector` where the run names one. */
  readonly searchKind: "exact" | "inverted lists" | "selector";
  /** Lets these in, but for those that are held already, letter by letter. Returns how many were new. */
  add(facts: readonly string[], kit?: Kit): Promise<number>;
  /** The best `k`, best first; fewer only where fewer are held or looked through, or a selector chooses fewer. */
  recall(query: string, k: number, context: RecallContext): Promise<readonly string[]>;
}

/** A search over facts. */
interface FactSearch {
  readonly kind: FactMemory["searchKind"];
  /** Takes these in, all new; `held`: how many there were before. */
  add(fresh: readonly string[], held: number, kit?: Kit): Promise<void>;
  recall(query: string, k: number, context: RecallContext): Promise<readonly string[]>;
}

function memoryOver(search: FactSearch, facts: string[]): FactMemory {
  return {
    facts,
    get searchKind() {
      return search.kind;
    },
    async add(given, kit) {
      const fresh = [...new Set(given)].filter((fact) => !facts.includes(fact));
      if (fresh.length === 0) return 0;
      await search.add(fresh, facts.length, kit);
      facts.push(...fresh);
      return fresh.length;
    },
    recall: async (query, k, context) => (facts.length === 0 ? [] : search.recall(query, k, context)),
  };
}

/**
 * Opens an empty memory searched by vectors. As in the release, it switches to inverted lists when facts are added to a memory that
 * already holds `exactUpTo`, with lists trained on those.
 */
export function factMemory(settings: FactMemorySettings, embedder: Embedder, random: Random): FactMemory {
  const facts: string[] = [];
  const vectors: Float32Array[] = [];
  let lists: InvertedLists | undefined;
  const search: FactSearch = {
    get kind() {
      return lists === undefined ? "exact" : "inverted lists";
    },
    async add(fresh) {
      const embedded = await embedder.embed(fresh);
      if (lists === undefined && vectors.length >= settings.exactUpTo)
        lists = invertedLists(vectors, settings, random.fork("lists"));
      vectors.push(...embedded);
      for (const vector of embedded) lists?.add(vector);
    },
    async recall(query, k) {
      const [queryVector] = await embedder.embed([query]);
      const scored = () => vectors.map((vector, index) => ({ index, score: dot(vector, queryVector!) }));
      const hits = lists?.search(queryVector!, k) ?? topKStable(scored(), k);
      return hits.map(({ index }) => facts[index]!); // an index of the vectors, one a fact
    },
  };
  return memoryOver(search, facts);
}

/** Opens an empty memory out of which the selector that a run names chooses. A fact's number is the id of its event. */
export async function selectedFacts(options: WithSelector, unitKit: Kit): Promise<FactMemory> {
  const search = await openSearch([], { stream: "facts" }, options, unitKit);
  const eventOf = (fact: string, number: number): Event => {
    const id = `fact ${number}`;
    return { id, fields: { id, text: fact }, content: fact, document: fact };
  };
  return memoryOver(
    {
      kind: "selector",
      async add(fresh, held, kit = unitKit) {
        for (const [index, fact] of fresh.entries()) await search.add(eventOf(fact, held + index + 1), kit);
      },
      recall: async (query, k, context) => (await search(query, k, context)).map(({ event }) => event.content),
    },
    [],
  );
}
