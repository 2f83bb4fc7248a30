import type { Selector } from "../types/index.js";
import { askLists } from "./ask-list.js";
import { growing } from "./growing.js";

/** RUMS, section 4.3: no more than five. */
const MOST = 5;

/** RUMS, Prompt 6: one question that needs something of the user, one that needs nothing. The wording is ours. */
const EXAMPLES = [
  'Two examples.\nThe user asks:\nDo I need a coat today?\nWhat is known of the user:\n1. favourite sport\n2. home town\nAnswer: {"chosen": [2]}',
  'The user asks:\nWhich river flows through Vienna?\nWhat is known of the user:\n1. favourite sport\n2. home town\nAnswer: {"chosen": []}\n\nNow the one to answer.',
].join("\n\n");

/** Newest events that a model is shown when it chooses among them (RUMS: 50 items). */
export const LISTED = 50;

export const llmZero = llmSelector({
  name: "llm-zero",
  summary: "what the model names when it is asked what would help, at most 5 or nothing",
  source: "RUMS, baseline GPT4-Zero (Prompt 5)",
});

export const llmFew = llmSelector({
  name: "llm-few",
  summary: "what the model names behind two examples, one of which needs nothing: the strongest baseline of the paper",
  source: "RUMS, baseline GPT4-Few (Prompt 6)",
  examples: EXAMPLES,
});

/** RUMS, Prompt 4: two questions that gain from what is known of the user, two that do not. The wording is ours. */
const DECIDED = [
  "Four examples.",
  'The user asks:\nWhat shall I cook tonight?\nAnswer: {"personal": true}',
  'The user asks:\nHelp me plan my weekend.\nAnswer: {"personal": true}',
  'The user asks:\nWhich river flows through Vienna?\nAnswer: {"personal": false}',
  'The user asks:\nWhat does a compiler do?\nAnswer: {"personal": false}',
  "Now the one to answer.",
].join("\n\n");

export const decideZero = decider({
  name: "decide-zero",
  summary:
    "the newest events where the model, shown the question alone, says that it gains from what is known of its user",
  source: "RUMS, GPT-4 zero-shot of H1 (Prompt 3)",
});

export const decideFew = decider({
  name: "decide-few",
  summary: "the newest events where the model says so behind four examples",
  source: "RUMS, GPT-4 few-shot of H1 (Prompt 4)",
  examples: DECIDED,
});

function decider({
  examples,
  ...named
}: Pick<Selector, "name" | "summary" | "source"> & { readonly examples?: string }): Selector {
  return {
    ...named,
    options: {},
    open: async (history) =>
      growing(history, async (known, { question, k }, kit) => {
        const content = [
          ...(examples === undefined ? [] : [examples]),
          `The user asks:\n${question.text}`,
          'Would the answer be better with information about this user, or is it the same for everybody? Answer with JSON only: {"personal": true} or {"personal": false}',
        ].join("\n\n");
        const { text } = await kit.ask("select", { messages: [{ role: "user", content }], maxTokens: DECISION_TOKENS });
        const said = /"personal"\s*:\s*"?(true|false)/i.exec(text)?.[1]?.toLowerCase();
        if (said === undefined) kit.count("select-unread");
        if (said === "true")
          return {
            chosen: known
              .slice(-k)
              .reverse()
              .map((event) => ({ event, reason: "the question gains" })),
          };
        return { chosen: [], abstained: said === undefined ? "the decision could not be read" : "the model says no" };
      }),
    plan: () => ({ select: { low: 0, high: 1 } }),
  };
}

const DECISION_TOKENS = 64;

function llmSelector({
  examples,
  ...named
}: Pick<Selector, "name" | "summary" | "source"> & { readonly examples?: string }): Selector {
  return {
    ...named,
    options: {},
    open: async (history) =>
      growing(history, async (known, { question, k }, kit) => {
        const most = Math.min(k, MOST);
        const listed = known.slice(-LISTED);
        if (listed.length === 0 || most === 0) return { chosen: [], abstained: "there is no past to choose from" };
        const instruction = `Which of these would help to answer this user? Choose at most ${most}. Answer with JSON only: {"chosen": [numbers]}`;
        const items = listed.map(kit.task.listed ?? kit.task.show);
        const lists = await askLists(
          { question: question.text, items, instruction, ...(examples === undefined ? {} : { examples }) },
          kit,
        );
        const numbers = (lists?.[0] ?? []).slice(0, most);
        const chosen = numbers.map((at) => ({ event: listed[at]!, reason: "named by the model" }));
        const why = lists === undefined ? "the model's list could not be read" : "the model names none";
        return { chosen, ...(chosen.length === 0 ? { abstained: why } : {}) };
      }),
    plan: () => ({ select: { low: 0, high: 2 } }), // a list that cannot be read is asked for once more
  };
}
