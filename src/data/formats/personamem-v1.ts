import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { RawItem } from "../../types/index.js";
import { type ChatEvents, type ChatMessage, chatItems, readMessages } from "../chat-events.js";
import { type CsvFields, csvSource } from "../csv.js";
import { readJsonLines } from "../json-array.js";
import { inOrder } from "../option-order.js";
import { type RecordReader, readColumn, recordReader, tagColumns } from "../record.js";
import { fileState, RecordBytes } from "../records-again.js";
import type { DataFormat, RecordSpan, UserRecord } from "../source.js";
import { listIn } from "./personamem.js";

const TAGS = ["question_type", "topic", "distance_to_ref_in_blocks"];

/** PersonaMem v1: questions about the beginnings of shared chat histories. Options keep their letters. */
export const personamemV1: DataFormat = {
  name: "personamem-v1",
  summary: "PersonaMem v1: questions_32k.csv and shared_contexts_32k.jsonl",
  source: "https://huggingface.co/datasets/bowen-upenn/PersonaMem-v1; PersonaMem @041d82a",
  async find(path, _task, { tier, events }) {
    const full = resolve(path);
    const file = full.endsWith(".csv") ? full : join(full, `questions_${tier}.csv`);
    const contexts = join(
      dirname(file),
      basename(file).replace("questions", "shared_contexts").replace(/csv$/, "jsonl"),
    );
    if (!existsSync(file) || !existsSync(contexts)) return undefined;
    let past: Past | undefined;
    const read = (fields: CsvFields, { file: of, number }: Pick<RecordSpan, "file" | "number">): UserRecord =>
      recordOf(fields, recordReader(of, number, "row"), past!); // opened by the pass before
    return csvSource(file, basename(dirname(file)), read, async () => {
      const spans = new Map<string, RecordSpan>();
      const facts = await readJsonLines(contexts, ({ number, offset, length, value }) => {
        for (const id of Object.keys(Object(value))) spans.set(id, { file: contexts, number, offset, length });
      });
      past = pastOf(spans, new RecordBytes(new Map([[contexts, fileState(contexts)]])), events);
      return facts;
    });
  },
};

/** The past items of a question: its context up to a message. */
type Past = (context: string, end: number, reader: RecordReader) => readonly RawItem[];

function pastOf(spans: ReadonlyMap<string, RecordSpan>, bytes: RecordBytes, events: ChatEvents): Past {
  let [id, messages]: [string, readonly ChatMessage[]] = ["", []];
  let whole: ReturnType<typeof chatItems> = [];
  const ends = new Map<number, readonly RawItem[]>();
  return (context, end, reader) => {
    if (context !== id) {
      const span = spans.get(context);
      if (span === undefined)
        return reader.fail(`column "shared_context_id": no context ${context} in the .jsonl file`);
      const list = (bytes.value(span) as Readonly<Record<string, unknown>>)[context];
      messages = readMessages(Array.isArray(list) ? list : [], `context ${context}`, reader);
      whole = chatItems(messages, events);
      ends.clear();
      id = context;
    }
    if (!(Number.isInteger(end) && end >= 0 && end <= messages.length))
      return reader.fail(`column "end_index_in_shared_context": expected 0 to ${messages.length}`);
    // Items are shared between the questions of a context; one that the end cuts is made anew.
    const isWhole = end === 0 || whole.some((item) => item.end === end);
    const items = isWhole ? whole.filter((item) => item.end <= end) : chatItems(messages.slice(0, end), events);
    const known = ends.get(end) ?? items.map(({ item }) => item);
    ends.set(end, known);
    return known;
  };
}

function recordOf(fields: CsvFields, reader: RecordReader, past: Past): UserRecord {
  const query = {
    id: readColumn(fields, "question_id", reader),
    input: readColumn(fields, "user_question_or_message", reader),
    profile: past(
      readColumn(fields, "shared_context_id", reader),
      Number(readColumn(fields, "end_index_in_shared_context", reader)),
      reader,
    ),
    ...optionsOf(fields, reader),
    ...tagColumns(fields, TAGS),
  };
  return { where: reader.where, user: readColumn(fields, "persona_id", reader), profile: [], queries: [query] };
}

/** `['(a) ...', '(b) ...']` and `(c)`. */
function optionsOf(fields: CsvFields, reader: RecordReader) {
  const marked = listIn(readColumn(fields, "all_options", reader));
  const letters = [..."abcd"].slice(0, marked?.length);
  if (marked === undefined || marked.length < 2 || !marked.every((text, i) => text.startsWith(`(${letters[i]}) `)))
    return reader.fail(`column "all_options": expected a list ['(a) ...', '(b) ...', ...] of 2 to 4 options`);
  const options = marked.map((text) => text.slice("(a) ".length));
  if (new Set(options).size < options.length)
    return reader.fail(`column "all_options": an option is there twice, so no letter is right; mend it`);
  const gold = letters.indexOf(readColumn(fields, "correct_answer", reader).toLowerCase().replace(/[() ]/g, ""));
  if (gold < 0) return reader.fail(`column "correct_answer": expected one of (${letters.join("), (")})`);
  return inOrder(
    options,
    gold,
    options.map((_, place) => place),
  );
}
