import { UsageError } from "../errors.js";
import { contentId } from "../text/content-id.js";
import { HashIndex, HashSet } from "../text/hash-index.js";
import type { RawQuery, Sequence, UserData } from "../types.js";
import { Column } from "./columns.js";
import { KeptRecords, type ReadAgain } from "./kept-records.js";
import { lazily } from "./sequence.js";
import type { RecordSpan, UserRecord } from "./source.js";

export interface SelectionSettings {
  /** The first so many users in file order. */
  readonly users?: number | undefined;
  /** Most questions per user, drawn by `querySeed`; the draw does not depend on file order. */
  readonly queriesPerUser?: number | undefined;
  readonly querySeed: number;
  /** Whether these are the first ones instead of drawn ones: the turns of a dialogue. */
  readonly firstQueries?: boolean | undefined;
  /** Most questions in all. */
  readonly limit?: number | undefined;
  /**
   * How they are taken: a first question of every user in file order, then a second one, until there are enough; or all of the
   * first user, then all of the next. Default: `round-robin`.
   */
  readonly limitOrder?: "round-robin" | "user-by-user" | undefined;
  readonly emptyProfile: "error" | "keep";
  /** Records up to so many bytes are held in memory, more are read again. Default 16 MB. */
  readonly heldBytes?: number | undefined;
}

/** Notes what is selected while records stream by; memory holds spans and golds, some thirty bytes a question. */
interface Selection {
  visit(record: UserRecord, span: RecordSpan): void;
  /** `again` makes a reader of records that were shown; few are held, of many each is read whenever it is asked for. */
  users(again: () => ReadAgain): Sequence<UserData>;
  /** Whether a user is selected. */
  has(user: string): boolean;
  /** Counts over the whole file. */
  readonly seen: { readonly users: number; readonly questions: number };
}

/** The default of `heldBytes`. */
export const HELD_BYTES = 16 * 2 ** 20;

export function selection(settings: SelectionSettings): Selection {
  const { users: mostUsers = Number.POSITIVE_INFINITY, limit = Number.POSITIVE_INFINITY } = settings;
  const { queriesPerUser = Number.POSITIVE_INFINITY, heldBytes = HELD_BYTES, limitOrder = "round-robin" } = settings;
  const isFull = (): boolean =>
    chosen.size >= mostUsers || (limitOrder === "round-robin" ? chosen.size >= limit : kept >= limit);
  const records = new KeptRecords(heldBytes);
  /** By question, in file order. */
  const userOf = new Column();
  const lots: string[] = [];
  const chosen = new HashIndex();
  const questionsOf = new Column(); // by user, those that will not be drawn included
  let all: HashSet | undefined = new HashSet();
  let allUsers = 0;
  let [kept, questions] = [0, 0];
  let counts = new Uint32Array(0);

  const visit = (record: UserRecord, span: RecordSpan): void => {
    const name = record.user;
    all?.set(name, true);
    questions += record.queries.length;
    const known = chosen.find(name);
    if (record.queries.length === 0 || (known < 0 && isFull())) return;
    if (settings.emptyProfile === "error") refuseEmpty(record);
    const user = known < 0 ? chosen.add(name) : known;
    if (known < 0) questionsOf.push(0);
    const before = questionsOf.at(user);
    const after = before + record.queries.length;
    questionsOf.set(user, after);
    kept += Math.min(after, queriesPerUser) - Math.min(before, queriesPerUser);
    records.add(span, record);
    for (const query of record.queries) {
      userOf.push(user);
      if (settings.queriesPerUser !== undefined)
        lots.push(settings.firstQueries === true ? placed(lots.length) : lotOf(query, record.user, settings));
    }
  };

  /** Questions by user, each user's in file order, and where each user's begin. */
  const ordered = (): { order: Uint32Array; starts: Uint32Array } => {
    const starts = new Uint32Array(chosen.size + 1);
    for (let user = 0; user < chosen.size; user++) starts[user + 1] = starts[user]! + questionsOf.at(user);
    const order = new Uint32Array(userOf.length);
    const next = starts.slice();
    for (let question = 0; question < userOf.length; question++) order[next[userOf.at(question)]!++] = question;
    return { order, starts };
  };

  const users = (again: () => ReadAgain): Sequence<UserData> => {
    allUsers = all?.size ?? allUsers;
    all = undefined; // all have been shown: of many users their ids are large
    const { order, starts } = ordered();
    const drawn = new Uint32Array(chosen.size);
    for (let user = 0; user < chosen.size; user++)
      drawn[user] = draw(order.subarray(starts[user]!, starts[user + 1]!), lots, queriesPerUser);
    counts = takers[limitOrder](drawn, limit);
    const asked = counts.reduce((sum, count) => sum + (count > 0 ? 1 : 0), 0); // the limit leaves out the last users
    const userAt = (user: number, read: ReadAgain): UserData => {
      const start = starts[user]!;
      return records.user(order.subarray(start, start + counts[user]!), read);
    };
    const each = function* (): Generator<UserData> {
      const read = again();
      for (let user = 0; user < asked; user++) yield userAt(user, read);
    };
    const read = again();
    const sequence = lazily(asked, each, (user) => userAt(user, read));
    return records.bytes <= heldBytes ? [...sequence] : sequence;
  };

  return {
    visit,
    users,
    has: (user) => (counts[chosen.find(user)] ?? 0) > 0,
    get seen() {
      return { users: all?.size ?? allUsers, questions };
    },
  };
}

