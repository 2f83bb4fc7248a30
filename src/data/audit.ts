import { escapeRegExp, normalized } from "../text/words.js";
import type { Event, Question, RawItem, RawQuery, Task } from "../types/index.js";
import { dateOrder, isCoarserDate } from "./dates.js";
import { sameContent } from "./same-content.js";
import type { Source, UserRecord } from "./source.js";
import { hiddenReason } from "./units.js";

/**
 * Severity of a leak. `shown`: a run with default settings shows it to a method. `hidden`: it stands in the files, and every run
 * hides it. `suspicion`: it may be one, or chance; a person has to look.
 */
export type Grade = "shown" | "hidden" | "suspicion";

/** Every kind of leak that is looked for, in the order of the report. */
export const leakKinds = {
  goldAsPastLabel: { grade: "shown", what: "history items of another text labelled with the gold answer" },
  goldNamed: { grade: "shown", what: "questions that name their gold answer as such" },
  laterThanNext: {
    grade: "shown",
    what: "history items of undated questions, dated after a later question of the user",
  },
  own: { grade: "hidden", what: "history items that are the question itself, by id" },
  sameText: { grade: "hidden", what: "history items with the question's text" },
  later: { grade: "hidden", what: "history items dated after the question" },
  poolText: { grade: "hidden", what: "items of other users with the text of a question" },
  testUserInTraining: { grade: "hidden", what: "test users among the training users" },
  shorterDate: {
    grade: "suspicion",
    what: "history items dated only by the year or month of the question: they may be later than it",
  },
  repeatedQuestion: {
    grade: "suspicion",
    what: "questions with the text of an earlier one of the same user (--online learns its gold)",
  },
} as const satisfies Record<string, { readonly grade: Grade; readonly what: string }>;

export type LeakKind = keyof typeof leakKinds;

/** Leaks if every shipped item were shown, by what a run does about it. Items are counted once per question. */
export interface Audit {
  readonly verdict: "leaks" | "suspicions" | "clean";
  readonly questions: number;
  /** (question, history item) pairs looked at. */
  readonly pairs: number;
  /** Number of leaks by kind. */
  readonly found: Readonly<Record<LeakKind, number>>;
  /** The same by grade. */
  readonly grades: Readonly<Record<Grade, number>>;
  /** History items of the very day of the question: allowed, but their order within the day is unknown. */
  readonly sameDate: number;
  /** Questions without a date or with undated items: only ids and texts can be checked. */
  readonly undatedQuestions: number;
  /** As many of each kind as asked for, with file and record, in the order of the files. */
  readonly examples: readonly string[];
}

type Add = (kind: LeakKind, where: string) => void;

const EXAMPLES_OF_A_KIND = 3;

/** Looks for leaks of test answers into what methods may see. Streams; memory holds test users and question texts only. */
export async function audit(source: Source, task: Task, examplesOfAKind = EXAMPLES_OF_A_KIND): Promise<Audit> {
  const found = Object.fromEntries(Object.keys(leakKinds).map((kind) => [kind, 0])) as Record<LeakKind, number>;
  const grades: Record<Grade, number> = { shown: 0, hidden: 0, suspicion: 0 };
  const examples: string[] = [];
  const add: Add = (kind, where) => {
    const { grade, what } = leakKinds[kind];
    grades[grade] += 1;
    found[kind] += 1;
    if (found[kind] <= examplesOfAKind) examples.push(`${where}: ${what} (${grade})`);
  };
  /** By user, the texts of the questions. */
  const texts = new Map<string, Set<string>>();
  const counts = { questions: 0, pairs: 0, sameDate: 0, undatedQuestions: 0 };
  await source.test((record) => {
    const own = texts.get(record.user) ?? new Set();
    texts.set(record.user, own);
    for (const asked of askedIn(record, task)) {
      const { question, events, where } = asked;
      const isUndated = question.date === undefined || events.some(({ date }) => date === undefined);
      counts.questions += 1;
      counts.pairs += events.length;
      counts.undatedQuestions += isUndated ? 1 : 0;
      counts.sameDate += checkHistory(asked, task, add);
      if (namesGold(asked, task)) add("goldNamed", where);
      const text = normalized(question.content);
      if (own.has(text)) add("repeatedQuestion", where);
      if (text !== "") own.add(text);
    }
  });
  const askers = new Map<string, Set<string>>();
  for (const [user, own] of texts) for (const text of own) askers.set(text, (askers.get(text) ?? new Set()).add(user));
  const inPool = ({ user, profile, queries, where }: UserRecord): void => {
    for (const item of [...profile, ...queries.flatMap((query) => query.profile ?? [])]) {
      const { id, content } = task.event(item);
      const users = askers.get(normalized(content));
      if (users !== undefined && (users.size > 1 || !users.has(user)))
        add("poolText", `${where}: user ${user}, item ${id}`);
    }
  };
  const testUsersInTraining = new Set<string>();
  await (source.training ?? source.test)((record) => {
    if (source.training === undefined || !texts.has(record.user)) return inPool(record);
    // Official train files hold earlier questions of the test users; they are left out of the pool, and no leak.
    if (!source.recordPerQuestion) testUsersInTraining.add(record.user);
  });
  for (const user of testUsersInTraining) add("testUserInTraining", `training users: ${user}`);
  const verdict = grades.shown > 0 ? "leaks" : grades.suspicion > 0 ? "suspicions" : "clean";
  return { verdict, ...counts, found, grades, examples };
}

