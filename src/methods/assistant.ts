import { factMemory, selectedFacts } from "../memory/fact-memory.js";
import { selectionCalls, sharedSelectionCalls } from "../selectors/open.js";
import type { Answerer, Method } from "../types/index.js";
import { answer } from "./answer.js";
import { type AssistantOptions, assistantOptions } from "./assistant/options.js";
import { assistantSystem, extracted, factsOf, type Line, linesOf } from "./assistant/prompts.js";

export const assistant: Method<typeof assistantOptions> = {
  name: "assistant",
  summary: "facts about the user, found again by their vectors",
  source:
    "the assistant paper; AliMohammadiiii/Personalized-LLM-with-Long-Term-Memory at f9850b3 read for constants; METHODS 11",
  options: assistantOptions,
  embeds: ({ select }) => select === undefined || undefined,
  async personalize(user, options, unitKit) {
    const { select } = options;
    const memory =
      select === undefined
        ? factMemory(RELEASED_SEARCH, unitKit.embedder, unitKit.random("memory"))
        : await selectedFacts(select, options, unitKit);
    const lines: Line[] = [];
    await memory.add(await factsOf(user, options, unitKit));
    const answerer: Answerer = async (question, kit) => {
      const recalled = await memory.recall(question.content, options["assistant.k"], { question, kit });
      if (memory.facts.length === 0) kit.count("fallback=no-memory");
      kit.note({ kind: "facts", data: { recalled, known: memory.facts.length, search: memory.searchKind } });
      const system = assistantSystem(recalled, shownOf(lines, options));
      return answer(kit, question.text, kit.task.dialogue === true ? system : `${system}\n\n${DIRECT}`);
    };
    answerer.learn = async (event, kit) => {
      await memory.add(await factsOf({ id: user.id, history: [event] }, options, kit), kit);
    };
    answerer.observe = async (turn, asked, kit) => {
      lines.push(...linesOf(turn));
      if (!asked && options["assistant.remember"] === "asked") return;
      const fact = await extracted(turn.said, kit);
      const isNew = fact !== undefined && (await memory.add([fact], kit)) > 0;
      kit.note({ kind: "fact", data: { said: turn.said, fact: fact ?? null, isNew, known: memory.facts.length } });
    };
    return answerer;
  },
  plan: (options) => {
    const extractions = (events: number) =>
      options["assistant.extract"] === "llm" && events > 0 ? { update: { low: events, high: events } } : {};
    return {
      perUnit: (history) => extractions(history.length),
      perQuestion: () => ({ ...selectionCalls(options.select, options), answer: { low: 1, high: 1 } }),
      perCell: () => sharedSelectionCalls(options.select, options),
      perLearned: () => extractions(1),
      perObserved: (asked) => (asked || options["assistant.remember"] === "all" ? { update: { low: 1, high: 1 } } : {}),
    };
  },
};

const DIRECT = "Give only the answer, in exactly the form the question asks for.";

/** The release's index: exact up to 1024 facts, then 100 lists of which a search reads 20; 25 rounds of k-means (METHODS 11). */
const RELEASED_SEARCH = { exactUpTo: 1024, lists: 100, probes: 20, iterations: 25 };

/** The lines of the dialogue that stand in the prompt. */
function shownOf(lines: readonly Line[], { "assistant.history": { kind, count } }: AssistantOptions): readonly Line[] {
  if (kind === "none") return [];
  return kind === "full" ? lines : lines.slice(-count);
}
