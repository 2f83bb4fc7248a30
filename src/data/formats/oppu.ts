import { basename, dirname, join, resolve } from "node:path";
import type { Task } from "../../types/index.js";
import type { FileFacts } from "../file-text.js";
import { entries, type Golds, readGolds } from "../golds.js";
import { type JsonRecord, readJsonArray } from "../json-records.js";
import {
  checkGold,
  type RecordReader,
  readList,
  readNeeded,
  readObject,
  readProfile,
  readQuery,
  readScalar,
  recordReader,
} from "../record.js";
import type { DataFormat, Source, UserRecord, Visit } from "../source.js";

/** Our own names first, then those of OPPU's release. */
const USERS = ["users.json", "user_top_100_history.json", "user_more_100_history.json"];
const OTHERS = "user_others.json";

export const oppu: DataFormat = {
  name: "oppu",
  summary:
    "one record per user with profile and queries: users.json, or OPPU's user_top_100_history.json; user_others.json",
  source: "https://github.com/TamSiuhin/OPPU",
  async find(path, task) {
    const full = resolve(path);
    const isFile = full.endsWith(".json");
    const folder = isFile ? dirname(full) : full;
    const names = await entries(folder);
    const users = isFile ? basename(full) : USERS.find((name) => names.includes(name));
    if (users === undefined || !names.includes(users)) return undefined;
    const labels = [users.replace(/\.json$/, "_label.json"), users.replace(/\.json$/, "_labels.json")].find((name) =>
      names.includes(name),
    );
    const source: Source = {
      name: basename(folder),
      recordPerQuestion: false,
      test: async (visit) => {
        const golds = labels === undefined ? undefined : await readGolds(join(folder, labels), task);
        const facts = await readUsers(join(folder, users), task, golds, visit);
        return golds === undefined ? [facts] : [facts, golds.facts];
      },
    };
    if (!names.includes(OTHERS) || users === OTHERS) return source;
    const others = join(folder, OTHERS);
    return {
      ...source,
      training: async (visit) => [await readUsers(others, task, undefined, visit)],
    };
  },
};

async function readUsers(file: string, task: Task, golds: Golds | undefined, visit: Visit): Promise<FileFacts> {
  const users = new Set<string>();
  const questions = new Set<string>();
  const take = ({ number, bytes, value }: JsonRecord) => {
    const reader = recordReader(file, number);
    const user = readNeeded(readObject(value, "user", reader), "user_id", "user", reader);
    if (users.has(user)) reader.fail(`user id ${user} is there twice; keep one`);
    users.add(user);
    const record = userOf(value, reader, task, (id, inline) => {
      const what = `user ${user}`;
      if (questions.has(id)) reader.fail(`question id ${id} is there twice, again with ${what}; keep one`); // first: a label fits one of them only
      questions.add(id);
      return goldOf(id, inline(), golds, `${what}, question ${id}`, reader);
    });
    return visit(record, bytes);
  };
  return readJsonArray(file, take);
}

/** Finds a query's gold; `inline` reads that of its own record. */
type FindGold = (id: string, inline: () => string | undefined) => string | undefined;

function userOf(value: unknown, reader: RecordReader, task: Task, findGold: FindGold): UserRecord {
  const fields = readObject(value, "user", reader);
  const user = readNeeded(fields, "user_id", "user", reader);
  const what = `user ${user}`;
  const profile = readProfile(readList(fields, "profile", what, reader), task, what, reader);
  const queries = readList(fields, "query", what, reader).map((query) => {
    const fields = readObject(query, `${what}, query`, reader);
    const id = readNeeded(fields, "id", `${what}, query`, reader);
    const owner = `${what}, question ${id}`;
    const gold = findGold(id, () => readScalar(fields, "gold", owner, reader));
    if (gold !== undefined) checkGold(gold, task, `${reader.where}, ${owner}`);
    return readQuery(fields, gold, task, owner, reader);
  });
  return { where: reader.where, user, profile, queries };
}

/** The gold of the label file, else the record's own. Fails where they differ. */
function goldOf(
  id: string,
  inline: string | undefined,
  golds: Golds | undefined,
  what: string,
  reader: RecordReader,
): string | undefined {
  const labelled = golds?.byId.get(id);
  if (inline !== undefined && labelled !== undefined && inline !== labelled)
    reader.fail(
      `${what}: field "gold" is ${JSON.stringify(inline)} but the label file says ${JSON.stringify(labelled)}; make them agree`,
    );
  return labelled ?? inline;
}
