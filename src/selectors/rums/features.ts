import { appendableSearch } from "../../retrievers/appendable-search.js";
import { bm25 } from "../../retrievers/bm25.js";
import { dense } from "../../retrievers/dense.js";
import { countsOf } from "../../text/count.js";
import { pySplit } from "../../text/python.js";
import type { Embedder, Event, Random, SelectorContext } from "../../types/index.js";
import { type Projection, projected } from "./principal.js";

/** Features of an event for a query that need no trained model, in the order of `EventCase.baseFeatures`. */
export const baseFeatureNames = [
  "cosine",
  "bm25",
  "recency",
  "length",
  "label-share",
  "label-prior",
  "same-words",
] as const;

/** Names of the scores of a product of vectors: `product-1`, ... */
export const productNames = (count: number): string[] => Array.from({ length: count }, (_, i) => `product-${i + 1}`);

/** The features of an event for a query. */
export interface EventCase {
  readonly baseFeatures: readonly number[];
  /** The vectors of query and event, multiplied number by number. */
  readonly product: Float32Array;
}

/** The cases of all events of a history for one query, in the order of the history. */
interface EventCases {
  (query: string): Promise<readonly EventCase[]>;
  add(event: Event, kit: FeatureKit): Promise<void>;
}

interface FeatureKit {
  readonly embedder: Embedder;
  readonly random: Random;
}

/** The frequency of each label in the histories of the training users. */
export type Priors = Readonly<Record<string, number>>;

/** Opens the cases of a history (METHODS 9.4). */
export async function openCases(
  history: readonly Event[],
  priors: Priors,
  { document, tokenize }: Pick<SelectorContext, "document" | "tokenize">,
  { embedder, random }: FeatureKit,
): Promise<EventCases> {
  const events = [...history];
  const vectorsOf = (of: readonly Event[]) => embedder.embed(of.map((event) => document(event).text));
  const vectors = [...(await vectorsOf(events))];
  const kitOf = (given: FeatureKit) => ({ tokenize, ...given });
  const searches = await Promise.all(
    [dense, bm25].map((retriever) => appendableSearch(retriever, events, document, kitOf({ embedder, random }))),
  );
  const cases: EventCases = async (query) => {
    const [cosine, lexical] = await Promise.all(
      searches.map(
        async (search) => new Map((await search(query, events.length)).map(({ item, score }) => [item, score])),
      ),
    );
    const [queryVector] = await embedder.embed([query]);
    const most = Math.max(1e-9, ...lexical!.values());
    const wanted = new Set(words(query));
    const labels = countsOf(events.flatMap(({ label }) => label ?? []));
    return events.map((event, at) => {
      const eventWords = words(document(event).text);
      const { label } = event;
      const baseFeatures = [
        cosine!.get(event) ?? 0,
        (lexical!.get(event) ?? 0) / most,
        (at + 1) / events.length,
        Math.log(1 + eventWords.length),
        label === undefined ? 0 : (labels.get(label) ?? 0) / events.length,
        label === undefined ? 0 : (priors[label] ?? 0),
        wanted.size === 0 ? 0 : new Set(eventWords.filter((word) => wanted.has(word))).size / wanted.size,
      ];
      return { baseFeatures, product: vectors[at]!.map((value, i) => value * queryVector![i]!) };
    });
  };
  cases.add = async (event, kit) => {
    events.push(event);
    vectors.push(...(await vectorsOf([event])));
    for (const search of searches) await search.add(event, kitOf(kit));
  };
  return cases;
}

/** Returns the features of a case, in the order of the weights. */
export const featuresOf = ({ baseFeatures, product }: EventCase, projection: Projection): number[] => [
  ...baseFeatures,
  ...projected(product, projection),
];

/** The shares of a task's labels in histories; none where the labels are no fixed set. */
export function labelPriors(pasts: Iterable<readonly Event[]>, labels: readonly string[]): Priors {
  const counts = new Map(labels.map((label) => [label, 0]));
  let sum = 0;
  for (const past of pasts)
    for (const { label } of past) {
      const count = label === undefined ? undefined : counts.get(label);
      if (label === undefined || count === undefined) continue;
      counts.set(label, count + 1);
      sum += 1;
    }
  return Object.fromEntries([...counts].filter(([, count]) => count > 0).map(([label, count]) => [label, count / sum]));
}

const words = (text: string): string[] => pySplit(text.toLowerCase());
