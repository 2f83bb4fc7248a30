import { pySplit } from "../../text/python.js";
import type { AssembleSettings, Event, PromptStyle, Question, Tokenizer } from "../../types/index.js";
import { JOIN, type LampStrings } from "./lamp-strings.js";

/** LaMP's in-prompt augmentation. A `prefix` stands in front of it all, verbatim. */
export function lampStyle(
  strings: LampStrings,
  source = "LaMP-Benchmark/LaMP @38c9d4d, prompts/prompts.py (AIP)",
): PromptStyle {
  return {
    name: "lamp",
    source,
    document: (event) => event.document,
    query: (question) => question.query,
    tokenize: pySplit,
    assemble: (question, events, settings) => (settings.prefix ?? "") + augmented(strings, question, events, settings),
  };
}

/** The input's guaranteed share of the budget, and by how much it gives way when items do not fit. */
const FIRST_SHARE = 0.6;
const SHARE_STEP = 0.1;

function augmented(
  strings: LampStrings,
  question: Question,
  all: readonly Event[],
  settings: AssembleSettings,
): string {
  if (all.length === 0) return question.text; // the script divides by zero here and falls back to the input
  const part = strings.part ?? (({ content }) => content);
  const events = all.map((event) => ({ event, text: part(event) }));
  const { maxTokens, tokenizer } = settings;
  if (maxTokens === 0 || tokenizer === undefined)
    return placed(
      strings,
      question,
      events.map(({ event, text }) => strings.item(event, text)),
    );
  for (let share = FIRST_SHARE; share >= 0; share -= SHARE_STEP) {
    const inputTokens = Math.min(tokenizer.count(question.text), Math.trunc(share * maxTokens));
    const items = fitted(strings, events, maxTokens - inputTokens, tokenizer);
    if (items !== undefined) return placed(strings, question, items);
  }
  return question.text;
}

function placed(strings: LampStrings, question: Question, items: readonly string[]): string {
  return strings.insert(question.text, items.join(JOIN.text));
}

/** The items, their texts cut to equal shares plus what earlier items saved. Undefined where a share is below nothing. */
function fitted(
  strings: LampStrings,
  events: readonly { readonly event: Event; readonly text: string }[],
  budget: number,
  tokenizer: Tokenizer,
): string[] | undefined {
  const reserved = strings.reservedTokens?.(tokenizer) ?? 1;
  const share = Math.floor((budget - reserved - JOIN.tokens * (events.length - 1)) / events.length);
  const items: string[] = [];
  let saved = 0;
  for (const { event, text } of events) {
    const needed = strings.itemTokens?.(event, tokenizer) ?? tokenizer.count(strings.item(event, " "));
    const room = share + saved - needed;
    if (room < 0) return undefined;
    const cut = tokenizer.cut(text, room);
    saved += share - tokenizer.count(cut) - needed;
    items.push(strings.item(event, cut));
  }
  return items;
}
