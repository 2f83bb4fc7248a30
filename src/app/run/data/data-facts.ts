import { doubtfulFacts } from "../../../data/index.js";
import { baselinesOf, chanceOf } from "../../../run/baselines.js";
import type { Manifest, RunPlan } from "../../../run/manifest.js";
import type { LoadedTask } from "../../../run/plan/plan.js";
import { contentId, contentIdOfAll } from "../../../text/content-id.js";
import type { Method, Question, Task } from "../../../types/index.js";

/** What a plan holds of a task's data: hashes of the files, of what each question may see, and of the wording. */
export function planData({ task, dataset, units }: LoadedTask): RunPlan["data"][number] {
  return {
    task: task.name,
    name: dataset.name,
    files: dataset.files.map((file) => ({ ...file })),
    facts: { ...dataset.facts },
    units: contentIdOfAll(units),
    wording: wordingId(task, units.at(0)?.user.history[0]),
  };
}

/**
 * What stands above and below a task's table; `more` follows the remarks on the data; methods that are `unfit` for the task have a dash.
 */
export function taskFacts(
  loaded: LoadedTask,
  { more, unfit }: { readonly more: readonly string[]; readonly unfit: readonly Method[] },
): Manifest["tasks"][number] {
  const { task, dataset, units, others, online, remarks } = loaded;
  const baselines = baselinesOf(task, units, online);
  const chance = chanceOf(units);
  const pool = others.isEmpty ? [] : [`others: ${others.kind}`];
  return {
    task: task.name,
    title: task.title,
    dataset: dataset.name,
    remarks: [...remarks, ...(chance === undefined ? [] : [`chance: ${chance.toFixed(3)}`]), ...pool, ...more],
    ...(unfit.length === 0
      ? {}
      : { unfit: unfit.map((method) => ({ method: method.name, why: method.unfit?.(task) ?? "" })) }),
    ...(baselines.length === 0 ? {} : { baselines }),
  };
}

/** What the data say of a question. */
export interface KnownQuestion {
  readonly question: Question;
  readonly user: string;
  readonly gold?: string;
}

/** Every question of the loaded data by id, with what rows must say of it. */
export function questionsOf({ units }: LoadedTask): Map<string, KnownQuestion> {
  const known = new Map<string, KnownQuestion>();
  for (const { user, examples } of units)
    for (const { question, gold } of examples)
      known.set(question.id, { question, user: user.id, ...(gold === undefined ? {} : { gold }) });
  return known;
}

/** Changes when the task's instructions, or how it shows and poses an event, change. */
function wordingId(task: Task, sample: Parameters<Task["show"]>[0] | undefined): string {
  const shown = sample === undefined ? [] : [task.show(sample), task.pose(sample) ?? null];
  return contentId([task.summary.instruction, task.labels, ...shown]);
}

/** What the data of a run lack, a line each: no mistakes, but what nobody should find out after paying. */
export function dataWarnings({ task, dataset, units }: LoadedTask): string[] {
  const isScored = any(units, ({ examples }) => examples.some(({ gold }) => gold !== undefined));
  const doubtful = Object.entries(dataset.facts).filter(([name]) => doubtfulFacts.includes(name));
  return [
    ...(isScored || task.metrics.length === 0
      ? []
      : [`${task.name} on ${dataset.name}: no question has a gold answer, nothing will be scored`]),
    ...doubtful.map(([name, value]) => `${task.name} on ${dataset.name}: ${name}: ${value}`),
  ];
}

function any<T>(things: Iterable<T>, test: (thing: T) => boolean): boolean {
  for (const thing of things) if (test(thing)) return true;
  return false;
}
