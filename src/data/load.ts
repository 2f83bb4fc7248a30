import { basename } from "node:path";
import { UsageError } from "../errors.js";
import { pyStrip } from "../text/python.js";
import type { Dataset, RawItem, RawQuery, Task, UserData } from "../types/index.js";
import { itemOfQuestion, type LabelSource, withCitationLabels } from "./citation-labels.js";
import { byDate } from "./dates.js";
import type { FileFacts } from "./file-text.js";
import { openSource } from "./formats/index.js";
import { taskNamed } from "./golds.js";
import { hasListedLabels, noAnswer } from "./record.js";
import { type SelectionSettings, selection } from "./selection.js";
import type { ReadSettings, UserRecord } from "./source.js";

const UNWORDED = "questions not in the task's wording, taken whole";
const UNDATED = "history items without a date, left behind the item before them in the file";

/** What the gold file calls its task, where that is not the official name. */
export const GOLDS_TASK = "task of the golds";

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
  const { task, lamp1Labels: labels, seed } = settings;
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
  const training = trainingUsers(task, settings.othersUsers ?? 500, chosen.has);
  const trainingFiles = await source.training?.((record) => {
    checkLabels(record);
    training.visit(record);
  });
  const pools = { users, others: trainingFiles && training.others() };
  const { parseCitation } = task;
  const request = { ...pools, training: training.ofTestUsers, source: labels, seed, dataset: source.name };
  const made = parseCitation && withCitationLabels({ ...request, parseCitation });
  const { others } = made ?? pools;
  const found = survey(made?.users ?? users, task);
  const { seen } = chosen;
  const goldsTask = testFiles.map(taskNamed).find((named) => named !== undefined && named !== task.official);
  const isPartlyDated = found.undated > 0 && found.undated < found.items;
  return {
    name: source.name,
    task: task.name,
    users: made?.users ?? users,
    ...(others === undefined || others.length === 0 ? {} : { others }),
    files: [...testFiles, ...(trainingFiles ?? [])].map(fileOf),
    ordered:
      found.isInTime &&
      (found.undated === 0 || source.oldestFirst === true || !(source.recordPerQuestion || found.namedByQuestion)),
    facts: {
      users: found.users,
      questions: found.questions,
      ...(seen.users > found.users ? { "users in the file": seen.users } : {}),
      ...(seen.questions > found.questions ? { "questions in the file": seen.questions } : {}),
      ...(found.unscored > 0 ? { unscored: found.unscored } : {}),
      ...(trainingFiles === undefined ? {} : { "training users": others?.length ?? 0 }),
      ...(goldsTask === undefined ? {} : { [GOLDS_TASK]: goldsTask }),
      ...(training.ofTestUsers.size > 0
        ? { "test users left out of the training users": training.ofTestUsers.size }
        : {}),
      ...(made === undefined ? {} : { "lamp1.labels": made.source, "labelled history items": made.labelledItems }),
      ...(found.unworded === 0 ? {} : { [UNWORDED]: found.unworded }),
      ...(isPartlyDated ? { [UNDATED]: `${found.undated} of ${found.items}` } : {}),
    },
  };
}

const fileOf = ({ file, bytes, sha256 }: FileFacts) => ({ name: basename(file), bytes, sha256 });

/**
 * Returns a check of a record's past labels against the task's list, as golds are checked; it throws UsageError. A label that is not in
 * the list usually comes from a file of another task, and methods would show it to the model as if it could be an answer. Free text and
 * built labels (LaMP-1) are not checked.
 */
function pastLabels(task: Task): (record: UserRecord) => void {
  if (!hasListedLabels(task) || task.parseCitation !== undefined) return () => undefined;
  const known = new Set(task.labels);
  const isKnown = (label: string): boolean =>
    known.has(label) || known.has(pyStrip(label)) || (task.kind === "rating" && known.has(String(Number(label))));
  return ({ where, user, profile, queries }) => {
    for (const item of [profile, ...queries.map((query) => query.profile ?? [])].flat()) {
      const { label } = task.event(item);
      if (label === undefined || isKnown(label)) continue;
      const named = JSON.stringify(label.slice(0, 40));
      throw noAnswer(`${where}, user ${user}, history item ${item.id}: label ${named}`, task);
    }
  };
}

/** Counts the selected users in one pass. */
function survey(users: Iterable<UserData>, task: Task) {
  const found = { users: 0, questions: 0, unscored: 0, items: 0, undated: 0, isInTime: true };
  /** Questions without the task's marker, or without its two titles: nothing tells where the item is, so they are taken whole. */
  let unworded = 0;
  /**
   * True where each user has the id of its only question, as in per-user files made of official ones. Undated official files hold
   * profiles in random order (LaMP's author, issue 2).
   */
  let namedByQuestion = true;
  for (const { id, profile, queries } of users) {
    found.users += 1;
    found.questions += queries.length;
    namedByQuestion &&= queries.length === 1 && queries[0]?.id === id;
    for (const items of [profile, ...queries.map((query) => query.profile ?? [])]) {
      found.items += items.length;
      for (const { date } of items) if (date === undefined) found.undated += 1;
      found.isInTime &&= byDate(items) === items;
    }
    for (const query of queries) {
      if (query.gold === undefined) found.unscored += 1;
      if (!isWorded(query, task)) unworded += 1;
    }
  }
  return { ...found, unworded, namedByQuestion };
}

function isWorded(query: RawQuery, task: Task): boolean {
  if (task.dialogue === true || query.options !== undefined) return true;
  if (task.parseCitation !== undefined) return task.parseCitation(query.input) !== undefined;
  const [{ content }, text] = [task.question(query), pyStrip(query.input)];
  return content !== text || task.fullPrompt?.(content) === text;
}

/** Keeps training users, the first `most` in file order (0 = all), and the training questions of test users, while records stream by. */
function trainingUsers({ parseCitation }: Task, most: number, isTestUser: (user: string) => boolean) {
  const kept = new Map<string, { profile: readonly RawItem[]; queries: RawQuery[] }>();
  /** By test user; of two-title tasks with the questions, whose labels are needed. */
  const ofTestUsers = new Map<string, RawQuery[]>();
  const visit = ({ user, profile, queries }: UserRecord): void => {
    const bare = parseCitation === undefined ? [] : queries.map(({ profile: _window, ...query }) => query);
    if (isTestUser(user)) {
      ofTestUsers.set(user, [...(ofTestUsers.get(user) ?? []), ...bare]);
      return;
    }
    const known = kept.get(user);
    if (known === undefined && most > 0 && kept.size >= most) return;
    const windows = [known?.profile ?? [], profile, ...queries.map((query) => query.profile ?? [])];
    const longest = windows.reduce((best, window) => (window.length > best.length ? window : best));
    kept.set(user, { profile: longest, queries: [...(known?.queries ?? []), ...bare] });
  };
  /** Never a test user. In two-title tasks an undated training user's own questions are labelled history items too. */
  const others = (): readonly UserData[] =>
    [...kept].map(([id, { profile, queries }]) => {
      const addsQuestions = parseCitation !== undefined && profile.every(({ date }) => date === undefined);
      const asked = addsQuestions ? queries.flatMap((query) => itemOfQuestion(query, parseCitation) ?? []) : [];
      return { id, profile: [...profile, ...asked], queries: [] };
    });
  return { visit, others, ofTestUsers };
}
