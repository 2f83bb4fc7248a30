import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { UsageError } from "../../errors.js";
import { pythonShuffle } from "../../random/python-shuffle.js";
import { fileTrouble } from "../../text/file-trouble.js";
import type { RawItem } from "../../types/index.js";
import { chatItems, readMessages } from "../chat-events.js";
import { type CsvFields, readCsv } from "../csv.js";
import { inOrder } from "../option-order.js";
import { pythonLiteral } from "../python-literal.js";
import { type RecordReader, readColumn, recordReader, tagColumns } from "../record.js";
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
  async find(path, _task, { tier }) {
    const full = resolve(path);
    const file = full.endsWith(".csv") ? full : PLACES.map((place) => join(full, place)).find(existsSync);
    if (file === undefined || !existsSync(file)) return undefined;
    const histories = historiesBeside(file);
    return {
      name: basename(dirname(file)),
      recordPerQuestion: true,
      oldestFirst: true,
      test: async (visit) => [
        await readCsv(file, (fields, { number, bytes }) =>
          visit(recordOf(fields, recordReader(file, number, "row"), { row: number - 1, tier, histories }), bytes),
        ),
      ],
    };
  },
};

interface Reading {
  /** From 0, as pandas counts. */
  readonly row: number;
  readonly tier: string;
  histories(link: string, reader: RecordReader): readonly RawItem[];
}

function recordOf(fields: CsvFields, reader: RecordReader, { row, tier, histories }: Reading): UserRecord {
  const user = readColumn(fields, "persona_id", reader);
  const profile = histories(readColumn(fields, `chat_history_${tier}_link`, reader), reader);
  const query = {
    id: `row-${row}`,
    input: askedIn(readColumn(fields, "user_query", reader)),
    profile,
    ...optionsOf(fields, row, reader),
    ...tagColumns(fields, TAGS),
  };
  return { where: reader.where, user, profile: [], queries: [query] };
}

/** `{'role': 'user', 'content': '...'}`, a Python dict; anything else is the query itself, as officially. */
function askedIn(cell: string): string {
  const { content } = Object(pythonLiteral(cell)) as { content?: unknown };
  return typeof content === "string" ? content : cell;
}

/** The right answer and the first three wrong ones. Source: convert_to_verl_format, `random.seed(42 + idx)`. */
function optionsOf(fields: CsvFields, row: number, reader: RecordReader) {
  const wrong = listIn(readColumn(fields, "incorrect_answers", reader));
  if (wrong === undefined || wrong.length < 3)
    return reader.fail(`column "incorrect_answers": expected a list of three texts; mend it`);
  const options = [readColumn(fields, "correct_answer", reader), ...wrong.slice(0, 3)];
  if (new Set(options).size < options.length)
    return reader.fail(`column "incorrect_answers": an option is there twice, so no letter is right; mend it`);
  return inOrder(options, 0, pythonShuffle([0, 1, 2, 3], SEED + row));
}

const SEED = 42;

/** A list of texts in JSON or as a Python literal. */
function listIn(cell: string): readonly string[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(cell);
  } catch {
    value = pythonLiteral(cell);
  }
  return Array.isArray(value) && value.every((one) => typeof one === "string") ? value : undefined;
}

/** Histories by link, seen from the table's folder or one above it. Those read last are held. */
function historiesBeside(table: string): Reading["histories"] {
  const folders = ["", "..", "../..", "../../.."].map((up) => join(dirname(table), up));
  const held = new Map<string, readonly RawItem[]>();
  return (link, reader) => {
    const known = held.get(link);
    if (known !== undefined) return known;
    const file = folders.map((folder) => join(folder, link)).find(existsSync);
    if (file === undefined)
      return reader.fail(`its chat history ${link} is not there; it was looked for from ${folders[0]} upwards`);
    const { chat_history: list } = Object(parsed(file)) as { chat_history?: unknown };
    if (!Array.isArray(list)) return reader.fail(`${link} has no list "chat_history"`);
    const messages = readMessages(list, link, reader);
    // The first system message holds the persona's basics: left out, as the authors' training code does.
    const told = messages[0]?.role === "system" ? messages.slice(1) : messages;
    const items = chatItems(told);
    if (held.size >= MOST_HELD) held.clear();
    held.set(link, items);
    return items;
  };
}

/** All of the text benchmark at 32k tokens: some 50 MB. */
const MOST_HELD = 256;

function parsed(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new UsageError(
      `${file}: ${error instanceof SyntaxError ? `no JSON (${error.message})` : fileTrouble(error)}`,
    );
  }
}