interface Asked {
  readonly question: Question;
  readonly gold: string | undefined;
  readonly events: readonly Event[];
  /** `file: record 1: question q`. */
  readonly where: string;
  /** The earliest date of the user's later questions in the record, as an order. */
  readonly next: number;
}

/** Returns the questions of a record, each with its history. */
function askedIn({ profile, queries, where }: UserRecord, task: Task): Asked[] {
  const eventsOf = (items: readonly RawItem[]): Event[] => items.map((item) => task.event(item));
  const shared = eventsOf(profile);
  let next = Number.POSITIVE_INFINITY;
  const backwards = queries.toReversed().map((query: RawQuery): Asked => {
    const question = task.question(query);
    const events = query.profile === undefined ? shared : eventsOf(query.profile);
    const asked = { question, gold: query.gold, events, where: `${where}: question ${question.id}`, next };
    next = Math.min(next, dateOrder(question.date) ?? next);
    return asked;
  });
  return backwards.reverse();
}

/** Looks for leaks among a question's history. Returns how many items are of the question's own day. */
function checkHistory({ question, gold, events, where, next }: Asked, task: Task, add: Add): number {
  const hidden = hiddenReason(question);
  const asked = dateOrder(question.date);
  const isLongText = task.kind === "text" && (gold ?? "").trim().split(/\s+/).length >= LONG_GOLD;
  const isGold = sameContent(isLongText ? gold! : ""); // equal to nothing
  let sameDate = 0;
  for (const event of events) {
    const place = `${where}, history item ${event.id}`;
    const reason = hidden(event);
    if (reason !== undefined) {
      add(reason, place);
      continue;
    }
    const date = dateOrder(event.date);
    if (asked !== undefined && date === asked) sameDate += 1;
    if (isCoarserDate(event.date, question.date)) add("shorterDate", place);
    if (asked === undefined && date !== undefined && date > next) add("laterThanNext", place);
    if (event.label !== undefined && isGold(event.label)) add("goldAsPastLabel", place);
  }
  return sameDate;
}

/** Words; shorter titles, such as "Editorial", come twice by chance. */
const LONG_GOLD = 3;

/** Tells whether the text that is asked about names the gold answer (`tag: comedy`). Not where questions offer their answers (LaMP-1). */
function namesGold({ question: { content }, gold = "" }: Asked, task: Task): boolean {
  if (task.parseCitation !== undefined || gold.trim() === "") return false;
  const words = gold.trim().split(/\s+/).map(escapeRegExp).join("\\s+");
  const nouns = [...NOUNS, escapeRegExp(task.answerNoun)].join("|");
  const named = `(?<![\\p{L}\\p{N}])(?:${nouns})s?\\s*(?:is|was|[:=])\\s*["'\\[(]?${words}(?![\\p{L}\\p{N}])`;
  return new RegExp(named, "iu").test(content);
}

const NOUNS = ["answer", "gold", "label", "class", "tag", "genre", "category", "score", "rating", "headline", "title"];
