import { openSelecting } from "../selectors/open.js";
import { plainPrompt } from "../selectors/plain-prompt.js";
import type { ChosenSelector } from "../selectors/select-option.js";
import { pySplit } from "../text/python.js";
import type { Event, Kit, Options, OptionTable } from "../types.js";
import type { AskedFor } from "./episodic.js";
import type { FactMemory } from "./fact-memory.js";

/** A memory of facts out of which the selector that a run names chooses, in the place of their vectors. No sentence is held twice. */
export async function selectedFacts(
  select: ChosenSelector,
  options: Options<OptionTable>,
  unitKit: Kit,
): Promise<FactMemory> {
  const facts: string[] = [];
  const known = new Set<string>();
  const use = { document: ({ document }: Event) => ({ text: document }), tokenize: pySplit, stream: "facts" };
  const selecting = await openSelecting(select, [], options, use, unitKit);
  return {
    facts,
    searchKind: "selector",
    async add(given, kit = unitKit) {
      const fresh = [...new Set(given)].filter((fact) => !known.has(fact));
      for (const fact of fresh) {
        known.add(fact);
        facts.push(fact);
        await selecting.add(eventOf(fact, facts.length), kit);
      }
      return fresh.length;
    },
    async recall(query, k, asked?: AskedFor) {
      if (facts.length === 0) return [];
      if (asked === undefined) throw new Error("a selector is asked without a question");
      const { question, kit } = asked;
      const { chosen } = await selecting({ question, query, k, prompt: plainPrompt(kit.task, question) }, kit);
      return chosen.map(({ event }) => event.content);
    },
  };
}

/** A fact in the form of an event; its number is its id. */
function eventOf(fact: string, number: number): Event {
  const id = `fact ${number}`;
  return { id, fields: { id, text: fact }, content: fact, document: fact };
}
