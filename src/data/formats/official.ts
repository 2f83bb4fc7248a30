import { basename, dirname, join, resolve } from "node:path";
import type { FileFacts } from "../file-text.js";
import { filesIn, readGolds } from "../golds.js";
import { checkGold, Fields, type ProfileForm, readProfile, readQuery } from "../record.js";
import { readJsonArray } from "../records.js";
import type { DataFormat, Split, Visit } from "../source.js";

const SPLITS = ["dev", "train", "test"] as const;
const QUESTIONS = "_questions.json";

export const official: DataFormat = {
  name: "official",
  summary: "LaMP's own files: {train|dev|test}_questions.json with _outputs.json beside them, one record per question",
  source: "https://lamp-benchmark.github.io/download",
  async find(path, task, { split, visible }) {
    const full = resolve(path);
    const named = SPLITS.find((part) => basename(full) === `${part}${QUESTIONS}`);
    const folder = named === undefined ? full : dirname(full);
    const parts = await officialParts(folder);
    const part = named ?? (split === "auto" ? parts[0] : parts.find((one) => one === split));
    if (part === undefined) return undefined;
    const hasTraining = part !== "train" && parts.includes("train");
    const read = (name: string) => (visit: Visit) => readPart({ folder, part: name, task, visible }, visit);
    return {
      name: basename(folder),
      recordPerQuestion: true,
      test: read(part),
      ...(hasTraining ? { training: read("train") } : {}),
    };
  },
};

/** Returns the parts that have a questions file in the folder, or in one of their name in it, in the order dev, train, test. */
export async function officialParts(folder: string): Promise<readonly Exclude<Split, "auto">[]> {
  const found = await Promise.all(SPLITS.map((part) => folderOf(folder, part)));
  return SPLITS.filter((_, index) => found[index] !== undefined);
}

/** Returns where a part's files are: in the folder, or, as on LaMP's server, in one of the part's name. Undefined: nowhere. */
async function folderOf(folder: string, part: string): Promise<string | undefined> {
  for (const one of [folder, join(folder, part)]) if ((await filesIn(one)).includes(part + QUESTIONS)) return one;
  return undefined;
}

interface Part extends ProfileForm {
  readonly folder: string;
  readonly part: string;
}

/** Streams one part: its outputs first (where there are any), then its questions, each with the past that came with it. */
export async function readPart({ folder, part, ...form }: Part, visit: Visit): Promise<readonly FileFacts[]> {
  const { task } = form;
  const own = (await folderOf(folder, part)) ?? folder;
  const outputs = `${part}_outputs.json`;
  const golds = (await filesIn(own)).includes(outputs) ? await readGolds(join(own, outputs), task) : undefined;
  const file = join(own, part + QUESTIONS);
  const ids = new Set<string>();
  const facts = await readJsonArray(file, ({ number, bytes, value }) => {
    const where = `${file}: record ${number}`;
    const record = new Fields(value, where, "question");
    const id = record.needed("id");
    const owner = record.as(`question ${id}`).text("user_id");
    const fields = record.as(owner === undefined ? `question ${id}` : `user ${owner}, question ${id}`);
    if (ids.has(id)) fields.refuse(`question id ${id} is there twice; keep one`);
    ids.add(id);
    const profile = readProfile(fields, form);
    const gold = golds?.byId.get(id) ?? fields.text("output");
    if (gold !== undefined) checkGold(gold, task, `${where}, ${fields.what}`);
    const { before: _, ...query } = readQuery(fields, gold);
    return visit({ where, user: owner ?? id, profile: [], queries: [{ ...query, profile }] }, bytes);
  });
  return golds === undefined ? [facts] : [facts, golds.facts];
}
