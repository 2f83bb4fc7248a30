import { basename } from "node:path";
import { UsageError } from "../errors.js";
import { pyStrip } from "../text/python.js";
import type { Dataset, RawItem, RawQuery, Sequence, Task, UserData } from "../types/index.js";
import { itemOfQuestion, type LabelSource, withCitationLabels } from "./citation-labels.js";
import type { FileFacts } from "./file-text.js";
import { openSource } from "./open-source.js";
import { hasListedLabels } from "./record.js";
import { type SelectionSettings, selection } from "./selection.js";
import type { ReadSettings, Source, UserRecord } from "./source.js";

/**
 * Returns a check of a record's past labels against the task's list, as golds are checked; it throws UsageError. A label that is not in the
 * list usually comes from a file of another task, and methods would show it to the model as if it could be an answer. Free text and
 * built labels (LaMP-1) are not checked.
 */
function pastLabels(task: Task): (record: UserRecord) => void {
  if (!hasListedLabels(task) || task.choice !== undefined) return () => undefined;
  const known = new Set(task.labels);
  const isForeign = (label: string): boolean =>
    !known.has(pyStrip(label)) && !(task.kind === "rating" && known.has(String(Number(label))));
  return ({ where, user, profile, queries }) => {
    for (const item of [profile, ...queries.map((query) => query.profile ?? [])].flat()) {
      const { label } = task.event(item);
      if (label === undefined || known.has(label) || !isForeign(label)) continue;
      const place = `${where}, user ${user}, past item ${item.id}: label ${JSON.stringify(label.slice(0, 40))}`;
      const labels = task.labels.slice(0, 6).join(", ") + (task.labels.length > 6 ? ", ..." : "");
      throw new UsageError(`${place} is no answer of ${task.name} (${labels}); mend it, or check --task`);
    }
  };
}

const UNWORDED = "questions not in the task's wording, taken whole";
const UNDATED = "past items without a date, left behind the item before them in the file";

/** Facts of a data set that are worth a warning before a run. */
export const doubtfulFacts: readonly string[] = [UNWORDED, UNDATED];

export interface LoadSettings extends SelectionSettings, Partial<Omit<ReadSettings, "seed">> {
  readonly task: Task;
  /** A folder or file; the built-in demo data when left out. */
  readonly path?: string | undefined;
  /** Most training users kept, in file order; 0 = all. Default 500. */
  readonly othersUsers?: number | undefined;
  readonly lamp1Labels: LabelSource;
  /** Seed of built labels (LaMP-1), and of the order of options. */
  readonly seed: number;
}

/**
 * Loads the selected users of a data set, and its training users where it has any. Files are streamed: memory holds what is
 * selected. Every record is checked, selected or not. Throws UsageError naming file, record, field, value and fix.
 */
export async function loadDataset(settings: LoadSettings): Promise<Dataset> {
  const { task } = settings;
  const source = await openSource(settings.path, task, settings);
  const chosen = selection({ ...settings, firstQueries: task.dialogue === true });
  const checkLabels = pastLabels(task);
  const testFiles = await source.test((record, bytes) => {
    checkLabels(record);
    chosen.visit(record, bytes);
  });
  const users = chosen.users();
  if (users.length === 0)
    throw new UsageError(`${testFiles[0]?.file ?? source.name}: it holds no question; check the path`);
  const training = trainingUsers({ task, most: settings.othersUsers ?? 500, isTestUser: chosen.has });
  const visitTraining = (record: UserRecord): void => {
    checkLabels(record);
    training.visit(record);
  };
  const trainingFiles = (await source.training?.(visitTraining)) ?? [];
  const pools = { users, others: source.training === undefined ? undefined : training.others() };
  const labelled = label(pools, training.ofTestUsers, settings, source);
  const { others } = labelled;
  const found = survey(labelled.users, task);
  return {
    name: source.name,
    task: task.name,
    users: labelled.users,
    ...(others === undefined || others.length === 0 ? {} : { others }),
    files: [...testFiles, ...trainingFiles].map(fileOf),
    ordered: found.dated || source.oldestFirst === true || (!source.recordPerQuestion && !found.namedByQuestion),
    facts: {
      ...countsOf(found, chosen.seen),
      ...(source.training === undefined ? {} : { "training users": others?.length ?? 0 }),
      ...(training.seen.testUsers > 0 ? { "test users left out of the training users": training.seen.testUsers } : {}),
      ...labelled.facts,
      ...(found.unworded === 0 ? {} : { [UNWORDED]: found.unworded }),
      ...undatedFacts(found),
    },
  };
}

interface Pools {
  readonly users: Sequence<UserData>;
  readonly others: readonly UserData[] | undefined;
}

function label(
  pools: Pools,
  training: ReadonlyMap<string, readonly RawQuery[]>,
  settings: LoadSettings,
  source: Source,
): Pools & { readonly facts: Readonly<Record<string, string | number>> } {
  const { task, lamp1Labels, seed } = settings;
  if (task.choice === undefined) return { ...pools, facts: {} };
  const made = withCitationLabels({
    ...pools,
    training,
    choice: task.choice,
    source: lamp1Labels,
    seed,
    dataset: source.name,
  });
  return { ...made, facts: { "lamp1.labels": made.source, "labelled past items": made.labelledItems } };
}

const fileOf = ({ file, bytes, sha256 }: FileFacts) => ({ name: basename(file), bytes, sha256 });

/** What one pass over the selected users counts. */
interface Survey {
  users: number;
  questions: number;
  unscored: number;
  /** Questions without the task's marker, or without its two titles: nothing tells where the item is, so they are taken whole. */
  unworded: number;
  items: number;
  undated: number;
  dated: boolean;
  /**
   * Whether every user is called as the only question. Official files, which are undated, hold profiles in random order (LaMP's
   * author, issue 2), and so do per-user files made of them, whose users are called so.
   */
  namedByQuestion: boolean;
}

function survey(users: Iterable<UserData>, task: Task): Survey {
  const isPart = (content: string, text: string): boolean => content !== text || task.ask?.(content) === text;
  const isWorded = (query: RawQuery): boolean =>
    task.dialogue === true ||
    query.options !== undefined ||
    (task.choice === undefined
      ? isPart(task.question(query).content, pyStrip(query.input))
      : task.choice(query.input) !== undefined);
  const found = { users: 0, questions: 0, unscored: 0, unworded: 0, items: 0, undated: 0, namedByQuestion: true };
  for (const { id, profile, queries } of users) {
    found.users += 1;
    found.questions += queries.length;
    found.namedByQuestion &&= queries.length === 1 && queries[0]?.id === id;
    for (const items of [profile, ...queries.map((query) => query.profile ?? [])]) {
      found.items += items.length;
      for (const { date } of items) if (date === undefined) found.undated += 1;
    }
    for (const query of queries) {
      if (query.gold === undefined) found.unscored += 1;
      if (!isWorded(query)) found.unworded += 1;
    }
  }
  return { ...found, dated: found.undated === 0 };
}

function countsOf({ users, questions, unscored }: Survey, seen: { users: number; questions: number }) {
  return {
    users,
    questions,
    ...(seen.users > users ? { "users in the file": seen.users } : {}),
    ...(seen.questions > questions ? { "questions in the file": seen.questions } : {}),
    ...(unscored > 0 ? { unscored } : {}),
  };
}

/** The fact that only some items have dates, where it is so; undated items stay behind the item before them in the file. */
const undatedFacts = ({ undated, items }: Survey) =>
  undated === 0 || undated === items ? {} : { [UNDATED]: `${undated} of ${items}` };

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

function trainingUsers(settings: TrainingSettings): Training {
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
