import type { Json, ModelRequest, ToolSpec } from "../../../types/index.js";
import type { Prompt } from "./read-prompt.js";
import { mostFrequent, termCounts, typicalWords } from "./words.js";

/** What decides on another tool call. */
interface Doubt {
  /** Probability of the leading answer. */
  readonly confidence: number;
  readonly leading: string;
  readonly used: ReadonlySet<string>;
}

/** The tool to call next, if any: the user's own past first, then another one while unsure or when two are demanded. */
export function nextTool(tools: readonly ToolSpec[], prompt: Prompt, doubt: Doubt): ToolSpec | undefined {
  const left = tools.filter((tool) => !doubt.used.has(tool.name));
  const next = left.find(isMemory) ?? left[0];
  if (doubt.used.size === 0) return next;
  const demanded = /at least two|two (?:different )?tools|more than two|different tools|left out/i.test(
    `${prompt.system}\n${prompt.turn}`,
  );
  const unsure = doubt.confidence < sureEnough;
  return doubt.used.size === 1 && (demanded || unsure) ? next : undefined;
}

export function calledTools(request: ModelRequest): Set<string> {
  return new Set(
    request.messages.flatMap((message) =>
      message.role === "assistant" ? (message.toolCalls ?? []).map(({ name }) => name) : [],
    ),
  );
}

/** What to look for: the item's own words in one's memory, a plain topic name elsewhere. */
export function searchWords(tool: ToolSpec, prompt: Prompt, leading: string): string {
  const query = prompt.asked?.query ?? "";
  if (query === "")
    return /"([^"]+)"/.exec(prompt.turn)?.[1] ?? (mostFrequent(termCounts(prompt.turn), 3).join(" ") || "help");
  if (isMemory(tool)) return typicalWords([query], [query], 12).join(" ") || query.slice(0, 200);
  const topic = prompt.asked?.kind === "choice" ? leading : typicalWords([query], [query], 2).join(" ");
  return topic || query.slice(0, 100);
}

/** Arguments that fit a tool's JSON schema, with `text` wherever free text is wanted. */
export function fillArguments(tool: ToolSpec, text: string): Json {
  const properties = property(tool.parameters, "properties");
  if (!isObject(properties)) return { query: text };
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, fill(schema, text)]));
}

/** Above this probability of the leading answer no second tool is asked. */
const sureEnough = 0.6;

const isMemory = (tool: ToolSpec): boolean =>
  /memor|histor|past|interaction|previous|episod/i.test(`${tool.name} ${tool.description}`);

function fill(schema: Json, text: string): Json {
  const given = property(schema, "default");
  if (given !== undefined) return given;
  const choices = property(schema, "enum");
  if (Array.isArray(choices) && choices[0] !== undefined) return choices[0] as Json;
  const type = property(schema, "type");
  return typeof type === "string" ? (fillers[type]?.(text) ?? text) : text;
}

const fillers: Readonly<Record<string, (text: string) => Json>> = {
  integer: () => 4,
  number: () => 4,
  boolean: () => true,
  array: (text) => [text],
  object: () => ({}),
};

function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const property = (value: Json, name: string): Json | undefined => (isObject(value) ? value[name] : undefined);

/** Tools that a prompt describes for the text ReAct protocol (`name(arguments) - description`); none where it does not ask for it. */
export function describedTools(prompt: Prompt): ToolSpec[] {
  const text = `${prompt.system}\n${prompt.shown}`;
  if (!/^Action Input\s*:/m.test(text)) return [];
  return [...text.matchAll(/^([\w-]+)\(([^)\n]*)\)\s*[-:]\s*(.+)$/gm)].map((match) => ({
    name: match[1] ?? "",
    description: match[3] ?? "",
    parameters: { properties: Object.fromEntries(argumentsIn(match[2] ?? "").map((name) => [name, {}])) },
  }));
}

export function wantsFinalAnswer(prompt: Prompt): boolean {
  return /^Final Answer\s*:/m.test(`${prompt.system}\n${prompt.shown}`);
}

export function calledInText(prompt: Prompt): Set<string> {
  return new Set(
    [...prompt.transcript.matchAll(/^[^\S\n]*Action\s*:\s*(.+)$/gm)].map(([, name = ""]) => name.trimEnd()),
  );
}

export function mustFinish(prompt: Prompt): boolean {
  return /return (?:a|the|your) final answer|final answer now/i.test(`${prompt.turn.slice(-finalInstruction)}`);
}

export const actionText = (tool: string, input: string): string =>
  `I should look at what is known before I answer.\nAction: ${tool}\nAction Input: ${input}`;

export const finalText = (answer: string): string => `I now know the final answer\nFinal Answer: ${answer}`;

/** What an action hands to a tool: bare words, or of several arguments a JSON object, with the name of the user where one is wanted. */
export function actionInput(tool: ToolSpec, words: string, { system }: Prompt): string {
  const { properties = {} } = tool.parameters as { readonly properties?: object }; // as described above
  const names = Object.keys(properties);
  if (names.length < 2) return words;
  const user = /whose name is (\S+?)\.(?:\s|$)/.exec(system)?.[1] ?? words;
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, name.includes("name") ? user : words])));
}

/** `query, user_name` of `query: string, user_name: string`. */
const argumentsIn = (described: string): string[] =>
  described.split(",").flatMap((argument) => /^\s*(\w+)\s*:/.exec(argument)?.[1] ?? []);

/** Characters at the end of the turn where such an instruction stands. */
const finalInstruction = 300;
