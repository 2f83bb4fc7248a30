import { basename } from "node:path";
import { UsageError } from "../errors.js";
import { pyStrip } from "../text/python.js";
import type { Dataset, RawQuery, Task, UserData } from "../types.js";
import { type LabelSource, withCitationLabels } from "./citation-labels.js";
import type { FileFacts } from "./json-array.js";
import { openSource } from "./open-source.js";
import { FOREIGN_LABELS, pastLabels } from "./past-labels.js";
import { type SelectionSettings, selection } from "./selection.js";
import type { Source, Split, UserRecord } from "./source.js";
import { trainingUsers } from "./training.js";

const UNWORDED = "questions not in the task's wording, taken whole";
const UNDATED = "past items without a date, left behind the item before them in the file";

/** Facts of a data set that are worth a warning before a run. */
export const doubtfulFacts: readonly string[] = [FOREIGN_LABELS, UNWORDED, UNDATED];

export interface LoadSettings extends SelectionSettings {
  readonly task: Task;
  /** A folder or file; the built-in demo data when left out. */
  readonly path?: string | undefined;
  /** Which official file holds the questions. Default `auto`. */
  readonly split?: Split | undefined;
  /** Most training users kept, in file order; 0 = all. Default 500. */
  readonly othersUsers?: number | undefined;
  /** Past items whose label is none of the task's. Default `error`. */
  readonly foreignLabels?: "error" | "keep" | undefined;
  readonly lamp1Labels: LabelSource;
  /** Seed of built labels (LaMP-1). */
  readonly seed: number;
}

/**
 * Loads the selected users of a data set, and its training users where it has any. Files are streamed: memory holds what is
 * selected. Every record is checked, selected or not. Throws UsageError naming file, record, field, value and fix.
 */
export async function loadDataset(settings: LoadSettings): Promise<Dataset> {
  const { task } = settings;
  const source = await openSource(settings.path, task, settings.split ?? "auto");
  const chosen = selection(settings);
  const labels = pastLabels(task, settings.foreignLabels ?? "error");
  const testFiles = await source.test((record) => {
    labels.check(record);
    chosen.visit(record);
  });
  const users = chosen.users();
  if (users.length === 0) throw new UsageError(`${testFiles[0]?.file ?? source.name}: there is no question in it`);
  const ids = new Set(users.map(({ id }) => id));
  const training = trainingUsers({ task, most: settings.othersUsers ?? 500, isTestUser: (user) => ids.has(user) });
  const visitTraining = (record: UserRecord): void => {
    labels.check(record);
    training.visit(record);
  };
  const trainingFiles = (await source.training?.(visitTraining)) ?? [];
  const pools = { users, others: source.training === undefined ? undefined : training.others() };
  const labelled = label(pools, training.ofTestUsers, settings, source);
  const { others } = labelled;
  return {
    name: source.name,
    task: task.name,
    users: labelled.users,
    ...(others === undefined || others.length === 0 ? {} : { others }),
    files: [...testFiles, ...trainingFiles].map(fileOf),
    ordered: isOrdered(labelled.users, source),
    facts: {
      ...countsOf(labelled.users, chosen.seen),
      ...(source.training === undefined ? {} : { "training users": others?.length ?? 0 }),
      ...(training.seen.testUsers > 0 ? { "test users left out of the training users": training.seen.testUsers } : {}),
      ...labelled.facts,
      ...labels.facts(),
      ...wordingFacts(labelled.users, task),
      ...undatedFacts(labelled.users),
    },
  };
}

// --- internal ---

interface Pools {
  readonly users: readonly UserData[];
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

function countsOf(users: readonly UserData[], seen: { users: number; questions: number }) {
  const questions = users.flatMap(({ queries }) => queries);
  const unscored = questions.filter(({ gold }) => gold === undefined).length;
  return {
    users: users.length,
    questions: questions.length,
    ...(seen.users > users.length ? { "users in the file": seen.users } : {}),
    ...(seen.questions > questions.length ? { "questions in the file": seen.questions } : {}),
    ...(unscored > 0 ? { unscored } : {}),
  };
}

/** Counts questions without the task's marker, or without its two titles: nothing tells where the item is, so they are taken whole. */
function wordingFacts(users: readonly UserData[], task: Task) {
  const inputs = users.flatMap(({ queries }) => queries);
  const isWorded = (query: RawQuery): boolean =>
    task.choice === undefined
      ? task.question(query).content !== pyStrip(query.input)
      : task.choice(query.input) !== undefined;
  const unworded = inputs.filter((query) => !isWorded(query)).length;
  return unworded === 0 ? {} : { [UNWORDED]: unworded };
}

/** The fact that only some items have dates, where it is so; undated items stay behind the item before them in the file. */
function undatedFacts(users: readonly UserData[]) {
  const items = users
    .flatMap(({ profile, queries }) => [profile, ...queries.map((query) => query.profile ?? [])])
    .flat();
  const undated = items.filter(({ date }) => date === undefined).length;
  return undated === 0 || undated === items.length ? {} : { [UNDATED]: `${undated} of ${items.length}` };
}

/**
 * Dated profiles are in order. Of undated ones, official files are in random order (LaMP's author, issue 2), and so are per-user
 * files made of them, where the user is called as the only question.
 */
function isOrdered(users: readonly UserData[], source: Source): boolean {
  const profiles = users.flatMap((user) => [user.profile, ...user.queries.map(({ profile }) => profile ?? [])]);
  if (profiles.every((profile) => profile.every(({ date }) => date !== undefined))) return true;
  return !source.recordPerQuestion && users.some(({ id, queries }) => queries.length !== 1 || queries[0]?.id !== id);
}
