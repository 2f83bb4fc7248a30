import { defined } from "../text/json.js";
import { pySplit } from "../text/python.js";
import type {
  CallRange,
  Event,
  Kit,
  Question,
  Retriever,
  SelectedItem,
  SelectionResult,
  SelectorContext,
} from "../types/index.js";
import { retrieverSelector } from "./of-retriever.js";
import type { SelectorChoice } from "./select-option.js";

/** Options of a method that takes a selector, with those of the selector in them. */
export type WithSelector = Readonly<Record<string, unknown>> & { readonly select?: SelectorChoice | undefined };

/** The question that something is recalled for, and its kit. */
export interface RecallContext {
  readonly question: Question;
  readonly kit: Kit;
}

/** A search over history events, which may become more. */
export interface EventSearch {
  (query: string, k: number, context: RecallContext): Promise<readonly SelectedItem[]>;
  add(event: Event, kit: Kit): Promise<void>;
}

interface SearchContext extends Partial<Pick<SelectorContext, "document" | "tokenize">> {
  /** The host's own retrieval: searches where the options name no selector. */
  readonly own?: Retriever;
  /** Names what is searched: label of its random stream. */
  readonly stream: string;
  /** Builds the prompt with these events. Default: their lines in front of the question. */
  readonly prompt?: (question: Question, events: readonly Event[], kit: Kit) => string;
}

/** Opens a search by the selector that the options name, else by the host's own retriever. */
export async function openSearch(
  history: readonly Event[],
  { own, document = documentOf, tokenize = pySplit, stream, prompt = plainPrompt }: SearchContext,
  options: WithSelector,
  unitKit: Kit,
): Promise<EventSearch> {
  const { selector, argument } = options.select ?? { selector: own && retrieverSelector(own) };
  if (selector === undefined) throw new Error("neither a selector nor a retriever is given");
  const use = { document, tokenize, stream, ...defined({ argument }) };
  const selecting = await selector.open(history, options.select === undefined ? {} : options, use, unitKit);
  const search = async (query: string, k: number, { question, kit }: RecallContext) => {
    const promptWith = (events: readonly Event[]): string => prompt(question, events, kit);
    const selection = await selecting({ question, query, k, prompt: promptWith }, kit);
    if (options.select !== undefined) noteSelection(options.select.selector.name, query, selection, kit);
    return selection.chosen;
  };
  return Object.assign(search, { add: selecting.add });
}

/** Notes what was chosen, or why nothing; counts that nothing was. */
function noteSelection(selector: string, query: string, { chosen, abstained }: SelectionResult, kit: Kit): void {
  if (abstained !== undefined) kit.count("select-abstained");
  kit.note({
    kind: "selection",
    data: {
      selector,
      query,
      chosen: chosen.map(({ event, ...why }) => ({ event: event.id, ...why })),
      ...(abstained === undefined ? {} : { abstained }),
    },
  });
}

/** Tells whether the selector that the options name asks the run's embedder. */
export const selectorEmbeds = (options: WithSelector): boolean => options.select?.selector.embeds?.(options) ?? false;

/** Plans the calls of so many selections, by the selector that the options name; none where they name none. */
export function selectionCalls(options: WithSelector, times = 1): CallRange {
  const range = Object.entries(options.select?.selector.plan?.(options) ?? {});
  const isOptional = times > 1; // an agent may ask for none
  return Object.fromEntries(
    range.map(([phase, { low, high }]) => [phase, { low: isOptional ? 0 : low, high: high * times }]),
  );
}

/** Plans the calls that all users of an arm share. */
export const sharedSelectionCalls = (options: WithSelector): CallRange =>
  options.select?.selector.planArm?.(options) ?? {};

/** A question behind the lines of history events, for hosts that have no official prompt of their own. */
function plainPrompt(question: Question, events: readonly Event[], { task }: Kit): string {
  if (events.length === 0) return question.text;
  return `What this user did before:\n${events.map((event) => task.formatEvent(event)).join("\n")}\n\n${question.text}`;
}

/** Returns the retrieval document of an event. */
const documentOf: SelectorContext["document"] = ({ document, date }) => ({
  text: document,
  ...(date === undefined ? {} : { date }),
});
