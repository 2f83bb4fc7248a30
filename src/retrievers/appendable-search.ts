import type { Retriever, RetrieverDocument, RetrieverKit, Search } from "../types/index.js";

/** A search over items to which more can be added, as in prequential mode. */
interface AppendableSearch<T> {
  /** The best `k`, best first; fewer only where there are fewer. An empty search does not call the retriever. */
  (query: string, k: number): Promise<readonly { readonly item: T; readonly score: number }[]>;
  /**
   * Adds an item without reading the others again where the retriever can. Hits are those of a search
   * opened over all of them with this kit. On failure the item is indexed with the next successful add.
   */
  add(item: T, kit: RetrieverKit): Promise<void>;
}

/** Opens a search over `items`, each searched by what `document` makes of it. */
export async function appendableSearch<T>(
  retriever: Retriever,
  items: readonly T[],
  document: (item: T) => RetrieverDocument,
  kit: RetrieverKit,
): Promise<AppendableSearch<T>> {
  const all = [...items];
  let search: Search | undefined;
  let indexed = 0;
  const indexAll = async (withKit: RetrieverKit): Promise<void> => {
    const count = all.length;
    search = await retriever.index(all.map(document), withKit);
    indexed = count;
  };
  if (all.length > 0) await indexAll(kit);

  const growing: AppendableSearch<T> = async (query, k) => {
    const hits = search === undefined ? [] : await search(query, k);
    return hits.map(({ index, score }) => {
      if (!(index in all)) throw new Error(`a retriever returned document ${index} of ${all.length}`);
      return { item: all[index]!, score };
    });
  };
  growing.add = async (item, laterKit) => {
    all.push(item);
    if (search?.add === undefined) return indexAll(laterKit);
    for (; indexed < all.length; indexed++) await search.add(document(all[indexed]!), laterKit);
  };
  return growing;
}
