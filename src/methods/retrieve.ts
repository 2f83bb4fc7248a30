import { growingSearch } from "../retrievers/growing-search.js";
import type { Event, Kit, PromptStyle, Question, Retriever } from "../types.js";

/** What a question brings back of a history. */
interface Recall {
  /** The best `k` events, best first; fewer only where the history is shorter. */
  (question: Question, k: number): Promise<readonly Event[]>;
  /** Lets one more event in, behind the others. */
  add(event: Event, kit: Kit): Promise<void>;
}

/** Indexes a history once, with the documents, queries and tokens of a prompt style. An empty history recalls nothing. */
export async function indexHistory(
  history: readonly Event[],
  retriever: Retriever,
  style: PromptStyle,
  kit: Kit,
): Promise<Recall> {
  const kitOf = ({ embedder, random }: Kit) => ({ tokenize: style.tokenize, embedder, random: random("retrieve") });
  const documentOf = (event: Event) => ({
    text: style.document(event),
    ...(event.date === undefined ? {} : { date: event.date }),
  });
  const search = await growingSearch(retriever, history, documentOf, kitOf(kit));
  const recall: Recall = async (question, k) => {
    const hits = k === 0 ? [] : await search(style.query(question), k);
    return hits.map(({ item }) => item);
  };
  recall.add = (event, laterKit) => search.add(event, kitOf(laterKit));
  return recall;
}
