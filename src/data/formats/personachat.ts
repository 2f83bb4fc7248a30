import { basename, dirname, join, resolve } from "node:path";
import { pySplit } from "../../text/python.js";
import type { RawItem, Turn } from "../../types/index.js";
import type { FileFacts } from "../file-text.js";
import { entries } from "../golds.js";
import { readJsonArray } from "../json-records.js";
import { readList, readObject, recordReader } from "../record.js";
import type { DataFormat, Source, UserRecord, Visit } from "../source.js";

const NAMED = /^personachat\w*\.json$/;
/** Which of the file's two arrays are read. The assistant paper reads both, one behind the other. */
const FIELDS = { auto: ["train", "valid"], train: ["train"], dev: ["valid"], test: ["valid"] } as const;

/**
 * PersonaChat as the assistant paper reads it: train and valid one behind the other, of each dialogue the history of its last utterance, blanks squeezed; the last line is asked,
 * those before are remembered. The personality is that of the speaker who answers (FIDELITY, assistant).
 */
export const personachat: DataFormat = {
  name: "personachat",
  summary: "personachat_self_original.json: {train, valid} of {personality, utterances: [{candidates, history}]}",
  source: "https://s3.amazonaws.com/datasets.huggingface.co/personachat/personachat_self_original.json",
  async find(path, task, { split }) {
    if (task.dialogue !== true) return undefined;
    const full = resolve(path);
    const isFile = full.endsWith(".json");
    const folder = isFile ? dirname(full) : full;
    const names = await entries(folder);
    const file = isFile ? basename(full) : names.find((name) => NAMED.test(name));
    if (file === undefined || !names.includes(file) || !NAMED.test(file)) return undefined;
    const source: Source = {
      name: basename(folder),
      recordPerQuestion: false,
      test: async (visit) => [await readDialogues(join(folder, file), FIELDS[split], visit)],
    };
    return source;
  },
};

async function readDialogues(file: string, fields: readonly string[], visit: Visit): Promise<FileFacts> {
  let records = 0;
  const facts = await readJsonArray(
    file,
    ({ value, bytes, field }) => {
      if (field === undefined || !fields.includes(field)) return undefined;
      records += 1;
      return visit(recordOf(value, file, records), bytes);
    },
    ["train", "valid"],
  );
  return { ...facts, records };
}

function recordOf(value: unknown, file: string, number: number): UserRecord {
  const reader = recordReader(file, number);
  const user = `dialogue-${number}`;
  const dialogue = readObject(value, user, reader);
  const texts = (list: readonly unknown[]): string[] => list.map((text) => pySplit(String(text)).join(" "));
  const profile = texts(readList(dialogue, "personality", user, reader)).map(
    (text, index): RawItem => ({ id: `${user}-p${index + 1}`, text, speaker: ANSWERS }),
  );
  const last = readList(dialogue, "utterances", user, reader).at(-1);
  const utterance = readObject(last, `${user}, last utterance`, reader);
  const lines = texts(readList(utterance, "history", `${user}, last utterance`, reader));
  const asked = lines.at(-1);
  if (asked === undefined) return reader.fail(`${user}, last utterance: its history is empty; leave the dialogue out`);
  const gold = texts(readList(utterance, "candidates", `${user}, last utterance`, reader)).at(-1);
  const query = {
    id: user,
    input: asked,
    ...(gold === undefined ? {} : { gold }),
    before: turnsOf(lines.slice(0, -1), user),
  };
  return { where: reader.where, user, profile, queries: [query] };
}

/** Who has the personality: the one whose lines stand at odd places and who is to answer. */
const ANSWERS = "answers";

/** Lines in turns, the partner's first. */
function turnsOf(lines: readonly string[], user: string): Turn[] {
  return Array.from({ length: Math.ceil(lines.length / 2) }, (_, turn) => {
    const reply = lines[2 * turn + 1];
    return { id: `${user}-t${turn + 1}`, said: lines[2 * turn]!, ...(reply === undefined ? {} : { reply }) }; // one line a turn at least
  });
}
