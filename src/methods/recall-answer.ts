import { growingSearch } from "../retrievers/growing-search.js";
import { openSelecting } from "../selectors/open.js";
import type { Answerer, Event, Kit, PromptStyle, Question, Retriever, User } from "../types.js";
import { answer } from "./answer.js";
import { assembleSettings, type RetrievalOptions, styleOf } from "./retrieval-options.js";

interface RecallSettings {
  /** Most events shown. */
  readonly k: number;
  /** Stands in front of the prompt. */
  readonly prefix?: string;
}

/**
 * Answers with the `k` best matching events of the user, or those that a selector chooses, in the official prompt, behind
 * `prefix` where one is given. In prequential mode what can be retrieved grows; the prefix stays.
 */
export async function recallAnswerer(
  user: User,
  { k, prefix = "" }: RecallSettings,
  options: RetrievalOptions,
  unitKit: Kit,
): Promise<Answerer> {
  const style = styleOf(unitKit.task, options);
  const settings = assembleSettings(options, prefix);
  const prompt = (question: Question, events: readonly Event[]): string => style.assemble(question, events, settings);
  let known = user.history.length;
  const recall = await openRecall(user.history, { style, prompt }, options, unitKit);
  const answerer: Answerer = async (question, kit) => {
    if (known === 0) kit.count("fallback=prompt");
    const events = await recall(question, k, kit);
    kit.note({ kind: "retrieved", data: events.map(({ id }) => id) });
    return answer(kit, prompt(question, events));
  };
  answerer.learn = async (event, kit) => {
    known++;
    await recall.add(event, kit);
  };
  return answerer;
}

interface Recalled {
  (question: Question, k: number, kit: Kit): Promise<readonly Event[]>;
  add(event: Event, kit: Kit): Promise<void>;
}

async function openRecall(
  history: readonly Event[],
  {
    style,
    prompt,
  }: { readonly style: PromptStyle; readonly prompt: (question: Question, events: readonly Event[]) => string },
  options: RetrievalOptions,
  unitKit: Kit,
): Promise<Recalled> {
  const { select } = options;
  if (select === undefined) return indexHistory(history, options["rag.retriever"], style, unitKit);
  const document = (event: Event) => ({
    text: style.document(event),
    ...(event.date === undefined ? {} : { date: event.date }),
  });
  const use = { document, tokenize: style.tokenize, stream: "retrieve" };
  const selecting = await openSelecting(select, history, options, use, unitKit);
  const recalled: Recalled = async (question, k, kit) => {
    const ask = {
      question,
      query: style.query(question),
      k,
      prompt: (events: readonly Event[]) => prompt(question, events),
    };
    return (await selecting(ask, kit)).chosen.map(({ event }) => event);
  };
  recalled.add = (event, kit) => selecting.add(event, kit);
  return recalled;
}

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
