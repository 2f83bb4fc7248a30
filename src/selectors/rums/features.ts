import { bm25 } from "../../retrievers/bm25.js";
import { dense } from "../../retrievers/dense.js";
import { growingSearch } from "../../retrievers/growing-search.js";
import { pySplit } from "../../text/python.js";
import type { Embedder, Event, Random, SelectorUse } from "../../types.js";

/** The features of all events of a past for one query, in the order of the past; computed without any model. */
export interface EventFeatures {
  (query: string): Promise<readonly (readonly number[])[]>;
  add(event: Event, kit: FeatureKit): Promise<void>;
}

export interface FeatureKit {
  readonly embedder: Embedder;
  readonly random: Random;
}

/** Opens the features of a past (METHODS 9.3): see `featureNames`. */
export async function openFeatures(
  history: readonly Event[],
  { document, tokenize }: Pick<SelectorUse, "document" | "tokenize">,
  { embedder, random }: FeatureKit,
): Promise<EventFeatures> {
  const events = [...history];
  const kitOf = (given: FeatureKit) => ({ tokenize, ...given });
  const searches = await Promise.all(
    [dense, bm25].map((retriever) => growingSearch(retriever, events, document, kitOf({ embedder, random }))),
  );
  const features: EventFeatures = async (query) => {
    const [cosine, lexical] = await Promise.all(
      searches.map(
        async (search) => new Map((await search(query, events.length)).map(({ item, score }) => [item, score])),
      ),
    );
    const most = Math.max(1e-9, ...lexical!.values());
    const asked = new Set(words(query));
    const labels = countsOf(events);
    return events.map((event, at) => {
      const own = words(document(event).text);
      return [
        cosine!.get(event) ?? 0,
        (lexical!.get(event) ?? 0) / most,
        (at + 1) / events.length,
        Math.log(1 + own.length),
        event.label === undefined ? 0 : (labels.get(event.label) ?? 0) / events.length,
        asked.size === 0 ? 0 : new Set(own.filter((word) => asked.has(word))).size / asked.size,
      ];
    });
  };
  features.add = async (event, kit) => {
    events.push(event);
    for (const search of searches) await search.add(event, kitOf(kit));
  };
  return features;
}

// --- internal ---

const words = (text: string): string[] => pySplit(text.toLowerCase());

function countsOf(events: readonly Event[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { label } of events) if (label !== undefined) counts.set(label, (counts.get(label) ?? 0) + 1);
  return counts;
}
