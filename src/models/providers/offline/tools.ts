import { contentId } from "../../../text/content-id.js";
import type { Json, ModelRequest, ToolCall, ToolSpec } from "../../../types/index.js";
import { fieldsOf } from "../../wire/reply.js";
import type { Prompt } from "./prompt.js";
import { mostFrequent, termCounts, typicalWords } from "./words.js";

/** Above this probability of the leading answer no second tool is asked. */
const SURE_ENOUGH = 0.6;
/** Characters at the end of the turn where the last instruction stands. */
const LAST_INSTRUCTION = 300;

/** The question to be answered, as far as it is known. */
interface Leading {
  readonly answer: string;
  /** Its probability. */
  readonly confidence: number;
}

/** Returns the call of the text ReAct protocol to write next; undefined where it is not asked for, or nothing is left to call. */
export function textAction(prompt: Prompt, leading: Leading): string | undefined {
  if (/return (?:a|the|your) final answer|final answer now/i.test(prompt.turn.slice(-LAST_INSTRUCTION)))
    return undefined;
  const called = prompt.transcript.matchAll(/^[^\S\n]*Action\s*:\s*(.+)$/gm);
  const used = new Set([...called].map(([, name = ""]) => name.trimEnd()));
  const tool = nextTool(describedTools(prompt), prompt, { ...leading, used });
  if (tool === undefined) return undefined;
  const words = searchWords(tool, prompt, leading.answer);
  const names = Object.keys(fieldsOf(fieldsOf(tool.parameters).properties));
  const user = /whose name is (\S+?)\.(?:\s|$)/.exec(prompt.system)?.[1] ?? words;
  const fields = names.map((name) => [name, name.includes("name") ? user : words]);
  const input = names.length < 2 ? words : JSON.stringify(Object.fromEntries(fields));
  return `I should look at what is known before I answer.\nAction: ${tool.name}\nAction Input: ${input}`;
}

/** Returns the tools that a prompt describes (`name(arguments) - description`). */
function describedTools({ system, shown }: Prompt): ToolSpec[] {
  const text = `${system}\n${shown}`;
  if (!/^Action Input\s*:/m.test(text)) return [];
  const found = text.matchAll(/^([\w-]+)\(([^)\n]*)\)\s*[-:]\s*(.+)$/gm);
  return [...found].map(([, name = "", described = "", description = ""]) => {
    const names = described.split(",").flatMap((argument) => /^\s*(\w+)\s*:/.exec(argument)?.[1] ?? []);
    return { name, description, parameters: { properties: Object.fromEntries(names.map((one) => [one, {}])) } };
  });
}

/** Returns the native call to make next; undefined where nothing is left to call. */
export function nativeCall(request: ModelRequest, prompt: Prompt, leading: Leading): ToolCall | undefined {
  const calls = request.messages.flatMap((one) => (one.role === "assistant" ? (one.toolCalls ?? []) : []));
  const used = new Set(calls.map(({ name }) => name));
  const offered = request.toolChoice === "none" ? [] : (request.tools ?? []);
  if (prompt.asked === undefined && used.size > 0) return undefined;
  const tool = prompt.asked === undefined ? offered[0] : nextTool(offered, prompt, { ...leading, used });
  if (tool === undefined) return undefined;
  const id = `call_${contentId([request.messages, tool.name]).slice(0, 12)}`;
  return { id, name: tool.name, arguments: argumentsFor(tool, searchWords(tool, prompt, leading.answer)) };
}

/** Returns the tool to call next, if any: the user's own past first, then another one while unsure or when two are demanded. */
function nextTool(
  tools: readonly ToolSpec[],
  { system, turn }: Prompt,
  { confidence, used }: Pick<Leading, "confidence"> & { readonly used: ReadonlySet<string> },
): ToolSpec | undefined {
  const left = tools.filter(({ name }) => !used.has(name));
  const next = left.find(isMemory) ?? left[0];
  if (used.size === 0) return next;
  const demand = /at least two|two (?:different )?tools|more than two|different tools|left out/i;
  return used.size === 1 && (demand.test(`${system}\n${turn}`) || confidence < SURE_ENOUGH) ? next : undefined;
}

const isMemory = ({ name, description }: ToolSpec): boolean =>
  /memor|histor|past|interaction|previous|episod/i.test(`${name} ${description}`);

/** Returns what to look for: the item's own words in one's memory, a plain topic name elsewhere. */
function searchWords(tool: ToolSpec, { asked, turn }: Prompt, answer: string): string {
  if (asked === undefined)
    return /"([^"]+)"/.exec(turn)?.[1] ?? (mostFrequent(termCounts(turn), 3).join(" ") || "help");
  const { query, kind } = asked;
  if (!isMemory(tool) && kind === "choice") return answer || query.slice(0, 100);
  const most = isMemory(tool) ? 12 : 2;
  return typicalWords([query], [query], most).join(" ") || query.slice(0, 100);
}

/** Returns arguments that fit a tool's JSON schema, with `text` wherever free text is wanted. */
function argumentsFor(tool: ToolSpec, text: string): Json {
  const { properties } = fieldsOf(tool.parameters);
  if (properties === undefined) return { query: text };
  return Object.fromEntries(Object.entries(fieldsOf(properties)).map(([name, schema]) => [name, fill(schema, text)]));
}

function fill(schema: unknown, text: string): Json {
  const { default: given, enum: choices, type } = fieldsOf(schema);
  if (given !== undefined) return given as Json;
  if (Array.isArray(choices)) return (choices[0] as Json | undefined) ?? text;
  const plain: Readonly<Record<string, Json>> = { integer: 4, number: 4, boolean: true, array: [text], object: {} };
  return plain[String(type)] ?? text;
}
