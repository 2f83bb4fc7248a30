import { UsageError } from "../../errors.js";
import { choices } from "../../registry/registry.js";
import type { Baseline, BaselineArm } from "../../report/gate/baseline.js";
import { type GatedArm, pairWithBaseline } from "../../report/gate/pairs.js";
import { contentId } from "../../text/content-id.js";
import type { Metric, Task } from "../../types/index.js";
import type { Catalogue } from "../catalogue.js";
import {
  type ArmChoice,
  isChosen,
  onlyArm,
  refuseUnknownMethod,
  refuseUnknownMetric,
  variantsText,
} from "../common/arm-choice.js";
import type { StoredRun } from "../common/run-folder.js";

/** Which arms are meant. Absent: all. */
export interface ArmSelection extends ArmChoice {
  readonly task?: readonly string[];
  readonly method?: readonly string[];
}

export interface JudgedArms extends ArmSelection {
  /** Metrics that must hold; absent: each task's first. */
  readonly metric?: readonly string[];
}

export interface JudgedArm {
  readonly arm: GatedArm;
  readonly metrics: readonly Metric[];
}

/** The arms of a run or a baseline file, and how that was named. */
interface NamedArms {
  readonly name: string;
  readonly holds: Baseline;
}

interface Sides {
  readonly baseline: NamedArms;
  readonly candidate: NamedArms & { readonly folder: StoredRun };
  readonly tasks: Catalogue["tasks"];
}

/**
 * Every chosen arm of the baseline, with the run's own of the same task and method. Throws UsageError where the
 * run lacks one: what is not there must not pass.
 */
export function judgedArms(
  { baseline, candidate, tasks }: Sides,
  asked: JudgedArms,
): { readonly arms: readonly JudgedArm[]; readonly unjudged: readonly string[] } {
  const wanted = chosenArms(baseline, asked, tasks);
  const gold = goldByTask(candidate.folder);
  const names = { baseline: baseline.name, candidate: candidate.name };
  const arms = wanted.map((arm) => {
    const counterpart = onlyArm(armsOf(candidate), arm, asked);
    if (counterpart === undefined)
      throw new UsageError(
        `${candidate.name} has no ${arm.method} on ${arm.task}, ${baseline.name} has; run it, or choose with --task and --method`,
      );
    onlyArm(armsOf(baseline), arm, asked);
    const task = tasks.get(arm.task);
    const known = (question: string, id: string | undefined) =>
      gold.get(`${arm.task}\t${question}`) ?? task.labels.find((label) => contentId(label) === id);
    const paired = pairWithBaseline(arm, counterpart, known, names);
    const metrics = metricsFor(task, asked.metric);
    return { arm: paired, metrics };
  });
  const judgedTasks = wanted.map(({ task }) => tasks.get(task));
  for (const metric of asked.metric ?? []) refuseUnknownMetric(metric, judgedTasks);
  const known = new Set(baseline.holds.arms.map(nameOf));
  return { arms, unjudged: candidate.holds.arms.map(nameOf).filter((name) => !known.has(name)) };
}

/** The chosen arms. Throws UsageError where there are none, and on names that it does not have. */
export function chosenArms(
  { name, holds }: NamedArms,
  asked: ArmSelection,
  tasks: Catalogue["tasks"],
): readonly BaselineArm[] {
  const wantedTasks = asked.task?.map((task) => tasks.get(task, "--task").name);
  const known = [...new Set(holds.arms.map(({ method }) => method))];
  for (const method of asked.method ?? []) refuseUnknownMethod(name, known, method);
  const named = holds.arms.filter(
    ({ task, method }) => (wantedTasks?.includes(task) ?? true) && (asked.method?.includes(method) ?? true),
  );
  const arms = named.filter((arm) => isChosen(arm, asked));
  if (arms.length === 0 && named.length > 0)
    throw new UsageError(
      `--variant or --model: ${name} has no such arm; its arms: ${[...new Set(named.map(nameOf))]
        .map(
          (armName) =>
            `${armName}: ${variantsText(
              named.filter((arm) => nameOf(arm) === armName),
              asked,
            )}`,
        )
        .join("; ")}`,
    );
  const missing = wantedTasks?.find((task) => !arms.some((arm) => arm.task === task));
  if (missing !== undefined || arms.length === 0)
    throw new UsageError(
      `${name} has nothing of ${missing ?? "this choice"}; it has ${holds.arms.map(nameOf).join(", ")}`,
    );
  return arms;
}

/**
 * `auto` (undefined for every metric), `.02` for metrics from 0 to 1, or `accuracy=.02,mae=.05`. Throws UsageError on anything
 * else, where a metric has none, and where a bare number would be the margin of an error.
 */
export function readMargins(text: string, arms: readonly JudgedArm[]): (metric: string) => number | undefined {
  if (text === AUTO) return () => undefined;
  const metrics = arms.flatMap((arm) => arm.metrics);
  const judged = [...new Set(metrics.map(({ name }) => name))];
  if (!text.includes("=")) {
    const margin = readMargin(text, text);
    const other = metrics.find(({ most, labels }) => most !== 1 && labels === undefined)?.name;
    if (other === undefined) return () => margin;
    throw new UsageError(
      `--margin ${text}: a bare number is for metrics from 0 to 1, which ${other} is not; name it: --margin ${judged.map((name) => `${name}=SIZE`).join(",")}`,
    );
  }
  const margins = new Map<string, number>();
  for (const part of text.split(",")) {
    const [name = "", size = ""] = part.split("=").map((half) => half.trim());
    if (!judged.includes(name))
      throw new UsageError(`--margin ${part}: no metric "${name}" is judged${choices(name, judged, "judged")}`);
    margins.set(name, readMargin(size, part));
  }
  const without = judged.filter((name) => !margins.has(name));
  if (without.length > 0)
    throw new UsageError(`--margin ${text}: ${without.join(", ")} has no margin; add ${without[0]}=SIZE`);
  return (metric) => margins.get(metric);
}

/** Throws UsageError, which shows `shown`, on what is no loss. */
function readMargin(size: string, shown: string): number {
  const margin = Number(size);
  if (size.trim() !== "" && margin >= 0 && Number.isFinite(margin)) return margin;
  throw new UsageError(`--margin ${shown}: not a loss that can be accepted; give auto, or a number from 0, as .02`);
}

/** Margins that the baseline holds, or that are planned from it. */
const AUTO = "auto";

const armsOf = ({ name, holds }: NamedArms) => ({ name, arms: holds.arms });

const nameOf = ({ task, method }: BaselineArm): string => `${task} ${method}`;

function metricsFor({ name: task, metrics }: Task, wanted: readonly string[] | undefined): readonly Metric[] {
  if (wanted === undefined) return metrics.slice(0, 1);
  const found = metrics.filter(({ name }) => wanted.includes(name));
  if (found.length > 0) return found;
  const known = metrics.map(({ name }) => name);
  throw new UsageError(
    `--metric ${wanted.join(",")}: ${task} has none of these${choices(wanted[0] ?? "", known, "its metrics")}; add one, or choose tasks with --task`,
  );
}

/** The gold answers of a run by `task\tquestion`. */
export function goldByTask(folder: StoredRun): Map<string, string> {
  const gold = new Map<string, string>();
  for (const row of folder.rows) {
    const task = folder.cell(row.cell)?.task;
    if (task !== undefined && row.gold !== undefined) gold.set(`${task}\t${row.question}`, row.gold);
  }
  return gold;
}
