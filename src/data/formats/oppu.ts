import { basename, dirname, join, resolve } from "node:path";
import type { RawQuery } from "../../types/index.js";
import type { FileFacts } from "../file-text.js";
import { filesIn, type Golds, readGolds } from "../golds.js";
import { checkGold, Fields, type ProfileForm, readProfile, readQuery } from "../record.js";
import { readJsonArray } from "../records.js";
import type { DataFormat, Visit } from "../source.js";

/** Our own names first, then those of OPPU's release. */
const USERS = ["users.json", "user_top_100_history.json", "user_more_100_history.json"];
const OTHERS = "user_others.json";

export const oppu: DataFormat = {
  name: "oppu",
  summary:
    "one record per user with profile and queries: users.json, or OPPU's user_top_100_history.json; user_others.json",
  source: "https://github.com/TamSiuhin/OPPU",
  async find(path, task, { visible }) {
    const full = resolve(path);
    const isFile = full.endsWith(".json");
    const folder = isFile ? dirname(full) : full;
    const names = await filesIn(folder);
    const users = isFile ? basename(full) : USERS.find((name) => names.includes(name));
    if (users === undefined || !names.includes(users)) return undefined;
    const labels = ["_label.json", "_labels.json"].map((end) => users.replace(/\.json$/, end));
    const labelled = labels.find((name) => names.includes(name));
    const hasTraining = names.includes(OTHERS) && users !== OTHERS;
    const form = { task, visible };
    const training = async (visit: Visit) => [await readUsers(join(folder, OTHERS), form, undefined, visit)];
    return {
      name: basename(folder),
      recordPerQuestion: false,
      test: async (visit) => {
        const golds = labelled === undefined ? undefined : await readGolds(join(folder, labelled), task);
        const facts = await readUsers(join(folder, users), form, golds, visit);
        return golds === undefined ? [facts] : [facts, golds.facts];
      },
      ...(hasTraining ? { training } : {}),
    };
  },
};

async function readUsers(file: string, form: ProfileForm, golds: Golds | undefined, visit: Visit): Promise<FileFacts> {
  const { task } = form;
  const [users, questions] = [new Set<string>(), new Set<string>()];
  return readJsonArray(file, ({ number, bytes, value }) => {
    const where = `${file}: record ${number}`;
    const record = new Fields(value, where, "user");
    if (record.values.user_id === undefined && record.values.question !== undefined)
      record.refuse("own data, in an array; write one object a line into a file that ends in .jsonl, without [ and ]");
    const user = record.needed("user_id");
    if (users.has(user)) record.refuse(`user id ${user} is there twice; keep one`);
    users.add(user);
    const fields = record.as(`user ${user}`);
    const profile = readProfile(fields, form);
    const queries = fields.list("query").map((one): RawQuery => {
      const query = new Fields(one, where, `user ${user}, query`);
      const id = query.needed("id");
      if (questions.has(id)) query.refuse(`question id ${id} is there twice, again with user ${user}; keep one`); // first: a label fits one of them only
      questions.add(id);
      const named = query.as(`user ${user}, question ${id}`);
      const gold = goldOf(named, golds?.byId.get(id));
      if (gold !== undefined) checkGold(gold, task, `${where}, ${named.what}`);
      return readQuery(named, gold);
    });
    return visit({ where, user, profile, queries }, bytes);
  });
}

/** The gold of the label file, else the record's own. Throws UsageError where they differ. */
function goldOf(query: Fields, labelled: string | undefined): string | undefined {
  const inline = query.text("gold");
  if (inline !== undefined && labelled !== undefined && inline !== labelled)
    query.refuse(
      `${query.what}: field "gold" is ${JSON.stringify(inline)} but the label file says ${JSON.stringify(labelled)}; make them agree`,
    );
  return labelled ?? inline;
}
