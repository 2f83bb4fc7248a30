import { normalized } from "../text/words.js";
import type { Event, Question, RawQuery, Task } from "../types/index.js";
import { dateOrder, isPartOf } from "./dates.js";
import { sameContent } from "./same-content.js";
import type { Source, UserRecord } from "./source.js";
import { hiddenFrom } from "./units.js";

/**
 * How bad a leak is. `shown`: a run with default settings shows it to a method. `hidden`: it stands in the files, and every run
 * hides it. `suspicion`: it may be one, or chance; a person has to look.
 */
export type Grade = "shown" | "hidden" | "suspicion";

/** Every kind of leak that is looked for, in the order of the report. */
export const leakKinds = {
  goldAsPastLabel: { grade: "shown", what: "history items of another text with the gold answer as their own" },
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
  ownReference: { grade: "suspicion", what: "questions whose gold reference is a paper of the user's own history" },
  goldAlone: { grade: "suspicion", what: "questions whose text sets their gold answer apart" },
  shortGoldAsPastLabel: {
    grade: "suspicion",
    what: "history items of another text with the gold answer, of one or two words, as their own",
  },
  shorterDate: {
    grade: "suspicion",
    what: "history items dated by the year or month of the question alone: they may be later than it",
  },
  undatedAmongDated: { grade: "suspicion", what: "undated questions with a dated history, among dated questions" },
  repeatedQuestion: {
    grade: "suspicion",
    what: "questions with the text of an earlier one of the same user (--online learns its gold)",
  },
} as const satisfies Record<string, { readonly grade: Grade; readonly what: string }>;

export type LeakKind = keyof typeof leakKinds;

/** What would leak if every shipped item were shown, by what a run does about it. Items are counted once per question. */
export interface Audit {
  readonly verdict: "leaks" | "suspicions" | "clean";
  readonly questions: number;
  /** (question, past item) pairs looked at. */
  readonly pairs: number;
  /** How often each kind was found. */
  readonly found: Readonly<Record<LeakKind, number>>;
  /** The same by grade. */
  readonly grades: Readonly<Record<Grade, number>>;
  /** Past items of the very day of the question: allowed, but their order within the day is unknown. */
  readonly sameDate: number;
  /** Questions without a date or with undated items: only ids and texts can be checked. */
  readonly undatedQuestions: number;
  /** As many of each kind as asked for, with file and record, in the order of the files. */
  readonly examples: readonly string[];
}

const EXAMPLES_OF_A_KIND = 3;

/** Looks for leaks of test answers into what methods may see. Streams; memory holds test users and question texts only. */
export async function audit(source: Source, task: Task, examples = EXAMPLES_OF_A_KIND): Promise<Audit> {
  const work = new AuditWork(task, examples);
  await source.test((record) => work.askedBy(record));
  work.noteUndated();
  const testUsersInTraining = new Set<string>();
  await source.training?.((record) => {
    if (!work.texts.has(record.user)) return work.inPool(record);
    // Official train files hold earlier questions of the test users; they are left out of the pool, and no leak.
    if (!source.recordPerQuestion) testUsersInTraining.add(record.user);
  });
  if (source.training === undefined) await source.test((record) => work.inPool(record));
  for (const user of testUsersInTraining) work.add("testUserInTraining", `training users: ${user}`);
  return work.result();
}

interface Asked {
  readonly query: RawQuery;
  readonly question: Question;
  readonly events: readonly Event[];
  /** `file: record 1: question q`. */
  readonly where: string;
  /** The earliest date of the user's later questions in the record, as an order. */
  readonly next: number | undefined;
}

class AuditWork {
  readonly #task: Task;
  readonly #ofAKind: number;
  readonly #found = Object.fromEntries(Object.keys(leakKinds).map((kind) => [kind, 0])) as Record<LeakKind, number>;
  readonly #examples: string[] = [];
  /** By user, the texts of the questions. */
  readonly texts = new Map<string, Set<string>>();
  /** By the text of a question, who asks it. */
  readonly #askers = new Map<string, Set<string>>();
  /** Undated questions with a dated past. */
  readonly #undated: string[] = [];
  #isDated = false;
  #counts = { questions: 0, pairs: 0, sameDate: 0, undatedQuestions: 0 };

  constructor(task: Task, ofAKind: number) {
    this.#task = task;
    this.#ofAKind = ofAKind;
  }

