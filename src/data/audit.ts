import { normalized } from "../text/normalized.js";
import type { Event, Question, RawQuery, Task } from "../types/index.js";
import { dateOrder, isPartOf } from "./dates.js";
import { sameContent } from "./same-content.js";
import type { Source, UserRecord } from "./source.js";
import { hiddenFrom } from "./units.js";

/** What would leak if every shipped item were shown, by what a run does about it. Items are counted once per question. */
export interface Audit {
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

/** The gravest grade that was found; `clean` also where a run hides all that leaks. */
export const verdictOf = ({ grades }: Audit): "leaks" | "suspicions" | "clean" =>
  grades.shown > 0 ? "leaks" : grades.suspicion > 0 ? "suspicions" : "clean";

/** Looks for leaks of test answers into what methods may see. Streams; memory holds test users and question texts only. */
export async function audit(source: Source, task: Task, examples = EXAMPLES_OF_A_KIND): Promise<Audit> {
  const notes = notebook(examples);
  const users = new Set<string>();
  const asked: AskedQuestion[] = [];
  const counts = { pairs: 0, sameDate: 0, undatedQuestions: 0 };

  await source.test((record) => {
    users.add(record.user);
    auditUser(record, { task, notes, asked, counts });
  });
  const isDated = asked.some(({ question }) => question.date !== undefined);
  for (const { question, where, isPastDated } of asked)
    if (isDated && question.date === undefined && isPastDated)
      notes.add("undatedAmongDated", `${where}: question ${question.id}`);

  const pool = poolAudit(asked, task, notes);
  const testUsersInTraining = new Set<string>();
  await source.training?.((record) => {
    if (!users.has(record.user)) return pool(record);
    // Official train files hold earlier questions of the test users; they are left out of the pool, and no leak.
    if (!source.recordPerQuestion) testUsersInTraining.add(record.user);
  });
  if (source.training === undefined) await source.test(pool);
  for (const user of testUsersInTraining) notes.add("testUserInTraining", `training users: ${user}`);
  return { questions: asked.length, ...counts, ...notes.result() };
}

interface AskedQuestion {
  readonly user: string;
  readonly question: Question;
  readonly where: string;
  readonly isPastDated: boolean;
}

interface Work {
  readonly task: Task;
  readonly notes: ReturnType<typeof notebook>;
  readonly asked: AskedQuestion[];
  readonly counts: { pairs: number; sameDate: number; undatedQuestions: number };
}

const EXAMPLES_OF_A_KIND = 3;

function notebook(ofAKind: number) {
  const found = Object.fromEntries(Object.keys(leakKinds).map((kind) => [kind, 0])) as Record<LeakKind, number>;
  const examples: string[] = [];
  return {
    add(kind: LeakKind, where: string): void {
      found[kind] += 1;
      if (found[kind] <= ofAKind) examples.push(`${where}: ${leakKinds[kind].what} (${leakKinds[kind].grade})`);
    },
    result(): Pick<Audit, "found" | "grades" | "examples"> {
      const grades: Record<Grade, number> = { shown: 0, hidden: 0, suspicion: 0 };
      for (const kind of Object.keys(found) as LeakKind[]) grades[leakKinds[kind].grade] += found[kind];
      return { found, grades, examples };
    },
  };
}

/** One user's questions against the user's own past, and against each other. */
function auditUser({ user, profile, queries, where }: UserRecord, work: Work): void {
  const { task, notes } = work;
  const questions = queries.map((query) => task.question(query));
  const shared = queries.every((query) => query.profile === undefined)
    ? profile.map((item) => task.event(item))
    : undefined;
  const next = nextDates(questions);
  const texts = new Set<string>();
  for (const [index, query] of queries.entries()) {
    const question = questions[index]!;
    const events = shared ?? (query.profile ?? profile).map((item) => task.event(item));
    auditPast({ query, question, events, where, next: next[index] }, work);
    const isPastDated = events.some(({ date }) => date !== undefined);
    work.asked.push({ user, question, where, isPastDated });
    const text = normalized(question.content);
    if (texts.has(text)) notes.add("repeatedQuestion", `${where}: question ${question.id}`);
    if (text !== "") texts.add(text);
  }
}

interface Past {
  readonly query: RawQuery;
  readonly question: Question;
  readonly events: readonly Event[];
  readonly where: string;
  /** The earliest date of the user's later questions in the file, as an order. */
  readonly next: number | undefined;
}

function auditPast({ query, question, events, where, next }: Past, { task, notes, counts }: Work): void {
  const judge = hiddenFrom(question);
  const asked = dateOrder(question.date);
  const { gold } = query;
  counts.pairs += events.length;
  if (asked === undefined || events.some(({ date }) => date === undefined)) counts.undatedQuestions += 1;
  const goldTitle = gold === undefined ? undefined : referenceOf(query, gold, task);
  const isGold = sameContent(gold ?? "");
  const isGoldTitle = sameContent(goldTitle ?? "");
  let cited = false;
  for (const event of events) {
    const place = `${where}: question ${question.id}, past item ${event.id}`;
    const reason = judge(event);
    if (reason !== undefined) {
      notes.add(reason, place);
      continue;
    }
    const date = dateOrder(event.date);
    if (asked !== undefined && date === asked) counts.sameDate += 1;
    if (isPartOf(event.date, question.date)) notes.add("shorterDate", place);
    if (asked === undefined && next !== undefined && date !== undefined && date > next)
      notes.add("laterThanNext", place);
    if (gold !== undefined && task.kind === "text" && event.label !== undefined && isGold(event.label))
      notes.add(gold.trim().split(/\s+/).length < SHORT_GOLD ? "shortGoldAsPastLabel" : "goldAsPastLabel", place);
    cited ||= isGoldTitle(event.content);
  }
  if (cited) notes.add("ownReference", `${where}: question ${question.id}`);
  const given = gold === undefined ? undefined : goldInQuestion(question, gold, task);
  if (given !== undefined)
    notes.add(given === "named" ? "goldNamed" : "goldAlone", `${where}: question ${question.id}`);
}

/** Titles such as "Editorial" come twice by chance. */
const SHORT_GOLD = 3;

/** The title that is the right answer, where questions offer two. */
function referenceOf({ input }: RawQuery, gold: string, { choice, labels }: Task): string | undefined {
  return choice?.(input)?.options[labels.indexOf(gold.trim())];
}

/** For each question the earliest date among those that follow it in the file. */
function nextDates(questions: readonly Question[]): (number | undefined)[] {
  const next = new Array<number | undefined>(questions.length);
  let earliest: number | undefined;
  for (let index = questions.length - 1; index >= 0; index--) {
    next[index] = earliest;
    const date = dateOrder(questions[index]!.date);
    if (date !== undefined && (earliest === undefined || date < earliest)) earliest = date;
  }
  return next;
}

/** Other users' items against the texts of all questions. */
function poolAudit(asked: readonly AskedQuestion[], task: Task, { add }: Work["notes"]) {
  const askers = new Map<string, Set<string>>();
  for (const { user, question } of asked) {
    const text = normalized(question.content);
    if (text !== "") askers.set(text, (askers.get(text) ?? new Set()).add(user));
  }
  return ({ user, profile, queries, where }: UserRecord): void => {
    const items = [...profile, ...queries.flatMap((query) => query.profile ?? [])];
    for (const event of items.map((item) => task.event(item))) {
      const users = askers.get(normalized(event.content));
      if (users !== undefined && (users.size > 1 || !users.has(user)))
        add("poolText", `${where}: user ${user}, item ${event.id}`);
    }
  };
}

/** How a question's text gives its gold answer away: by name (`tag: comedy`), or set apart from the prose (`[comedy]`, a last line). */
type GivenAway = "named" | "alone";

/**
 * Reads whether the text that is asked about holds the gold answer as an answer, not as a word of its prose. Undefined where it
 * does not, and for tasks whose questions offer their answers (LaMP-1).
 */
function goldInQuestion(question: Question, gold: string, task: Task): GivenAway | undefined {
  if (task.choice !== undefined || gold.trim() === "") return undefined;
  const words = gold.trim().split(/\s+/).map(escaped).join("\\s+");
  if (!new RegExp(words, "i").test(question.content)) return undefined;
  const nouns = [...NOUNS, task.answerNoun].join("|");
  const named = new RegExp(
    `(?<![\\p{L}\\p{N}])(?:${nouns})s?\\s*(?:is|was|[:=])\\s*["'\\[(]?${words}(?![\\p{L}\\p{N}])`,
    "iu",
  );
  if (named.test(question.content)) return "named";
  if (task.kind === "rating") return undefined; // a digit in brackets is a footnote, not a score
  const alone = [
    `[[({<#]\\s*${words}\\s*(?:[\\])}>]|$)`,
    `(?:^|[.!?\\n])\\s*${words}\\s*[.!]?\\s*$`,
    `^\\s*${words}\\s*(?:[:|\\n]|[-–—]\\s)`,
  ];
  return alone.some((form) => new RegExp(form, "iu").test(question.content)) ? "alone" : undefined;
}

const NOUNS = ["answer", "gold", "label", "class", "tag", "genre", "category", "score", "rating", "headline", "title"];

const escaped = (word: string): string => word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/**
 * How bad a leak is. `shown`: a run with default settings shows it to a method. `hidden`: it stands in the files, and every run
 * hides it. `suspicion`: it may be one, or chance; a person has to look.
 */
export type Grade = "shown" | "hidden" | "suspicion";

/** Every kind of leak that is looked for, in the order in which they are told. */
export const leakKinds = {
  goldAsPastLabel: { grade: "shown", what: "past items of another text with the gold answer as their own" },
  goldNamed: { grade: "shown", what: "questions that name their gold answer as such" },
  laterThanNext: { grade: "shown", what: "past items of undated questions, dated after a later question of the user" },
  own: { grade: "hidden", what: "past items that are the question itself, by id" },
  sameText: { grade: "hidden", what: "past items with the question's text" },
  later: { grade: "hidden", what: "past items dated after the question" },
  poolText: { grade: "hidden", what: "items of other users with the text of a question" },
  testUserInTraining: { grade: "hidden", what: "test users among the training users" },
  ownReference: { grade: "suspicion", what: "questions whose gold reference is a paper of the user's own past" },
  goldAlone: { grade: "suspicion", what: "questions whose text sets their gold answer apart" },
  shortGoldAsPastLabel: {
    grade: "suspicion",
    what: "past items of another text with the gold answer, of one or two words, as their own",
  },
  shorterDate: {
    grade: "suspicion",
    what: "past items dated by the year or month of the question alone: they may be later than it",
  },
  undatedAmongDated: { grade: "suspicion", what: "undated questions with a dated past, among dated questions" },
  repeatedQuestion: {
    grade: "suspicion",
    what: "questions with the text of an earlier one of the same user (--online learns its gold)",
  },
} as const satisfies Record<string, { readonly grade: Grade; readonly what: string }>;

export type LeakKind = keyof typeof leakKinds;
