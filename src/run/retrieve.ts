import { bm25 } from "../retrievers/bm25.js";
import { growingSearch } from "../retrievers/growing-search.js";
import type { Event, Kit, Question, RetrieverKit, TaskBrief } from "../types/index.js";

/** Ranks a user's history by BM25, with the documents, queries and tokens of LaMP where the task has them. It is indexed once, when first asked. */
export function retrieveIn(
  history: readonly Event[],
  { styles: { lamp }, show }: TaskBrief,
  kit: Pick<RetrieverKit, "embedder" | "random">,
): Kit["retrieve"] {
  const textOf = (query: Question | string): string =>
    typeof query === "string" ? query : (lamp?.query(query) ?? query.content);
  const tokenize = lamp?.tokenize ?? ((text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
  const document = (event: Event) => ({ text: lamp?.document(event) ?? show(event) });
  let search: ReturnType<typeof growingSearch<Event>> | undefined;
  return async (query, k) => {
    search ??= growingSearch(bm25, history, document, { ...kit, tokenize });
    const hits = k === 0 ? [] : await (await search)(textOf(query), k);
    return hits.map(({ item }) => item);
  };
}
