import type { RawItem, RawQuery, Task, UserData } from "../types.js";
import { itemOfQuestion } from "./citation-labels.js";
import type { UserRecord } from "./source.js";

interface TrainingSettings {
  readonly task: Task;
  /** Most training users kept, in file order; 0 = all. */
  readonly most: number;
  readonly isTestUser: (user: string) => boolean;
}

/** Keeps training users, and the training questions of test users, while records stream by. */
interface Training {
  visit(record: UserRecord): void;
  /** Never a test user. */
  others(): readonly UserData[];
  /** Training questions of test users, for the labels of two-title tasks. */
  readonly ofTestUsers: ReadonlyMap<string, readonly RawQuery[]>;
  readonly seen: { readonly users: number; readonly testUsers: number };
}

export function trainingUsers(settings: TrainingSettings): Training {
  const { task, isTestUser, most } = settings;
  const kept = new Map<string, { profile: readonly RawItem[]; queries: RawQuery[] }>();
  const ofTestUsers = new Map<string, RawQuery[]>();
  const all = new Set<string>();
  const testUsers = new Set<string>();

  const visit = ({ user, profile, queries }: UserRecord): void => {
    all.add(user);
    const bare = task.choice === undefined ? [] : queries.map(({ profile: _window, ...query }) => query);
    if (isTestUser(user)) {
      testUsers.add(user);
      if (bare.length > 0) ofTestUsers.set(user, [...(ofTestUsers.get(user) ?? []), ...bare]);
      return;
    }
    const known = kept.get(user);
    if (known === undefined && most > 0 && kept.size >= most) return;
    const windows = [known?.profile ?? [], profile, ...queries.map((query) => query.profile ?? [])];
    const longest = windows.reduce((best, window) => (window.length > best.length ? window : best));
    kept.set(user, { profile: longest, queries: [...(known?.queries ?? []), ...bare] });
  };

  return {
    visit,
    others: () =>
      [...kept].map(([id, { profile, queries }]) => ({
        id,
        profile: withQuestions(profile, queries, task),
        queries: [],
      })),
    ofTestUsers,
    get seen() {
      return { users: all.size, testUsers: testUsers.size };
    },
  };
}

/** In two-title tasks an undated training user's own questions are labelled past items too. */
function withQuestions(profile: readonly RawItem[], queries: readonly RawQuery[], task: Task): readonly RawItem[] {
  const { choice } = task;
  if (choice === undefined || profile.some(({ date }) => date !== undefined)) return profile;
  return [...profile, ...queries.flatMap((query) => itemOfQuestion(query, choice) ?? [])];
}
