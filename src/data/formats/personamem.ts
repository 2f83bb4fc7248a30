import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { pythonShuffle } from "../../random/mersenne-twister.js";
import { messageOf } from "../../text/file-trouble.js";
import { jsonIn } from "../../text/json.js";
import type { Json, RawItem } from "../../types/index.js";
import { Fields, inOrder } from "../record.js";
import { type CsvFields, readCsv } from "../records.js";
import type { DataFormat, UserRecord } from "../source.js";

const PLACES = ["benchmark.csv", "text/benchmark.csv", "benchmark/text/benchmark.csv"];
const TAGS = ["pref_type", "who", "updated"];

/**
 * PersonaMem v2, text: a table of questions that links chat histories. Options stand in the order that the authors' training code
 * shuffles them to, by the row's number. Texts of preferences and evidence are never read.
 */
export const personamem: DataFormat = {
  name: "personamem",
  summary: "PersonaMem v2: benchmark.csv and the chat histories that it links",
  source:
    "https://huggingface.co/datasets/bowen-upenn/PersonaMem-v2; PersonaMem-v2 @8d4fbef, MemAgent/data/data_preprocess.py",
  async find(path, { chats }, { tier }) {
    if (chats !== true) return undefined;
    const full = resolve(path);
    const file = full.endsWith(".csv") ? full : PLACES.map((place) => join(full, place)).find(existsSync);
    if (file === undefined || !existsSync(file)) return undefined;
    const histories = historiesBeside(file);
    return {
      name: basename(dirname(file)),
      recordPerQuestion: true,
      oldestFirst: true,
      test: async (visit) => [
        await readCsv(file, ({ value, number, bytes }) => {
          const fields = new Fields(value, `${file}: row ${number}`, "row");
          return visit(recordOf(fields, { row: number - 1, tier, histories }), bytes);
        }),
      ],
    };
  },
};

interface RowContext {
  /** From 0, as pandas counts. */
  readonly row: number;
  readonly tier: string;
  histories(link: string, fields: Fields): readonly RawItem[];
}

function recordOf(fields: Fields, { row, tier, histories }: RowContext): UserRecord {
  const user = column(fields, "persona_id");
  const profile = histories(column(fields, `chat_history_${tier}_link`), fields);
  const input = askedIn(column(fields, "user_query"));
  const cells = fields.values as CsvFields;
  const tags = TAGS.filter((name) => (cells[name] ?? "") !== "").map((name) => [name, cells[name]!] as const);
  const tagged = tags.length === 0 ? {} : { tags: Object.fromEntries(tags) };
  const query = { id: `row-${row}`, input, profile, ...optionsOf(fields, row), ...tagged };
  return { where: fields.where, user, profile: [], queries: [query] };
}

function column(fields: Fields, name: string): string {
  const value = (fields.values as CsvFields)[name];
  if (value === undefined) return fields.refuse(`column "${name}" is missing; check --data and data.tier`);
  return value === "" ? fields.refuse(`column "${name}" is empty; mend it`) : value;
}

/** `{'role': 'user', 'content': '...'}`, a Python dict; anything else is the query itself, as officially. */
function askedIn(cell: string): string {
  const { content } = Object(pythonLiteral(cell)) as { content?: unknown };
  return typeof content === "string" ? content : cell;
}

/** The right answer and the first three wrong ones. Source: convert_to_verl_format, `random.seed(42 + idx)`. */
function optionsOf(fields: Fields, row: number) {
  const wrong = listIn(column(fields, "incorrect_answers"));
  if (wrong === undefined || wrong.length < 3)
    return fields.refuse(`column "incorrect_answers": expected a list of three texts; mend it`);
  const options = [column(fields, "correct_answer"), ...wrong.slice(0, 3)];
  if (new Set(options).size < options.length)
    return fields.refuse(`column "incorrect_answers": an option is there twice, so no letter is right; mend it`);
  return inOrder(options, 0, pythonShuffle([0, 1, 2, 3], SEED + row));
}

const SEED = 42;

/** A list of texts in JSON or as a Python literal. */
function listIn(cell: string): readonly string[] | undefined {
  const value = jsonIn(cell) ?? pythonLiteral(cell);
  return Array.isArray(value) && value.every((one) => typeof one === "string") ? value : undefined;
}