/** How many of each user's questions are taken, in their order, where there is room for `limit`. */
const takers = { "round-robin": takenInTurn, "user-by-user": takenByUser } as const;

function takenByUser(drawn: Uint32Array<ArrayBuffer>, limit: number): Uint32Array<ArrayBuffer> {
  let left = limit;
  return drawn.map((count) => {
    const taken = Math.min(count, left);
    left -= taken;
    return taken;
  });
}

/** Whole rounds over the users as long as there is room for one, then the first users of the round that is cut. */
function takenInTurn(drawn: Uint32Array<ArrayBuffer>, limit: number): Uint32Array<ArrayBuffer> {
  if (limit === Number.POSITIVE_INFINITY) return drawn;
  const taken = new Uint32Array(drawn.length);
  let left = limit;
  for (;;) {
    const open = Array.from(drawn.keys()).filter((user) => taken[user]! < drawn[user]!);
    if (open.length === 0 || left === 0) return taken;
    const rounds = left < open.length ? 1 : leastRounds(open, taken, drawn, Math.floor(left / open.length));
    for (const user of open.slice(0, left)) taken[user]! += rounds;
    left -= Math.min(left, open.length * rounds);
  }
}

/** How many rounds all open users can be in. */
const leastRounds = (open: readonly number[], taken: Uint32Array, drawn: Uint32Array, most: number): number =>
  open.reduce((least, user) => Math.min(least, drawn[user]! - taken[user]!), most);

/** The number drawn for a question: those with the smallest numbers are kept. */
const lotOf = (query: RawQuery, user: string, { querySeed }: SelectionSettings): string =>
  contentId([querySeed, user, query.id]);

/** Numbers that are in order as texts too. */
const placed = (number: number): string => String(number).padStart(12, "0");

/** Moves the questions with the smallest lots to the front, in file order. Returns how many. */
function draw(questions: Uint32Array, lots: readonly string[], most: number): number {
  if (questions.length <= most) return questions.length;
  const sorted = Array.from(questions, (question) => lots[question]!).sort();
  const highest = sorted[most - 1] ?? "";
  const kept = questions.filter((question) => lots[question]! <= highest);
  questions.set(kept);
  return kept.length;
}

function refuseEmpty(record: UserRecord): void {
  for (const { id, profile = record.profile } of record.queries)
    if (profile.length === 0)
      throw new UsageError(
        `${record.where}: user ${record.user} (question ${id}) has an empty profile; use --set data.emptyProfile=keep to keep such users`,
      );
}
