import type { Event, Kit, Selecting, SelectorUse } from "../../types.js";
import { askLists } from "../ask-list.js";
import { retrieverSelector } from "../of-retriever.js";
import type { RumsOptions } from "./options.js";

/** Newest events that a model is shown (papers/002: 50 items; as `select.listed` of other selectors). */
const POOL = 50;

/**
 * Narrows a past to the candidates that are scored, best first. By a model (papers/002, Prompt 7, in our words): one item or
 * more; a list that cannot be read leaves the newest.
 */
export async function openFilter(
  history: readonly Event[],
  options: RumsOptions,
  use: SelectorUse,
  unitKit: Kit,
): Promise<Selecting> {
  const { "rums.filter": filter, "rums.filterItems": most } = options;
  if (!filter.word) return retrieverSelector(filter.thing).open(history, {}, use, unitKit);
  const known = [...history];
  const filtering: Selecting = async ({ question }, kit) => {
    const pool = known.slice(-POOL);
    if (pool.length <= 1) return { chosen: pool.map((event) => ({ event, reason: "the only one" })) };
    const lists = await askLists(
      {
        question: question.text,
        items: pool.map((event) => kit.task.show(event)),
        instruction: `Which of these might matter for answering this user? Choose at least 1 and at most ${most}. Answer with JSON only: {"chosen": [numbers]}`,
      },
      kit,
    );
    const [numbers = []] = lists ?? [];
    const events = numbers.map((at) => pool[at]!);
    const chosen = events.length === 0 ? pool.slice(-most).reverse() : events.slice(0, most);
    return { chosen: chosen.map((event) => ({ event, reason: "named by the model" })) };
  };
  filtering.add = async (event) => void known.push(event);
  return filtering;
}
