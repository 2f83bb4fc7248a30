import { TemporaryRecords } from "../disk/temporary-records.js";
import { UsageError } from "../errors.js";
import { contentId } from "../text/content-id.js";
import type { RawQuery, Sequence, UserData } from "../types/index.js";
import { lazily } from "./sequence.js";
import type { UserRecord } from "./source.js";

export interface SelectionSettings {
  /** So many users: the first in file order, or with `userSeed` drawn by it; the draw does not depend on file order. */
  readonly users?: number | undefined;
  readonly userSeed?: number | undefined;
  /** Most questions per user, drawn at random; the draw does not depend on file order. */
  readonly queriesPerUser?: number | undefined;
  /** True where these are the first ones, not drawn ones: the turns of a dialogue. */
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
/** The same questions are asked whatever the seed of the run (METHODS 0.1). */
const QUERY_SEED = 0;

/** A user who may be asked. */
interface Candidate {
  readonly name: string;
  /** Numbers of the questions, those that will not be drawn included. */
  readonly questions: number[];
  /** Reason why the user may not be drawn. */
  refused?: UsageError;
}

export function selection(settings: SelectionSettings): Selection {
  const { users: mostUsers = Number.POSITIVE_INFINITY, limit = Number.POSITIVE_INFINITY } = settings;
  const { queriesPerUser = Number.POSITIVE_INFINITY, heldBytes = HELD_BYTES, userSeed } = settings;
  const isDrawn = userSeed !== undefined && settings.users !== undefined;
  const hasLots = settings.queriesPerUser !== undefined && settings.firstQueries !== true;
  const records = new KeptRecords(heldBytes);
  /** By name, in file order. */
  const candidates = new Map<string, Candidate>();
  /** By question, its lot: those with the smallest are drawn. Empty where none is drawn. */
  const lots: string[] = [];
  const all = new Set<string>();
  let asked = new Set<string>();
  let [questions, number] = [0, 0];

  const visit = (record: UserRecord, bytes: number): void => {
    const { user: name, queries } = record;
    all.add(name);
    questions += queries.length;
    const isFull = !isDrawn && (candidates.size >= mostUsers || candidates.size >= limit);
    if (queries.length === 0 || (isFull && !candidates.has(name))) return;
    const empty = settings.emptyProfile === "error" ? emptyProfile(record) : undefined;
    if (empty !== undefined && !isDrawn) throw empty;
    const numbers = queries.map(() => number++);
    const candidate: Candidate = candidates.get(name) ?? { name, questions: numbers };
    if (candidate.questions !== numbers) candidate.questions.push(...numbers);
    if (empty !== undefined) candidate.refused = empty;
    candidates.set(name, candidate);
    records.add(record, bytes);
    if (hasLots) for (const { id } of queries) lots.push(contentId([QUERY_SEED, name, id]));
  };

  const users = (): Sequence<UserData> => {
    const chosen = isDrawn ? drawnUsers([...candidates.values()], mostUsers, userSeed) : [...candidates.values()];
    const drawn = chosen.map(({ questions: own }) => draw(own, lots, queriesPerUser));
    const counts = takenInTurn(drawn, limit);
    const taken = drawn.map((own, user) => own.slice(0, counts[user])).filter((own) => own.length > 0); // the limit leaves out the last users
    asked = new Set(chosen.slice(0, taken.length).map(({ name }) => name));
    const each = function* (): Generator<UserData> {
      for (const own of taken) yield records.user(own);
    };
    const sequence = lazily(taken.length, each, (user) => records.user(taken[user]!));
    return records.isHeld ? [...sequence] : sequence;
  };

  return {
    visit,
    users,
    has: (user) => asked.has(user),
    get seen() {
      return { users: all.size, questions };
    },
  };
}

/** Returns the users with the smallest lots, in file order. Throws what is wrong with one of them. */
function drawnUsers(candidates: readonly Candidate[], most: number, seed: number | undefined): Candidate[] {
  const lots = candidates.map((one) => ({ one, lot: contentId(["user", seed, one.name]) }));
  const mine = new Set(
    lots
      .sort((a, b) => (a.lot < b.lot ? -1 : 1))
      .slice(0, most)
      .map(({ one }) => one),
  );
  const kept = candidates.filter((one) => mine.has(one));
  for (const { refused } of kept) if (refused !== undefined) throw refused;
  return kept;
}

/** Counts the questions that are taken of each user, in their order, where there is room for `limit`: one of every user in each round. */
function takenInTurn(drawn: readonly (readonly number[])[], limit: number): readonly number[] {
  const taken = drawn.map(() => 0);
  const all = drawn.reduce((sum, { length }) => sum + length, 0);
  if (limit >= all) return drawn.map(({ length }) => length);
  let left = limit;
  for (let round = 1; left > 0; round++)
    for (const [user, { length }] of drawn.entries()) {
      if (left === 0 || length < round) continue;
      taken[user] = round;
      left -= 1;
    }
  return taken;
}

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

/** The records of selected users: in memory while they are few, of more in a temporary file, from which each is read when asked for. */
class KeptRecords {
  /** By record, its first question. */
  readonly #first: number[] = [];
  /** By question, its record. */
  readonly #record: number[] = [];
  readonly #mostHeld: number;
  #held: UserRecord[] = [];
  #file: TemporaryRecords<UserRecord> | undefined;
  #bytes = 0;

  /** Records up to `mostHeld` bytes in their files are held. */
  constructor(mostHeld: number) {
    this.#mostHeld = mostHeld;
  }

  get isHeld(): boolean {
    return this.#file === undefined;
  }

  /** Numbers the record's questions on from those before. */
  add(record: UserRecord, bytes: number): void {
    const number = this.#first.push(this.#record.length) - 1;
    for (const _ of record.queries) this.#record.push(number);
    this.#held.push(record);
    this.#bytes += bytes;
    if (this.#bytes <= this.#mostHeld) return;
    this.#file ??= new TemporaryRecords();
    for (const one of this.#held) this.#file.add(one);
    this.#held = [];
  }

  /** The user with these questions, at least one, all of one user. */
  user(questions: readonly number[]): UserData {
    let current: { readonly number: number; readonly record: UserRecord } | undefined;
    let first: UserRecord | undefined;
    const queries = questions.map((question): RawQuery => {
      const number = this.#record[question]!;
      if (number !== current?.number) current = { number, record: this.#file?.at(number) ?? this.#held[number]! };
      first ??= current.record;
      return current.record.queries[question - this.#first[number]!]!; // a record has its questions every time
    });
    return { id: first!.user, profile: first!.profile, queries };
  }
}
