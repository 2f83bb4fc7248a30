import { basename, join } from "node:path";
import { GrowingFile, growTogether, makeFolder } from "../disk/whole-file.js";
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
  readonly cut: Cut;
}

/** What was written, as it stands in manifest.json. */
export type Prepared = Readonly<Record<string, Json>>;

/**
 * Makes per-user files (users.json, users_label.json, user_others.json, manifest.json) out of official ones, in two passes with
 * bounded memory: the first measures all users, the second keeps the test users and writes the others as they stream by. A test
 * user who turns out to have no question or no past makes room for the next longest history, in one more second pass. Refused, it
 * leaves the files that were there, and none of its own. Throws UsageError and FileError.
 */
export async function prepare(settings: PrepareSettings): Promise<Prepared> {
  const { from, out, cut } = settings;
  const parts = (await officialParts(from)).filter((part) => part !== "test");
  if (parts.length === 0)
    throw new UsageError(
      `--from ${from}: no train_questions.json or dev_questions.json; get them with: lamp-eval data download`,
    );
  const inTime = parts.sort().reverse(); // train first: within a user, questions then come in time order
  const measured = await measure(settings, inTime);
  makeFolder(out);
  const lacking = new Set<string>();
  for (;;) {
    const test = longest(measured.users, settings.users, lacking);
    const others = new JsonArrayFile(join(out, "user_others.json"));
    try {
      const { kept, written, files } = await collect(settings, inTime, { ...measured, test, others });
      const users = [...kept].map(([id, records]) => cutUser(id, records, cut));
      const whole = users.filter(({ user }) => user.queries.length > 0 && user.profile.length > 0);
      for (const { user } of users) if (!whole.some((one) => one.user === user)) lacking.add(user.id);
      if (whole.length < users.length && longest(measured.users, settings.users, lacking).size > whole.length) continue;
      const facts = {
        "users left out without question or history": lacking.size,
        "training users": written,
        "users in the files": measured.users.size,
      };
      whole.sort((a, b) => (a.user.id < b.user.id ? -1 : 1));
      return writeAll(settings, whole, { facts, files, others });
    } finally {
      others.drop();
    }
  }
}

interface Measured {
  /** `asked`: has a question that the cut asks. */
  readonly users: ReadonlyMap<string, { readonly items: number; readonly where: string; readonly isAsked: boolean }>;
  /** Questions with gold by user; kept only for two-title tasks, whose items get labels from them. */
  readonly asked: ReadonlyMap<string, readonly RawQuery[]>;
  /** SHA-256 of the questions files: the second pass must read the same ones. */
  readonly hashes: readonly string[];
}

async function measure({ from, task, cut }: PrepareSettings, parts: readonly string[]): Promise<Measured> {
  const users = new Map<string, { items: number; where: string; isAsked: boolean }>();
  const asked = new Map<string, RawQuery[]>();
  const hashes: string[] = [];
  for (const part of parts) {
    const [facts] = await readPart(from, part, task, ({ user, where, queries }) => {
      const { profile = [], ...query } = queries[0]!; // a record of official files is one question
      const known = users.get(user);
      const isAsked = known?.isAsked === true || isAskedPart(part, cut);
      const items = profile.length;
      users.set(user, known !== undefined && known.items >= items ? { ...known, isAsked } : { items, where, isAsked });
      if (task.parseCitation !== undefined) asked.set(user, [...(asked.get(user) ?? []), query]);
    });
    hashes.push(facts!.sha256);
  }
  return { users, asked, hashes };
}

/** The users with the longest histories among those who can be asked. */
function longest(users: Measured["users"], count: number, without: ReadonlySet<string>): ReadonlySet<string> {
  const able = [...users].filter(([user, { isAsked }]) => isAsked && !without.has(user));
  const ranked = able.sort(([a, one], [b, two]) => two.items - one.items || (a < b ? -1 : a > b ? 1 : 0));
  return new Set(ranked.slice(0, count).map(([user]) => user));
}

/** Keeps the records of the test users, and writes each other user with the longest history of its records. */
async function collect(
  { from, task, others: most }: PrepareSettings,
  parts: readonly string[],
  {
    users,
    asked,
    hashes,
    test,
    others,
  }: Measured & { readonly test: ReadonlySet<string>; readonly others: JsonArrayFile },
): Promise<{ kept: Map<string, UserRecord[]>; written: number; files: readonly FileFacts[] }> {
  const kept = new Map<string, UserRecord[]>();
  let written = 0;
  const files: FileFacts[] = [];
  for (const [p, part] of parts.entries()) {
    const found = await readPart(from, part, task, (record) => {
      const { user, where, queries } = record;
      if (test.has(user)) {
        kept.set(user, [...(kept.get(user) ?? []), record]);
        return;
      }
      if (users.get(user)?.where !== where || (most > 0 && written >= most)) return;
      written++;
      const { profile = [], ...query } = queries[0]!; // as in `measure`
      others.add(fileForm(labelled({ id: user, profile, queries: [query] }, asked.get(user) ?? [], task).user));
    });
    if (found[0]!.sha256 !== hashes[p])
      throw new UsageError(`${found[0]!.file}: was changed while it was read; start again`);
    files.push(...found);
  }
  return { kept, written, files };
}

