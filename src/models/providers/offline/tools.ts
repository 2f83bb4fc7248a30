import type { Json, ModelRequest, ToolSpec } from "../../../types/index.js";
import type { Prompt } from "./read-prompt.js";
import { mostFrequent, termCounts, typicalWords } from "./words.js";

/** Above this probability of the leading answer no second tool is asked. */
const SURE_ENOUGH = 0.6;
/** Characters at the end of the turn where the last instruction stands. */
const LAST_INSTRUCTION = 300;

/** What decides on another tool call. */
interface Doubt {
  /** Probability of the leading answer. */
  readonly confidence: number;
  readonly used: ReadonlySet<string>;
}

/** Returns the tool to call next, if any: the user's own past first, then another one while unsure or when two are demanded. */
export function nextTool(tools: readonly ToolSpec[], prompt: Prompt, doubt: Doubt): ToolSpec | undefined {
  const left = tools.filter((tool) => !doubt.used.has(tool.name));
  const next = left.find(isMemory) ?? left[0];
  if (doubt.used.size === 0) return next;
  const isDemanded = /at least two|two (?:different )?tools|more than two|different tools|left out/i.test(
    `${prompt.system}\n${prompt.turn}`,
  );
  return doubt.used.size === 1 && (isDemanded || doubt.confidence < SURE_ENOUGH) ? next : undefined;
}

const isMemory = (tool: ToolSpec): boolean =>
  /memor|histor|past|interaction|previous|episod/i.test(`${tool.name} ${tool.description}`);

export const calledTools = ({ messages }: ModelRequest): Set<string> =>
  new Set(
    messages.flatMap((message) =>
      message.role === "assistant" ? (message.toolCalls ?? []).map(({ name }) => name) : [],
    ),
  );

/** Returns what to look for: the item's own words in one's memory, a plain topic name elsewhere. */
export function searchWords(tool: ToolSpec, { asked, turn }: Prompt, leading: string): string {
  if (asked === undefined)
    return /"([^"]+)"/.exec(turn)?.[1] ?? (mostFrequent(termCounts(turn), 3).join(" ") || "help");
  const { query, kind } = asked;
  if (isMemory(tool)) return typicalWords([query], [query], 12).join(" ") || query.slice(0, 200);
  const topic = kind === "choice" ? leading : typicalWords([query], [query], 2).join(" ");
  return topic || query.slice(0, 100);
}

/** Returns arguments that fit a tool's JSON schema, with `text` wherever free text is wanted. */
export function fillArguments(tool: ToolSpec, text: string): Json {
  const { properties } = fieldsOf(tool.parameters);
  if (properties === undefined) return { query: text };
  return Object.fromEntries(Object.entries(fieldsOf(properties)).map(([name, schema]) => [name, fill(schema, text)]));
}

function fill(schema: Json, text: string): Json {
  const { default: given, enum: choices, type } = fieldsOf(schema);
  if (given !== undefined) return given;
  if (Array.isArray(choices)) return (choices as readonly Json[])[0] ?? text;
  return fillers[String(type)]?.(text) ?? text;
}

const fillers: Readonly<Record<string, (text: string) => Json>> = {
  integer: () => 4,
  number: () => 4,
  boolean: () => true,
  array: (text) => [text],
  object: () => ({}),
};

const fieldsOf = (value: Json): { readonly [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as { readonly [key: string]: Json })
    : {};

/** Returns the tools that a prompt describes for the text ReAct protocol (`name(arguments) - description`); none where it does not ask for it. */
export function describedTools(prompt: Prompt): ToolSpec[] {
  const text = `${prompt.system}\n${prompt.shown}`;
  if (!/^Action Input\s*:/m.test(text)) return [];
  return [...text.matchAll(/^([\w-]+)\(([^)\n]*)\)\s*[-:]\s*(.+)$/gm)].map(
    ([, name = "", described = "", description = ""]) => {
      const names = described.split(",").flatMap((argument) => /^\s*(\w+)\s*:/.exec(argument)?.[1] ?? []);
      return { name, description, parameters: { properties: Object.fromEntries(names.map((one) => [one, {}])) } };
    },
  );
}

export const wantsFinalAnswer = (prompt: Prompt): boolean =>
  /^Final Answer\s*:/m.test(`${prompt.system}\n${prompt.shown}`);

export const calledInText = ({ transcript }: Prompt): Set<string> =>
  new Set([...transcript.matchAll(/^[^\S\n]*Action\s*:\s*(.+)$/gm)].map(([, name = ""]) => name.trimEnd()));

export const mustFinish = ({ turn }: Prompt): boolean =>
  /return (?:a|the|your) final answer|final answer now/i.test(turn.slice(-LAST_INSTRUCTION));

export const actionText = (tool: string, input: string): string =>
  `I should look at what is known before I answer.\nAction: ${tool}\nAction Input: ${input}`;

export const finalText = (answer: string): string => `I now know the final answer\nFinal Answer: ${answer}`;

/** Returns what an action hands to a tool: bare words, or of several arguments a JSON object, with the name of the user where one is wanted. */
export function actionInput(tool: ToolSpec, words: string, { system }: Prompt): string {
  const names = Object.keys(fieldsOf(fieldsOf(tool.parameters).properties ?? {}));
  if (names.length < 2) return words;
  const user = /whose name is (\S+?)\.(?:\s|$)/.exec(system)?.[1] ?? words;
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, name.includes("name") ? user : words])));
}
