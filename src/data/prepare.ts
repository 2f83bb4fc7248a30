import { basename, join } from "node:path";
import { GrowingFile, growTogether, makeFolder, removeIfEmpty } from "../disk/whole-file.js";
import { UsageError } from "../errors.js";
import type { Json, RawItem, RawQuery, Task, UserData } from "../types/index.js";
import { withCitationLabels } from "./citation-labels.js";
import type { FileFacts } from "./file-text.js";
import { officialParts, readPart } from "./formats/official.js";
import { itemKey } from "./same-content.js";
import type { UserRecord } from "./source.js";

export interface PrepareSettings {
  readonly task: Task;
  /** Folder with official {train|dev}_questions.json and _outputs.json. */
  readonly from: string;
  readonly out: string;
  /** Test users: those with the longest histories, ties by user id. */
  readonly users: number;
  /** Most training users written; 0 = all. */
  readonly others: number;
  /**
   * Where a user's time line is cut. questions: all official questions are asked, and the history is what every one of them may see (as
   * OPPU's files are made). dev: only dev questions are asked.
   */
  readonly cut: "questions" | "dev";
}

/** Facts of the files written, as in manifest.json. */
export type Prepared = Readonly<Record<string, Json>>;

/**
 * Makes per-user files (users.json, users_label.json, user_others.json, manifest.json) out of official ones, in two passes with
 * bounded memory: the first measures all users, the second keeps the test users and writes the others as they stream by. Refused,
 * it leaves the files that were there, and none of its own. Throws UsageError and FileError.
 */
export async function prepare(settings: PrepareSettings): Promise<Prepared> {
  const { task, from, out, cut, others: mostOthers } = settings;
  const form = { folder: from, task, visible: "strict" } as const;
  const parts = (await officialParts(from)).filter((part) => part !== "test");
  if (parts.length === 0)
    throw new UsageError(
      `--from ${from}: no train_questions.json or dev_questions.json; get them with: lamp-eval data download`,
    );
  parts.sort().reverse(); // train first: within a user, questions then come in time order
  const { users, asked } = await measure(settings, parts);
  const test = longest(users, settings.users);
  makeFolder(out);
  const others = new JsonArrayFile(join(out, "user_others.json"));
  const kept = new Map<string, UserRecord[]>();
  const files: FileFacts[] = [];
  let written = 0;
  const visit = (record: UserRecord): void => {
    const { user, where } = record;
    if (test.has(user)) kept.set(user, [...(kept.get(user) ?? []), record]);
    if (test.has(user) || (mostOthers > 0 && written >= mostOthers)) return;
    if (users.get(user)?.where !== where) return; // only the record with the longest history is written
    written += 1;
    const { profile, query } = onlyQuestion(record);
    others.add(fileForm(labelled({ id: user, profile, queries: [query] }, asked.get(user) ?? [], task)));
  };
  try {
    for (const part of parts) files.push(...(await readPart({ ...form, part }, visit)));
    const made = [...kept].map(([id, records]) => cutUser(id, records, settings));
    const whole = made.filter(({ profile }) => profile.length > 0).sort((a, b) => (a.id < b.id ? -1 : 1));
    const facts = {
      "users left out without history": made.length - whole.length,
      "training users": written,
      "users in the files": users.size,
    };
    if (whole.length === 0)
      throw new UsageError(
        `--from ${from}: no user has both a question and a history that all questions may see; try --cut ${cut === "dev" ? "questions" : "dev"}`,
      );
    return writeAll(settings, whole, { facts, files, others });
  } finally {
    others.drop();
    removeIfEmpty(out);
  }
}

interface Measured {
  /** Each with the longest history of its records, where that stands, and whether the cut asks one of its questions. */
  readonly users: ReadonlyMap<string, { readonly items: number; readonly where: string; readonly isAsked: boolean }>;
  /** Questions with gold by user; kept only for two-title tasks, whose items get labels from them. */
  readonly asked: ReadonlyMap<string, readonly RawQuery[]>;
}

async function measure({ from, task, cut }: PrepareSettings, parts: readonly string[]): Promise<Measured> {
  const form = { folder: from, task, visible: "strict" } as const;
  const users = new Map<string, { items: number; where: string; isAsked: boolean }>();
  const asked = new Map<string, RawQuery[]>();
  for (const part of parts)
    await readPart({ ...form, part }, (record) => {
      const { user, where } = record;
      const { profile, query } = onlyQuestion(record);
      const known = users.get(user);
      const isAsked = known?.isAsked === true || cut !== "dev" || part === "dev";
      const items = profile.length;
      users.set(user, known !== undefined && known.items >= items ? { ...known, isAsked } : { items, where, isAsked });
      if (task.parseCitation !== undefined) asked.set(user, [...(asked.get(user) ?? []), query]);
    });
  return { users, asked };
}

