import { openSelecting } from "../selectors/open.js";
import { plainPrompt } from "../selectors/plain-prompt.js";
import type { ChosenSelector } from "../selectors/select-option.js";
import { pySplit } from "../text/python.js";
import type { Event, Kit, Options, OptionTable } from "../types.js";
import type { BankMemory, BankSearch } from "./memory-bank.js";

/** The recall of a memory bank by the selector that a run names. Summaries of buckets are chosen among as events are. */
export async function bankSelecting(
  select: ChosenSelector,
  memories: readonly BankMemory[],
  options: Options<OptionTable>,
  unitKit: Kit,
): Promise<BankSearch> {
  const places = new Map<string, number>();
  const eventOf = (memory: BankMemory): Event => {
    const event = memory.event ?? summaryEvent(memory);
    places.set(event.id, places.size);
    return event;
  };
  const use = {
    document: ({ document, date }: Event) => ({ text: document, ...(date === undefined ? {} : { date }) }),
    tokenize: pySplit,
    stream: "bank",
  };
  const selecting = await openSelecting(select, memories.map(eventOf), options, use, unitKit);
  const search: BankSearch = async (query, k, asked) => {
    if (asked === undefined) throw new Error("a selector is asked without a question");
    const { question, kit } = asked;
    const { chosen } = await selecting({ question, query, k, prompt: plainPrompt(kit.task, question) }, kit);
    return chosen.map(({ event, score }, rank) => ({ index: places.get(event.id)!, score: score ?? -rank })); // chosen among these
  };
  search.add = async (memory) => selecting.add(eventOf(memory), unitKit);
  return search;
}

/** A summary in the form of an event: it has no label. */
function summaryEvent({ bucket, text, date }: BankMemory): Event {
  const id = `summary of ${bucket}`;
  return { id, fields: { id }, content: text, document: text, ...(date === undefined ? {} : { date }) };
}
