import { contentId } from "../../../text/content-id.js";
import type { Json, ModelRequest, ToolCall } from "../../../types/index.js";
import { fieldsOf } from "../../wire/reply.js";
import { likenessTo, type Prompt, ranked, sharedTerms, typicalWords, words } from "./reading.js";

/** Returns the text that a prompt demands in a form of its own: JSON, a fact, a form to fill, a summary; undefined where it demands none. */
export function demanded({ turn, isDemand }: Prompt): string | undefined {
  const text = jsonFor(turn) ?? factIn(turn);
  if (text !== undefined || !isDemand) return text;
  const tag = /\bbetween <(\w+)> and <\/\w+>/.exec(turn)?.[1];
  const summary = filledForm(turn) ?? summaryOf(turn);
  return tag === undefined ? summary : `<${tag}>${summary}</${tag}>`;
}

const MOST_WORDS = 24;
const MOST_LABELS = 8;
const NAME = /(?:^|\| )[\w ]{1,30}: /g;
const COUNTED = /\bLabels: ([^.\n]+)\./;

/** Returns the most frequent words and labels of what a turn shows, never longer than the turn. */
function summaryOf(turn: string): string {
  const material = materialOf(turn);
  const bare = material.map((line) => line.replace(COUNTED, " ").replace(NAME, " ").replace("Often:", " "));
  const typical = typicalWords(bare, MOST_WORDS).join(", ");
  const counted = labelsIn(material).map((entry) => entry.join(" "));
  const labels = counted.slice(0, MOST_LABELS).join(", ");
  const said = [typical && `Often: ${typical}.`, labels && `Labels: ${labels}.`].filter(Boolean).join("\n");
  return (said || "Nothing is known yet.").slice(0, turn.length);
}

