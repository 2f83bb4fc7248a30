import type { Json, ModelRequest, ToolSpec } from "../../types.js";
import type { Prompt } from "./read-prompt.js";
import { typicalWords } from "./typical-words.js";
import { mostFrequent, termCounts } from "./words.js";

/** What decides on another tool call. */
interface Doubt {
  /** Probability of the leading answer. */
  readonly confidence: number;
  /** The leading answer. */
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

/** Names of the tools already called natively. */
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