/** Histories by link, seen from the table's folder or one above it. Keeps up to MOST_HELD, then drops them all. */
function historiesBeside(table: string): RowContext["histories"] {
  const folders = ["", "..", "../..", "../../.."].map((up) => join(dirname(table), up));
  const held = new Map<string, readonly RawItem[]>();
  return (link, fields) => {
    const known = held.get(link);
    if (known !== undefined) return known;
    const file = folders.map((folder) => join(folder, link)).find(existsSync);
    if (file === undefined)
      return fields.refuse(`its chat history ${link} is not there; it was looked for from ${folders[0]} upwards`);
    const items = chatItems(messagesIn(file, link, fields));
    if (held.size >= MOST_HELD) held.clear();
    held.set(link, items);
    return items;
  };
}

/** All of the text benchmark at 32k tokens: some 50 MB. */
const MOST_HELD = 256;

interface ChatMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

/** Reads `{"chat_history": [{"role", "content"}]}` without the persona's basics, as the authors' training code does. */
function messagesIn(file: string, link: string, fields: Fields): ChatMessage[] {
  let list: unknown;
  try {
    list = (Object(JSON.parse(readFileSync(file, "utf8"))) as { chat_history?: unknown }).chat_history;
  } catch (error) {
    return fields.refuse(`${link}: ${messageOf(error)}`);
  }
  if (!Array.isArray(list)) return fields.refuse(`${link} has no list "chat_history"`);
  const messages = list.map((value: unknown, index): ChatMessage => {
    const { role, content } = Object(value) as { role?: unknown; content?: unknown };
    if ((role === "system" || role === "user" || role === "assistant") && typeof content === "string")
      return { role, content };
    const expected = 'expected {"role": system, user or assistant, "content": text}';
    return fields.refuse(`${link}, message ${index + 1}: ${expected}`);
  });
  return messages[0]?.role === "system" ? messages.slice(1) : messages;
}

/**
 * Makes a chat past items, oldest first, each a message of the user with the reply to it: `text` is all that was said, `said` what the
 * user said. A system message opens a session, and stands in front of its first item.
 */
export function chatItems(messages: readonly ChatMessage[]): RawItem[] {
  const items: RawItem[] = [];
  let [session, round] = [0, 0];
  let [lines, said]: [string[], string[]] = [[], []];
  const close = (): void => {
    if (lines.length === 0) return;
    round += 1;
    const text = lines.join("\n");
    items.push({ id: `s${session}.r${round}`, session: String(session), text, said: said.join("\n") || text });
    [lines, said] = [[], []];
  };
  for (const { role, content } of messages) {
    const isNewSession = role === "system" || session === 0;
    if (isNewSession || (role === "user" && said.length > 0)) close();
    if (isNewSession) [session, round] = [session + 1, 0];
    lines.push(`${NAMES[role]}: ${content}`);
    if (role === "user") said.push(content);
  }
  close();
  return items;
}

const NAMES = { system: "[System]", user: "User", assistant: "Assistant" } as const;

/**
 * Reads a Python literal as `ast.literal_eval` does: strings, numbers, None, True, False, lists and dicts of them. Nothing is
 * executed: its strings and words are rewritten, and the rest must be JSON. Undefined for anything else.
 */
export function pythonLiteral(text: string): Json | undefined {
  const json = text.trim().replace(TOKEN, (token, single?: string, double?: string) => {
    const string = single ?? double;
    return string === undefined ? WORDS[token]! : JSON.stringify(string.replace(ESCAPE, unescaped));
  });
  return jsonIn(json);
}

/** A string in either quotes, a word that JSON spells otherwise, or a comma before a closing bracket. */
const TOKEN = /'((?:[^'\\\n]|\\[\s\S])*)'|"((?:[^"\\\n]|\\[\s\S])*)"|\b(?:None|True|False)\b|,(?=\s*[\]}])/g;
const WORDS: Readonly<Record<string, string>> = { None: "null", True: "true", False: "false", ",": "" };

const ESCAPE = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([\s\S]))/g;
const ESCAPES: Readonly<Record<string, string>> = {
  ...{ "\\": "\\", "'": "'", '"': '"', n: "\n", r: "\r", t: "\t", "\n": "", a: "\x07", b: "\b", f: "\f", v: "\v" },
};

function unescaped(whole: string, x?: string, u?: string, long?: string, letter?: string): string {
  const code = x ?? u ?? long;
  if (code === undefined) return ESCAPES[letter ?? ""] ?? whole; // Python keeps an escape that it does not know
  return u === undefined
    ? String.fromCodePoint(Number.parseInt(code, 16))
    : String.fromCharCode(Number.parseInt(code, 16));
}
