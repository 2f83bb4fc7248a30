import type { Event, Kit, PromptStyle, Question, Retriever } from "../types.js";

/** The best `k` events for a question, best first; fewer only where the history is shorter. */
export type Recall = (question: Question, k: number) => Promise<readonly Event[]>;

/** Indexes a history once, with the documents, queries and tokens of a prompt style. An empty history recalls nothing. */
export async function indexHistory(
  history: readonly Event[],
  retriever: Retriever,
  style: PromptStyle,
  kit: Kit,
): Promise<Recall> {
  if (history.length === 0) return async () => [];
  const documents = history.map((event) => ({
    text: style.document(event),
    ...(event.date === undefined ? {} : { date: event.date }),
  }));
  const search = await retriever.index(documents, {
    tokenize: style.tokenize,
    embedder: kit.embedder,
    random: kit.random("retrieve"),
  });
  return async (question, k) => {
    const hits = k === 0 ? [] : await search(style.query(question), k);
    return hits.map(({ index }) => eventAt(history, index));
  };
}

// --- internal ---

function eventAt(history: readonly Event[], index: number): Event {
  const event = history[index];
  if (event === undefined) throw new Error(`a retriever returned document ${index} of ${history.length}`);
  return event;
}
