import type { Task } from "../types.js";
import { dateOrder } from "./dates.js";
import { normalized } from "./same-content.js";
import type { Source } from "./source.js";
import { hiddenFrom } from "./visible.js";

/** What would leak if every shipped item were shown. Items are counted once per question that could see them. */
export interface Audit {
  readonly questions: number;
  /** (question, past item) pairs looked at. */
  readonly pairs: number;
  readonly leaks: {
    /** Past items dated after the question. */
    readonly later: number;
    /** Past items that are the question itself, by id. */
    readonly own: number;
    /** Past items with the question's text. */
    readonly sameText: number;
    /** Test users that stand among the training users. */
    readonly testUsersInTraining: number;
    /** Training users' items with the text of a test question. */
    readonly questionTextInTraining: number;
  };
  /** Past items of the very day of the question: allowed, but their order within the day is unknown. */
  readonly sameDate: number;
  /** Questions without a date or with undated items: only ids and texts can be checked. */
  readonly undatedQuestions: number;
  /** Pairs that history.visible=strict hides. */
  readonly hiddenByStrict: number;
  /** Up to ten of the leaks, with file and record. */
  readonly examples: readonly string[];
}

/** Looks for leaks of test answers into what methods may see. Streams; memory holds test users and question texts only. */
export async function audit(source: Source, task: Task): Promise<Audit> {
  const leaks = { later: 0, own: 0, sameText: 0, testUsersInTraining: 0, questionTextInTraining: 0 };
  const examples: string[] = [];
  const users = new Set<string>();
  const texts = new Set<string>();
  let [questions, pairs, sameDate, undatedQuestions] = [0, 0, 0, 0];
  const report = (where: string): void => {
    if (examples.length < 10) examples.push(where);
  };

  await source.test(({ user, profile, queries, where }) => {
    users.add(user);
    for (const query of queries) {
      const question = task.question(query);
      const judge = hiddenFrom(question);
      const asked = dateOrder(question.date);
      const events = (query.profile ?? profile).map((item) => task.event(item));
      questions++;
      pairs += events.length;
      texts.add(normalized(question.content));
      if (asked === undefined || events.some(({ date }) => date === undefined)) undatedQuestions++;
      for (const event of events) {
        const reason = judge(event);
        if (reason === undefined) {
          if (asked !== undefined && dateOrder(event.date) === asked) sameDate++;
          continue;
        }
        leaks[reason]++;
        report(`${where}: question ${query.id}, past item ${event.id}: ${WORDS[reason]}`);
      }
    }
  });
  texts.delete("");

  const testUsersInTraining = new Set<string>();
  await source.training?.(({ user, profile, queries, where }) => {
    if (users.has(user)) {
      // Official train files hold earlier questions of the test users; they are left out of the pool, and no leak.
      if (!source.recordPerQuestion) testUsersInTraining.add(user);
      return;
    }
    for (const item of [...profile, ...queries.flatMap((query) => query.profile ?? [])]) {
      if (!texts.has(normalized(task.event(item).content))) continue;
      leaks.questionTextInTraining++;
      report(`${where}: user ${user}, item ${item.id}: has the text of a test question`);
    }
  });
  for (const user of testUsersInTraining) report(`training users: ${user} is a test user`);
  leaks.testUsersInTraining = testUsersInTraining.size;

  const hiddenByStrict = leaks.later + leaks.own + leaks.sameText;
  return { questions, pairs, leaks, sameDate, undatedQuestions, hiddenByStrict, examples };
}

/** True when nothing leaks. */
export const isClean = ({ leaks }: Audit): boolean => Object.values(leaks).every((count) => count === 0);

// --- internal ---

const WORDS = { own: "is the question itself", later: "is dated after it", sameText: "has the same text" } as const;
