import { UsageError } from "../errors.js";
import { contentId } from "../text/content-id.js";
import type { RawQuery, Sequence, UserData } from "../types/index.js";
import { KeptRecords } from "./kept-records.js";
import { lazily } from "./sequence.js";
import type { UserRecord } from "./source.js";

export interface SelectionSettings {
  /** So many users: the first in file order, or with `userSeed` drawn by it; the draw does not depend on file order. */
  readonly users?: number | undefined;
  readonly userSeed?: number | undefined;
  /** Most questions per user, drawn at random; the draw does not depend on file order. */
  readonly queriesPerUser?: number | undefined;
  /** Whether these are the first ones instead of drawn ones: the turns of a dialogue. */
  readonly firstQueries?: boolean | undefined;
  /** Most questions in all: a first one of every user in file order, then a second one, until there are enough. */
  readonly limit?: number | undefined;
  readonly emptyProfile: "error" | "keep";
  /** Records up to so many bytes are held in memory, more in a temporary file. Default 16 MB. */
  readonly heldBytes?: number | undefined;
}

/** Notes what is selected while records stream by; memory holds some twenty bytes a question. */
interface Selection {
  /** `bytes`: what the record takes in its file. */
  visit(record: UserRecord, bytes: number): void;
  /** In memory where they are few, else each is read whenever it is asked for. */
  users(): Sequence<UserData>;
  has(user: string): boolean;
  /** Counts over the whole file. */
  readonly seen: { readonly users: number; readonly questions: number };
}

const HELD_BYTES = 16 * 2 ** 20;

export function selection(settings: SelectionSettings): Selection {
  const { users: mostUsers = Number.POSITIVE_INFINITY, limit = Number.POSITIVE_INFINITY } = settings;
  const { queriesPerUser = Number.POSITIVE_INFINITY, heldBytes = HELD_BYTES } = settings;
  const isDrawn = settings.userSeed !== undefined && settings.users !== undefined;
  const isFull = (): boolean => !isDrawn && (chosen.size >= mostUsers || chosen.size >= limit);
  const records = new KeptRecords(heldBytes);
  /** By user, in file order: the numbers of the questions, those that will not be drawn included. */
  let questionsOf: number[][] = [];
  /** By question, its lot; empty where none is drawn. */
  const lots: string[] = [];
  let chosen = new Map<string, number>();
  /** What is wrong with users that may not be drawn. */
  const refused = new Map<string, UsageError>();
  const all = new Set<string>();
  let [questions, number] = [0, 0];
  let counts: readonly number[] = [];

  const visit = (record: UserRecord, bytes: number): void => {
    const name = record.user;
    all.add(name);
    questions += record.queries.length;
    const known = chosen.get(name);
    if (record.queries.length === 0 || (known === undefined && isFull())) return;
    const empty = settings.emptyProfile === "error" ? emptyProfile(record) : undefined;
    if (empty !== undefined && !isDrawn) throw empty;
    if (empty !== undefined) refused.set(name, empty);
    const user = known ?? questionsOf.push([]) - 1;
    chosen.set(name, user);
    const own = questionsOf[user]!;
    records.add(record, bytes);
    for (const query of record.queries) {
      own.push(number++);
      if (settings.queriesPerUser !== undefined && settings.firstQueries !== true) lots.push(lotOf(query, name));
    }
  };

  /** Leaves the users with the smallest lots, in file order. */
  const drawUsers = (): void => {
    const lot = (name: string): string => contentId(["user", settings.userSeed, name]);
    const names = [...chosen.keys()].map((name) => [lot(name), name] as const).sort(([a], [b]) => (a < b ? -1 : 1));
    const mine = new Set(names.slice(0, mostUsers).map(([, name]) => name));
    const kept = [...chosen].filter(([name]) => mine.has(name));
    for (const [name] of kept) if (refused.has(name)) throw refused.get(name)!;
    questionsOf = kept.map(([, user]) => questionsOf[user]!);
    chosen = new Map(kept.map(([name], user) => [name, user]));
  };

  const users = (): Sequence<UserData> => {
    if (isDrawn) drawUsers();
    const drawn = questionsOf.map((own) => draw(own, lots, queriesPerUser));
    counts = takenInTurn(
      drawn.map((own) => own.length),
      limit,
    );
    const asked = counts.filter((count) => count > 0).length; // the limit leaves out the last users
    const userAt = (user: number): UserData => records.user(drawn[user]!.slice(0, counts[user]));
    const each = function* (): Generator<UserData> {
      for (let user = 0; user < asked; user++) yield userAt(user);
    };
    const sequence = lazily(asked, each, userAt);
    return records.isHeld ? [...sequence] : sequence;
  };

  return {
    visit,
    users,
    has: (user) => (counts[chosen.get(user) ?? -1] ?? 0) > 0,
    get seen() {
      return { users: all.size, questions };
    },
  };
}

/** How many of each user's questions are taken, in their order, where there is room for `limit`: one of every user in each round. */
function takenInTurn(drawn: readonly number[], limit: number): readonly number[] {
  if (limit === Number.POSITIVE_INFINITY) return drawn;
  const taken = drawn.map(() => 0);
  let left = Math.min(
    limit,
    drawn.reduce((sum, count) => sum + count, 0),
  );
  for (let round = 0; left > 0; round++)
    for (const [user, count] of drawn.entries()) {
      if (left === 0 || count <= round) continue;
      taken[user] = round + 1;
      left -= 1;
    }
  return taken;
}

/** The number drawn for a question: those with the smallest numbers are kept. */
const lotOf = (query: RawQuery, user: string): string => contentId([QUERY_SEED, user, query.id]);

/** The same questions are asked whatever the seed of the run (METHODS 0.1). */
const QUERY_SEED = 0;

/** The questions with the smallest lots, in file order; the first ones where none were drawn. */
function draw(questions: readonly number[], lots: readonly string[], most: number): readonly number[] {
  if (questions.length <= most || lots.length === 0) return questions.slice(0, most);
  const sorted = questions.map((question) => lots[question]!).sort();
  const highest = sorted[most - 1] ?? "";
  return questions.filter((question) => lots[question]! <= highest);
}

function emptyProfile(record: UserRecord): UsageError | undefined {
  const found = record.queries.find(({ profile = record.profile }) => profile.length === 0);
  if (found === undefined) return undefined;
  return new UsageError(
    `${record.where}: user ${record.user} (question ${found.id}) has an empty profile; use --set data.emptyProfile=keep to keep such users`,
  );
}