/** Returns the lines of a turn without its instruction, which stands last or, with a colon behind it, first. */
function materialOf(turn: string): string[] {
  const lines = turn.split("\n").filter((line) => line.trim() !== "");
  const inner = lines.slice(lines[0]?.endsWith(":") ? 1 : 0, -1);
  return (inner.length === 0 ? lines : inner).flatMap((line) => line.split(/(?<=['"]), (?=['"])/));
}

/** Counts the short values at the ends of lines (`| tag: comedy`), and those counted before (`Labels: comedy 5`). */
function labelsIn(lines: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const line of lines) {
    const before = COUNTED.exec(line)?.[1]?.matchAll(/([^,]+) (\d+)(?:, |$)/g);
    const end = /(?:^|\s)\w+: ([a-z0-9[][^:|"'.!?]{0,40})['"\]]*$/.exec(line.slice(-80));
    for (const [, label = "", count = "1"] of before ?? (end === null ? [] : [end]))
      if (words(label).length < 5) counts.set(label.trim(), (counts.get(label.trim()) ?? 0) + Number(count));
  }
  return ranked(counts);
}

/** Fills `name: <value>` with the most frequent labels of what is shown; undefined where a turn has no such form. */
function filledForm(turn: string): string | undefined {
  const form = /\bform\b[^:\n]*:\s*([^\n<]*<[\w ]+>(?:, [^\n<]*<[\w ]+>)*)/.exec(turn)?.[1];
  const labels = labelsIn(materialOf(turn.replace(form ?? "", "")));
  return form?.replace(/<[\w ]+>/g, () => (labels.length > 1 ? labels.shift() : labels[0])?.[0] ?? "none");
}

const FIRST_PERSON = /\b(?:i|me|my|mine|we|us|our)\b/i;

/** Returns the first sentence of a quoted line that tells of its speaker, else the word for none; undefined where no word stands for none. */
function factIn(turn: string): string | undefined {
  const none = /\bthe one word ([A-Z_]{3,})\b/.exec(turn);
  if (none === null) return undefined;
  const said = turn.slice(turn.indexOf(': "', none.index) + 3, turn.lastIndexOf('"'));
  const told = said.split(/(?<=[.!?])\s+/).find((sentence) => FIRST_PERSON.test(sentence) && !sentence.endsWith("?"));
  return told?.trim() ?? none[1];
}

/** The heading of a reply, such as `Reply 1:`. */
const REPLY = /^[^\n:]{0,30}\breply\b[^\n:]{0,10}:\n/gim;

/** Returns the JSON that a turn's last paragraph asks for, by the example or the keys in it; undefined where it asks for none. */
function jsonFor(turn: string): string | undefined {
  const paragraphs = turn.trim().split("\n\n");
  const demand = paragraphs.at(-1)!;
  const asked = /JSON(?!.*JSON).*/s.exec(demand)?.[0] ?? "";
  const [example] = /\{[^{}]*\}/.exec(asked) ?? [];
  const listed = /\b(?:keys|fields)\s+(".*?)\./.exec(asked)?.[1];
  const keys = example?.matchAll(/"(\w+)":\s*(\[\[|\[|true|false|"|[^\s,}]+)/g) ?? listed?.matchAll(/"([^"]+)"/g);
  const [before = "", ...replies] = turn.slice(0, -demand.length).split(REPLY);
  const [first = 0, second] = replies.map((reply) => Math.min(7, sharedTerms(before, reply.split("\n\n")[0]!)));
  const bounds = [...demand.matchAll(/\b(\d+) to (\d+)\b/g)].flatMap(([, low, high]) => [Number(low), Number(high)]);
  const valueFor = (key: string, sample: string, at: number): Json => {
    if (sample.startsWith("[")) return chosen(demand, paragraphs, sample === "[[");
    if (/^(?:true|false)$/.test(sample)) return FIRST_PERSON.test(paragraphs.at(-2) ?? "");
    if (sample === '"' || key.endsWith("_explanation")) return "by shared words";
    if (replies.length === 0)
      return at === 0 ? summaryOf(turn).split("\n") : (/"([^"]+)" in a/.exec(demand)?.[1] ?? "");
    if (key.endsWith("_confidence")) return 50 + 7 * Math.abs(first - (second ?? 0));
    if (second !== undefined) return first === second ? 0 : first > second ? 1 : 2;
    const [low, high] = [Math.min(...bounds), Math.max(...bounds)];
    return Math.min(high, low + Math.min(2, (high - low) >> 2) + first);
  };
  const values = [...(keys ?? [])].map(([, key = "", sample = ""], at) => [key, valueFor(key, sample, at)]);
  return values.length === 0 ? undefined : JSON.stringify(Object.fromEntries(values));
}

const LEAST = 0.02; // likeness below which an item is not named

/** Returns the numbers of the items listed last that are most like the paragraph before them; as growing sets where sets are wanted. */
function chosen(demand: string, paragraphs: readonly string[], isSets: boolean): Json {
  const at = paragraphs.findLastIndex((paragraph) => /^1\. /m.test(paragraph));
  const items = paragraphs[at]?.match(/(?<=^\d+\. ).*/gm) ?? [];
  const alike = likenessTo(paragraphs[at - 1] ?? "", items);
  const best = [...items.keys()].sort((a, b) => alike[b]! - alike[a]! || a - b);
  const named = alike.filter((likeness) => likeness > LEAST).length;
  const least = Number(/\bat least (\d+)/.exec(demand)?.[1] ?? 0);
  const most = Number(/\b(?:at most|1 to) (\d+)/.exec(demand)?.[1] ?? items.length);
  const numbers = best.slice(0, Math.min(most, Math.max(least, named))).map((index) => index + 1);
  return isSets ? numbers.map((_, end) => numbers.slice(0, end + 1)) : numbers;
}

const MOST_TOOLS = 2; // before an answer
const SEARCH_WORDS = 12;

/** Returns the next native call: each offered tool once, up to two; undefined where it is time to answer. */
export function nativeCall(request: ModelRequest, prompt: Prompt): ToolCall | undefined {
  const offered = request.toolChoice === "none" ? [] : (request.tools ?? []);
  const calls = request.messages.flatMap((one) => (one.role === "assistant" ? (one.toolCalls ?? []) : []));
  const used = new Set(calls.map(({ name }) => name));
  const tool = used.size >= MOST_TOOLS ? undefined : offered.find(({ name }) => !used.has(name));
  if (tool === undefined) return undefined;
  const { properties = { query: {} } } = fieldsOf(tool.parameters);
  const id = `call_${contentId([request.messages, tool.name]).slice(0, 12)}`;
  return { id, name: tool.name, arguments: argumentsFor(fieldsOf(properties), prompt) };
}

/** Returns a reply of the text ReAct protocol: each described tool once, up to two, then the answer; undefined where the prompt has none of it. */
export function textReact(prompt: Prompt, answer: string): string | undefined {
  const text = `${prompt.system}\n${prompt.shown}`;
  if (!/^Final Answer\s*:/m.test(text)) return undefined;
  const used = [...text.matchAll(/^\s*Action\s*:\s*([\w-]+)$/gm)].map(([, name]) => name);
  const described = [...text.matchAll(/^([\w-]+)\(([^)\n]*)\) - /gm)];
  const isLast = /\bfinal answer\b.*$/i.test(prompt.turn);
  const [, name, listed = ""] = described.find(([, one]) => !used.includes(one)) ?? [];
  if (isLast || name === undefined || used.length >= MOST_TOOLS)
    return `I now know the final answer\nFinal Answer: ${answer}`;
  const names = listed.match(/\w+(?=\s*:)/g) ?? ["query"];
  const given = argumentsFor(Object.fromEntries(names.map((one) => [one, {}])), prompt);
  const input = names.length < 2 ? Object.values(given)[0] : JSON.stringify(given);
  return `I should look at what is known before I answer.\nAction: ${name}\nAction Input: ${input}`;
}

/** Returns arguments of a tool: typical words of the question wherever text is wanted, the user's name where a name is. */
function argumentsFor(schemas: object, { asked, turn, system }: Prompt): Record<string, Json> {
  const query = asked?.query ?? turn;
  const quoted = asked === undefined ? /"([^"]+)"/.exec(turn)?.[1] : undefined;
  const text = quoted ?? (typicalWords([query], SEARCH_WORDS).join(" ") || query.slice(0, 100));
  const user = /\bname is ([^\s.,]+)/.exec(system)?.[1] ?? text;
  const other: Readonly<Record<string, Json>> = { integer: 4, number: 4, boolean: true, array: [text], object: {} };
  const entries = Object.entries(schemas).map(([name, schema]) => {
    const { enum: [choice] = [], type = "" } = schema as { readonly enum?: Json[]; readonly type?: string };
    return [name, choice ?? other[type] ?? (name.includes("name") ? user : text)];
  });
  return Object.fromEntries(entries);
}
