import { basename, dirname, join, resolve } from "node:path";
import { pySplit } from "../../text/python.js";
import type { RawItem, Turn } from "../../types/index.js";
import { filesIn } from "../golds.js";
import { Fields } from "../record.js";
import { readJsonArray } from "../records.js";
import type { DataFormat, UserRecord } from "../source.js";

const NAMED = /^personachat\w*\.json$/;
/** The arrays of the file that are read. The assistant paper reads both, one behind the other. */
const ARRAYS = { auto: ["train", "valid"], train: ["train"], dev: ["valid"], test: ["valid"] } as const;

/**
 * PersonaChat as the assistant paper reads it: train and valid one behind the other, of each dialogue the history of its last utterance,
 * blanks squeezed; the last line is asked, those before are remembered. The personality is that of the speaker who answers (FIDELITY,
 * assistant).
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
    const names = await filesIn(folder);
    const name = isFile ? basename(full) : names.find((one) => NAMED.test(one));
    if (name === undefined || !names.includes(name) || !NAMED.test(name)) return undefined;
    const file = join(folder, name);
    const arrays: readonly string[] = ARRAYS[split];
    return {
      name: basename(folder),
      recordPerQuestion: false,
      test: async (visit) => {
        let records = 0;
        const facts = await readJsonArray(
          file,
          ({ value, bytes, field }) =>
            arrays.includes(field ?? "") ? visit(recordOf(value, file, ++records), bytes) : undefined,
          ["train", "valid"],
        );
        return [{ ...facts, records }];
      },
    };
  },
};

function recordOf(value: unknown, file: string, number: number): UserRecord {
  const where = `${file}: record ${number}`;
  const user = `dialogue-${number}`;
  const dialogue = new Fields(value, where, user);
  const utterance = new Fields(dialogue.list("utterances").at(-1), where, `${user}, last utterance`);
  const texts = (of: Fields, name: string): string[] => of.list(name).map((text) => pySplit(String(text)).join(" "));
  const profile = texts(dialogue, "personality").map(
    (text, index): RawItem => ({ id: `${user}-p${index + 1}`, text, speaker: ANSWERS }),
  );
  const lines = texts(utterance, "history");
  const input = lines.pop();
  if (input === undefined) return utterance.refuse(`${utterance.what}: its history is empty; leave the dialogue out`);
  const gold = texts(utterance, "candidates").at(-1);
  const query = { id: user, input, ...(gold === undefined ? {} : { gold }), before: turnsOf(lines, user) };
  return { where, user, profile, queries: [query] };
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
