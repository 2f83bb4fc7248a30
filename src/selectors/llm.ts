import { jsonIn } from "../text/json.js";
import type { Event, Kit, Question, Selector } from "../types/index.js";
import { openFromFunction } from "./always.js";

/**
 * Asks a model to choose among history events for a question: lists of their indexes, from 0, in the model's order. Asked once
 * more where the reply cannot be read, then undefined and counted as `select-unread`. Numbers that no event has are left out.
 */
export async function askLists(
  question: Question,
  events: readonly Event[],
  instruction: string,
  kit: Kit,
  examples?: string,
): Promise<readonly (readonly number[])[] | undefined> {
  const items = events.map(kit.task.nameForSelection ?? kit.task.formatEvent);
  const content = [
    ...(examples === undefined ? [] : [examples]),
    `The user asks:\n${question.text}`,
    `What is known of the user:\n${items.map((item, at) => `${at + 1}. ${item}`).join("\n")}`,
    instruction,
  ].join("\n\n");
  for (const draw of [0, 1]) {
    const { text } = await kit.ask("select", { messages: [{ role: "user", content }], maxTokens: LIST_TOKENS, draw });
    const lists = readLists(text, items.length);
    if (lists !== undefined) return lists;
  }
  kit.count("select-unread");
  return undefined;
}

/** Enough for ten subsets of ten numbers. */
const LIST_TOKENS = 512;

/** Reads `{"chosen": [1, 3]}` or `{"chosen": [[1], [1, 3]]}`; undefined where there is no such list. */
function readLists(text: string, count: number): number[][] | undefined {
  const [json] = /\{[^{}]*\}/.exec(text) ?? [];
  if (json === undefined) return undefined;
  const { chosen } = Object(jsonIn(json)) as { readonly chosen?: unknown };
  if (!Array.isArray(chosen)) return undefined;
  const known = (numbers: readonly unknown[]): number[] => [
    ...new Set(numbers.map((one) => Number(one) - 1).filter((at) => Number.isInteger(at) && at >= 0 && at < count)),
  ];
  if (chosen.some(Array.isArray)) return chosen.map((list) => known([list].flat()));
  return [known(chosen)];
}

/** RUMS, section 4.3: no more than five. */
const MAX_CHOSEN = 5;

/** RUMS, Prompt 6: one question that needs something of the user, one that needs nothing. The wording is ours. */
const EXAMPLES = [
  'Two examples.\nThe user asks:\nDo I need a coat today?\nWhat is known of the user:\n1. favourite sport\n2. home town\nAnswer: {"chosen": [2]}',
  'The user asks:\nWhich river flows through Vienna?\nWhat is known of the user:\n1. favourite sport\n2. home town\nAnswer: {"chosen": []}\n\nNow the one to answer.',
].join("\n\n");

/** Newest events that a model is shown when it chooses among them (RUMS: 50 items). */
export const MAX_LISTED = 50;

export const llmZero = llmSelector({
  name: "llm-zero",
  summary: "items chosen by the model, at most 5 or none",
  source: "RUMS, baseline GPT4-Zero (Prompt 5)",
});

export const llmFew = llmSelector({
  name: "llm-few",
  summary: "items chosen by the model after two examples: the strongest baseline of the paper",
  source: "RUMS, baseline GPT4-Few (Prompt 6)",
  examples: EXAMPLES,
});

/** RUMS, Prompt 4: two questions that gain from what is known of the user, two that do not. The wording is ours. */
const DECISION_EXAMPLES = [
  "Four examples.",
  'The user asks:\nWhat shall I cook tonight?\nAnswer: {"personal": true}',
  'The user asks:\nHelp me plan my weekend.\nAnswer: {"personal": true}',
  'The user asks:\nWhich river flows through Vienna?\nAnswer: {"personal": false}',
  'The user asks:\nWhat does a compiler do?\nAnswer: {"personal": false}',
  "Now the one to answer.",
].join("\n\n");

export const decideZero = decider({
  name: "decide-zero",
  summary: "the newest events where the model decides from the question alone that history helps",
  source: "RUMS, GPT-4 zero-shot of H1 (Prompt 3)",
});

export const decideFew = decider({
  name: "decide-few",
  summary: "the newest events where the model, after four examples, decides that history helps",
  source: "RUMS, GPT-4 few-shot of H1 (Prompt 4)",
  examples: DECISION_EXAMPLES,
});

function decider({
  examples,
  ...identity
}: Pick<Selector, "name" | "summary" | "source"> & { readonly examples?: string }): Selector {
  return {
    ...identity,
    options: {},
    open: async (history) =>
      openFromFunction(history, async (known, { question, k }, kit) => {
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
  ...identity
}: Pick<Selector, "name" | "summary" | "source"> & { readonly examples?: string }): Selector {
  return {
    ...identity,
    options: {},
    open: async (history) =>
      openFromFunction(history, async (known, { question, k }, kit) => {
        const most = Math.min(k, MAX_CHOSEN);
        const listed = known.slice(-MAX_LISTED);
        if (listed.length === 0 || most === 0) return { chosen: [], abstained: "there is no past to choose from" };
        const instruction = `Which of these would help to answer this user? Choose at most ${most}. Answer with JSON only: {"chosen": [numbers]}`;
        const lists = await askLists(question, listed, instruction, kit, examples);
        const numbers = (lists?.[0] ?? []).slice(0, most);
        const chosen = numbers.map((at) => ({ event: listed[at]!, reason: "named by the model" }));
        const why = lists === undefined ? "the model's list could not be read" : "the model names none";
        return { chosen, ...(chosen.length === 0 ? { abstained: why } : {}) };
      }),
    plan: () => ({ select: { low: 0, high: 2 } }), // a list that cannot be read is asked for once more
  };
}