  add(kind: LeakKind, where: string): void {
    this.#found[kind] += 1;
    const { grade, what } = leakKinds[kind];
    if (this.#found[kind] <= this.#ofAKind) this.#examples.push(`${where}: ${what} (${grade})`);
  }

  /** Checks a user's questions against the user's own past, and against each other. */
  askedBy({ user, profile, queries, where }: UserRecord): void {
    const task = this.#task;
    const questions = queries.map((query) => task.question(query));
    const shared = profile.map((item) => task.event(item));
    const next = nextDates(questions);
    const texts = this.texts.get(user) ?? new Set();
    this.texts.set(user, texts);
    for (const [at, query] of queries.entries()) {
      const question = questions[at]!;
      const events = query.profile?.map((item) => task.event(item)) ?? shared;
      const asked = { query, question, events, where: `${where}: question ${question.id}`, next: next[at] };
      this.#past(asked);
      this.#given(asked);
      this.#isDated ||= question.date !== undefined;
      if (question.date === undefined && events.some(({ date }) => date !== undefined)) this.#undated.push(asked.where);
      const text = normalized(question.content);
      if (texts.has(text)) this.add("repeatedQuestion", asked.where);
      if (text === "") continue;
      texts.add(text);
      this.#askers.set(text, (this.#askers.get(text) ?? new Set()).add(user));
    }
  }

  #past({ query, question, events, where, next }: Asked): void {
    const hidden = hiddenFrom(question);
    const asked = dateOrder(question.date);
    const { gold } = query;
    const isGold = sameContent(gold ?? "");
    const counts = this.#counts;
    counts.questions += 1;
    counts.pairs += events.length;
    if (asked === undefined || events.some(({ date }) => date === undefined)) counts.undatedQuestions += 1;
    for (const event of events) {
      const place = `${where}, history item ${event.id}`;
      const reason = hidden(event);
      if (reason !== undefined) {
        this.add(reason, place);
        continue;
      }
      const date = dateOrder(event.date);
      if (asked !== undefined && date === asked) counts.sameDate += 1;
      if (isPartOf(event.date, question.date)) this.add("shorterDate", place);
      if (asked === undefined && next !== undefined && date !== undefined && date > next)
        this.add("laterThanNext", place);
      if (gold !== undefined && this.#task.kind === "text" && event.label !== undefined && isGold(event.label))
        this.add(gold.trim().split(/\s+/).length < SHORT_GOLD ? "shortGoldAsPastLabel" : "goldAsPastLabel", place);
    }
  }

  /** Checks whether a question gives its own gold away. */
  #given({ query: { input, gold }, question, events, where }: Asked): void {
    if (gold === undefined) return;
    const { parseCitation: choice, labels } = this.#task;
    const title = choice?.(input)?.options[labels.indexOf(gold.trim())];
    const isTitle = sameContent(title ?? "");
    const hidden = hiddenFrom(question);
    if (events.some((event) => isTitle(event.content) && hidden(event) === undefined)) this.add("ownReference", where);
    const given = goldInQuestion(question, gold, this.#task);
    if (given !== undefined) this.add(given, where);
  }

  noteUndated(): void {
    if (this.#isDated) for (const where of this.#undated) this.add("undatedAmongDated", where);
  }

  /** Checks another user's items against the texts of all questions. */
  inPool({ user, profile, queries, where }: UserRecord): void {
    for (const item of [...profile, ...queries.flatMap((query) => query.profile ?? [])]) {
      const event = this.#task.event(item);
      const users = this.#askers.get(normalized(event.content));
      if (users !== undefined && (users.size > 1 || !users.has(user)))
        this.add("poolText", `${where}: user ${user}, item ${event.id}`);
    }
  }

  result(): Audit {
    const grades: Record<Grade, number> = { shown: 0, hidden: 0, suspicion: 0 };
    for (const [kind, { grade }] of Object.entries(leakKinds)) grades[grade] += this.#found[kind as LeakKind]; // its keys
    const verdict = grades.shown > 0 ? "leaks" : grades.suspicion > 0 ? "suspicions" : "clean";
    return { verdict, ...this.#counts, found: this.#found, grades, examples: this.#examples };
  }
}

/** Titles such as "Editorial" come twice by chance. */
const SHORT_GOLD = 3;

/** For each question the earliest date among those that follow it in the file. */
function nextDates(questions: readonly Question[]): (number | undefined)[] {
  let earliest: number | undefined;
  return questions
    .toReversed()
    .map(({ date }) => {
      const next = earliest;
      earliest = Math.min(dateOrder(date) ?? Number.POSITIVE_INFINITY, earliest ?? Number.POSITIVE_INFINITY);
      return next;
    })
    .reverse();
}

/**
 * Returns how the text that is asked about gives the gold answer away: by name (`tag: comedy`), or set apart from the prose (`[comedy]`,
 * a last line). Undefined where it does not, and for tasks whose questions offer their answers (LaMP-1).
 */
function goldInQuestion({ content }: Question, gold: string, task: Task): "goldNamed" | "goldAlone" | undefined {
  if (task.parseCitation !== undefined || gold.trim() === "") return undefined;
  const words = gold.trim().split(/\s+/).map(escaped).join("\\s+");
  const has = (form: string): boolean => new RegExp(form, "iu").test(content);
  if (!has(words)) return undefined;
  const nouns = [...NOUNS, escaped(task.answerNoun)].join("|");
  if (has(`(?<![\\p{L}\\p{N}])(?:${nouns})s?\\s*(?:is|was|[:=])\\s*["'\\[(]?${words}(?![\\p{L}\\p{N}])`))
    return "goldNamed";
  if (task.kind === "rating") return undefined; // a digit in brackets is a footnote, not a score
  const apart = [
    `[[({<#]\\s*${words}\\s*(?:[\\])}>]|$)`,
    `(?:^|[.!?\\n])\\s*${words}\\s*[.!]?\\s*$`,
    `^\\s*${words}\\s*(?:[:|\\n]|[-–—]\\s)`,
  ];
  return apart.some(has) ? "goldAlone" : undefined;
}

const NOUNS = ["answer", "gold", "label", "class", "tag", "genre", "category", "score", "rating", "headline", "title"];

const escaped = (word: string): string => word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
