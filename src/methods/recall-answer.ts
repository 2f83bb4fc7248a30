import { UsageError } from "../errors.js";
import { choice, integer } from "../registry/options.js";
import { bm25 } from "../retrievers/bm25.js";
import { openSearch } from "../selectors/open.js";
import { selectOptions } from "../selectors/select-option.js";
import type {
  Answerer,
  Event,
  Kit,
  Options,
  OptionTable,
  PromptStyle,
  Question,
  TaskBrief,
  User,
} from "../types/index.js";
import { answer } from "./calls.js";

interface RecallSettings {
  /** Most events shown. */
  readonly k: number;
  /** Stands in front of the prompt. */
  readonly prefix?: string;
}

/**
 * Answers with the `k` best matching events of the user, or those that a selector chooses, in the official prompt. In prequential mode
 * what can be retrieved grows; the prefix stays.
 */
export async function recallAnswerer(
  { history }: User,
  { k, prefix = "" }: RecallSettings,
  options: RetrievalOptions,
  unitKit: Kit,
): Promise<Answerer> {
  const style = styleOf(unitKit.task, options);
  const prompt = (question: Question, events: readonly Event[]): string =>
    style.assemble(question, events, {
      ...{ prefix, maxTokens: options["rag.maxTokens"], itemText: options["rag.itemText"] },
    });
  const document = (event: Event) => ({
    text: style.document(event),
    ...(event.date === undefined ? {} : { date: event.date }),
  });
  const use = { own: bm25, stream: "retrieve", document, tokenize: style.tokenize, prompt };
  const search = await openSearch(history, use, options, unitKit);
  let known = history.length;
  const answerer: Answerer = async (question, kit) => {
    if (known === 0) kit.count("fallback=prompt");
    const events = (await search(style.query(question), k, { question, kit })).map(({ event }) => event);
    noteRetrieved(kit, events);
    return answer(kit, prompt(question, events));
  };
  answerer.learn = async (event, kit) => {
    known++;
    await search.add(event, kit);
  };
  return answerer;
}

/** Keeps which history events stand in the prompt. */
export const noteRetrieved = (kit: Kit, events: readonly Event[]): void =>
  kit.note({ kind: "retrieved", data: events.map(({ id }) => id) });

/** Options of every method that shows retrieved events in an official prompt (METHODS 3). Its own retrieval is BM25 (LaMP, OPPU). */
export const retrievalOptions = {
  "prompt.style": choice({
    default: "lamp",
    of: ["lamp", "oppu"],
    help: "official prompt strings: LaMP's in-prompt augmentation or OPPU's templates",
  }),
  "rag.maxTokens": integer({
    default: 0,
    help: "LaMP's prompt budget in whitespace words (some 1.3 tokens each), shared evenly by the items (official: 256 or 512 tokens); 0 = unlimited",
  }),
  "rag.itemText": choice({
    default: "raw",
    of: ["raw", "collapsed"],
    help: "whitespace of item texts in LaMP's prompt: as in the file, or runs of it as one space, as LaMP's T5 tokenizer makes them",
  }),
  ...selectOptions,
} satisfies OptionTable;

type RetrievalOptions = Options<typeof retrievalOptions>;

/** Returns the task's official strings of that style. Throws UsageError where the task has none. */
export function styleOf(task: TaskBrief, options: Pick<RetrievalOptions, "prompt.style">): PromptStyle {
  const name = options["prompt.style"];
  const style = task.styles[name];
  if (style !== undefined) return style;
  const known = Object.keys(task.styles).join(", ");
  throw new UsageError(
    `prompt.style=${name}: the task ${task.name} has ${known === "" ? "no style" : `only ${known}`}`,
  );
}