/** Returns the users with the longest histories among those who can be asked. */
function longest(users: Measured["users"], count: number): ReadonlySet<string> {
  const able = [...users].filter(([, { isAsked }]) => isAsked);
  const ranked = able.sort(([a, one], [b, two]) => two.items - one.items || (a < b ? -1 : a > b ? 1 : 0));
  return new Set(ranked.slice(0, count).map(([user]) => user));
}

/** Returns the question of a record of official files, which is one, and its history. */
function onlyQuestion({ queries: [first] }: UserRecord) {
  const { profile = [], ...query } = first!;
  return { profile, query };
}

/** Cuts one user's records, train before dev, into history and questions. */
function cutUser(id: string, records: readonly UserRecord[], { cut, task }: PrepareSettings): UserData {
  const isAsked = ({ where }: UserRecord): boolean => cut === "questions" || where.includes("dev_questions.json");
  const [asked, earlier] = [records.filter(isAsked), records.filter((record) => !isAsked(record))].map((some) =>
    some.map(onlyQuestion),
  );
  const profile = commonItems(asked!.map((one) => one.profile));
  const queries = asked!.map(({ query }) => query);
  return labelled(
    { id, profile, queries },
    earlier!.map(({ query }) => query),
    task,
  );
}

/** Returns the items that every question may see, oldest first. */
function commonItems([first = [], ...rest]: readonly (readonly RawItem[])[]): readonly RawItem[] {
  const others = rest.map((window) => new Set(window.map(itemKey)));
  return first.filter((item) => others.every((keys) => keys.has(itemKey(item))));
}

/** Gives history papers of two-title tasks the options of the user's own earlier questions. */
function labelled(user: UserData, questions: readonly RawQuery[], { parseCitation, name: dataset }: Task): UserData {
  if (parseCitation === undefined) return user;
  const training = new Map([[user.id, questions]]);
  const source = questions.length === 0 ? "none" : "user-train-questions";
  const request = { users: [user], others: undefined, training, parseCitation, source, seed: 0, dataset } as const; // nothing is drawn
  return withCitationLabels(request).users.at(0)!; // the one
}

interface Writing {
  readonly facts: Prepared;
  readonly files: readonly FileFacts[];
  readonly others: JsonArrayFile;
}

/** Writes all files, or none. */
function writeAll({ task, cut, out }: PrepareSettings, users: readonly UserData[], written: Writing): Prepared {
  const golds = users.flatMap(({ queries }) =>
    queries.flatMap(({ id, gold }) => (gold === undefined ? [] : [{ id, output: gold }])),
  );
  const items = users.flatMap(({ profile }) => profile);
  const manifest: Prepared = {
    task: task.name,
    from: written.files.map(({ file, bytes, sha256 }) => ({ name: basename(file), bytes, sha256 })),
    cut,
    users: users.length,
    questions: users.reduce((all, { queries }) => all + queries.length, 0),
    golds: golds.length,
    items: items.length,
    ...written.facts,
    ...(task.parseCitation && { "lamp1.labels": items.some(({ label }) => label) ? "user-train-questions" : "none" }),
  };
  growTogether((grown) => {
    grown(written.others);
    const testUsers = grown(new JsonArrayFile(join(out, "users.json")));
    for (const user of users) testUsers.add(fileForm(user));
    const labels = { task: task.official, golds };
    grown(new GrowingFile(join(out, "users_label.json"))).write(`${JSON.stringify(labels, null, 1)}\n`);
    grown(new GrowingFile(join(out, "manifest.json"))).write(`${JSON.stringify(manifest, null, 2)}\n`);
  });
  return manifest;
}

const fileForm = ({ id, profile, queries }: UserData) => ({ user_id: id, profile, query: queries });

/** A JSON array as a file, written element by element, one a line. */
export class JsonArrayFile extends GrowingFile {
  #before = "[\n";
  #isEnded = false;

  /** Throws FileError. */
  add(value: unknown): void {
    this.write(this.#before + JSON.stringify(value));
    this.#before = ",\n";
  }

  override settle(): void {
    if (!this.#isEnded) this.write(`${this.#before === "[\n" ? "[" : ""}\n]\n`);
    this.#isEnded = true;
    super.settle();
  }
}
