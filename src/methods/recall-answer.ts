import { UsageError } from "../errors.js";
import { choice, integer, thing } from "../registry/options.js";
import { growingSearch } from "../retrievers/growing-search.js";
import { retrievers } from "../retrievers/index.js";
import { openSelecting } from "../selectors/open.js";
import { selectOptions } from "../selectors/select-option.js";
import { tokenizers } from "../text/tokenizers/index.js";
import type {
  Answerer,
  AssembleSettings,
  Event,
  Kit,
  Option,
  Options,
  OptionTable,
  PromptStyle,
  Question,
  Retriever,
  TaskBrief,
  User,
} from "../types/index.js";
import { answer } from "./answer.js";

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
    noteRetrieved(kit, events);
    return answer(kit, prompt(question, events));
  };
  answerer.learn = async (event, kit) => {
    known++;
    await recall.add(event, kit);
  };
  return answerer;
}

/** Keeps which past events stand in the prompt. */
export const noteRetrieved = (kit: Kit, events: readonly Event[]): void =>
  kit.note({ kind: "retrieved", data: events.map(({ id }) => id) });

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

/** A temperature, or `run`: that of the run (undefined). */
export function runTemperature(help: string): Option<number | undefined> {
  const accepts = "run, or a number from 0 to 2";
  const read = (name: string, value: string | number | boolean): number | undefined => {
    if (value === "run") return undefined;
    const degrees = typeof value === "string" && value.trim() === "" ? Number.NaN : Number(value);
    if (typeof value === "boolean" || !(degrees >= 0 && degrees <= 2))
      throw new UsageError(`${name}=${value}: expected ${accepts}`);
    return degrees;
  };
  return { default: "run", help, accepts, read, canonical: (name, value) => read(name, value) ?? "run" };
}

/** Knobs of every method that shows retrieved events in an official prompt (METHODS 3). */
export const retrievalOptions = {
  "rag.retriever": thing({
    default: "bm25",
    of: () => retrievers,
    help: "ranks the user's events for a question; bm25 is LaMP's and OPPU's own default",
  }),
  "prompt.style": choice({
    default: "lamp",
    of: ["lamp", "oppu"],
    help: "official prompt strings: LaMP's in-prompt augmentation or OPPU's templates",
  }),
  "rag.maxTokens": integer({
    default: 0,
    help: "LaMP's prompt budget in tokens, shared evenly by the items (official: 256 or 512); 0 = unlimited",
  }),
  "rag.tokenizer": thing({ default: "words", of: () => tokenizers, help: "counts the tokens of rag.maxTokens" }),
  ...selectOptions,
} satisfies OptionTable;

export type RetrievalOptions = Options<typeof retrievalOptions>;

/** The task's official strings of that style. Throws UsageError where the task has none. */
export function styleOf(task: TaskBrief, options: Pick<RetrievalOptions, "prompt.style">): PromptStyle {
  const name = options["prompt.style"];
  const style = task.styles[name];
  if (style !== undefined) return style;
  const known = Object.keys(task.styles).join(", ");
  throw new UsageError(
    `prompt.style=${name}: the task ${task.name} has ${known === "" ? "no style" : `only ${known}`}`,
  );
}

/** The knobs as a prompt style takes them. */
function assembleSettings(options: RetrievalOptions, prefix = ""): AssembleSettings {
  return {
    prefix,
    maxTokens: options["rag.maxTokens"],
    tokenizer: options["rag.tokenizer"],
  };
}