interface Writing {
  readonly facts: Prepared;
  readonly files: readonly FileFacts[];
  readonly others: JsonArrayFile;
}

/** All files, or none. */
function writeAll(
  { task, cut, out, from }: PrepareSettings,
  users: readonly CutUser[],
  { facts, files, others }: Writing,
): Prepared {
  if (users.length === 0)
    throw new UsageError(
      `--from ${from}: no user has both a question and a history that all questions may see; try --cut ${cut === "dev" ? "questions" : "dev"}`,
    );
  const finished = users.map(({ user, earlier }) => labelled(user, earlier, task));
  const golds = finished.flatMap(({ user }) =>
    user.queries.flatMap(({ id, gold }) => (gold === undefined ? [] : [{ id, output: gold }])),
  );
  const sum = (of: (user: UserData) => number): number => finished.reduce((all, { user }) => all + of(user), 0);
  const manifest: Prepared = {
    task: task.name,
    from: files.map(({ file, bytes, sha256 }) => ({ name: basename(file), bytes, sha256 })),
    cut,
    users: users.length,
    questions: sum(({ queries }) => queries.length),
    golds: golds.length,
    items: sum(({ profile }) => profile.length),
    ...facts,
    ...(task.parseCitation && {
      "lamp1.labels": finished.some((made) => made.labelled > 0) ? "user-train-questions" : "none",
    }),
  };
  growTogether((grown) => {
    grown(others);
    const testUsers = grown(new JsonArrayFile(join(out, "users.json")));
    for (const { user } of finished) testUsers.add(fileForm(user));
    const labels = { task: task.official, golds };
    grown(new GrowingFile(join(out, "users_label.json"))).write(`${JSON.stringify(labels, null, 1)}\n`);
    grown(new GrowingFile(join(out, "manifest.json"))).write(`${JSON.stringify(manifest, null, 2)}\n`);
  });
  return manifest;
}

/** Past papers of two-title tasks get the options of the user's own earlier questions. */
function labelled(user: UserData, questions: readonly RawQuery[], { parseCitation: choice, name: dataset }: Task) {
  if (choice === undefined) return { user, labelled: 0 };
  const training = new Map([[user.id, questions]]);
  const source = "user-train-questions";
  const request = { users: [user], others: undefined, training, choice, source, seed: 0, dataset } as const; // nothing is drawn
  const made = withCitationLabels(request);
  return { user: made.users.at(0)!, labelled: made.labelledItems };
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

/**
 * Where a user's time line is cut into past and test. questions: all official questions are asked, and the past is what every one of them
 * may see (as OPPU's files are made). dev: only dev questions are asked.
 */
type Cut = "questions" | "dev";

interface CutUser {
  readonly user: UserData;
  /** The user's questions that are not asked, with gold. */
  readonly earlier: readonly RawQuery[];
}

/** Tells whether the questions of an official part (`train`, `dev`) are asked. */
const isAskedPart = (part: string, cut: Cut): boolean => cut !== "dev" || part === "dev";

/** Cuts one user's records, train before dev, into past and questions. */
function cutUser(id: string, records: readonly UserRecord[], cut: Cut): CutUser {
  const isAsked = ({ where }: UserRecord): boolean => cut === "questions" || where.includes("dev_questions.json");
  const queries = records.filter(isAsked).flatMap((record) => record.queries);
  const earlier = records.filter((record) => !isAsked(record)).flatMap((record) => record.queries.map(withoutWindow));
  return { user: { id, profile: commonWindow(queries), queries: queries.map(withoutWindow) }, earlier };
}

const withoutWindow = ({ profile: _window, ...query }: RawQuery): RawQuery => query;

/** Returns the items that every question may see, oldest first. */
function commonWindow(queries: readonly RawQuery[]): readonly RawItem[] {
  const [first = [], ...rest] = queries.map(({ profile }) => profile ?? []);
  const others = rest.map((window) => new Set(window.map(itemKey)));
  return first.filter((item) => others.every((keys) => keys.has(itemKey(item))));
}
