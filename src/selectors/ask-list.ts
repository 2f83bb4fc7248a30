import { jsonIn } from "../text/json.js";
import type { AskRequest, Kit } from "../types/index.js";

/** What a model is asked to choose among. */
interface ListRequest {
  /** The question that the chosen items are to help with. */
  readonly question: string;
  readonly items: readonly string[];
  /** What to answer, after the list. */
  readonly instruction: string;
  readonly examples?: string;
}

/**
 * A list of lists of item numbers, from 0, as the model names them; asked once more where its reply cannot be read, then
 * undefined and counted as `select-unread`. Numbers that no item has are left out.
 */
export async function askLists(request: ListRequest, kit: Kit): Promise<readonly (readonly number[])[] | undefined> {
  for (const draw of [0, 1]) {
    const { text } = await kit.ask("select", askOf(request, draw));
    const lists = readLists(text, request.items.length);
    if (lists !== undefined) return lists;
  }
  kit.count("select-unread");
  return undefined;
}

/** Heads the list; `src/models/offline/judge.ts` knows such a request by it. */
const KNOWN_HEADING = "What is known of the user:";

/** Enough for ten subsets of ten numbers. */
const LIST_TOKENS = 512;

function askOf({ question, items, instruction, examples }: ListRequest, draw: number): AskRequest {
  const content = [
    ...(examples === undefined ? [] : [examples]),
    `The user asks:\n${question}`,
    `${KNOWN_HEADING}\n${items.map((item, at) => `${at + 1}. ${item}`).join("\n")}`,
    instruction,
  ].join("\n\n");
  return { messages: [{ role: "user", content }], maxTokens: LIST_TOKENS, draw };
}

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
