import { UsageError } from "../../errors.js";
import { choices } from "../../registry/registry.js";
import { settingsApart } from "../../results/arms.js";
import type { Cell, Task } from "../../types/index.js";

/** Which of a method's arms is meant, as `--variant` and `--model` say it. Absent: any. */
export interface ArmChoice {
  /** Settings as tables print them, `model=...` among them: `align.iterations=3 memory.k=4`. */
  readonly variant?: string | undefined;
  readonly model?: string | undefined;
}

/** What tells the arms of one task and method apart. */
type ArmSettings = Pick<Cell, "model" | "options">;

/** Every setting of the choice is the arm's. */
function isChosen(arm: ArmSettings, { variant = "", model }: ArmChoice): boolean {
  const settings = settingsOf(arm);
  const wanted = variant.split(/\s+/).filter((pair) => pair !== "");
  return (
    (model === undefined || arm.model === model) &&
    wanted.every((pair) => {
      const equals = pair.indexOf("=");
      return equals > 0 && String(settings[pair.slice(0, equals)]) === pair.slice(equals + 1);
    })
  );
}

/** The arms of one task and method, in the words of `--variant`. Where nothing tells them apart: what was asked for. */
export function variantsText(arms: readonly ArmSettings[], choice: ArmChoice = {}): string {
  const all = arms.map(settingsOf);
  return [...new Set(all.map((settings) => settingsApart(settings, all) || settingsNamed(settings, choice)))].join(
    "; ",
  );
}

/**
 * The arm of this task and method that is meant; undefined where there is none of them at all. Throws UsageError, naming `run` and
 * `flags`, where the choice fits none of them or several.
 */
export function onlyArm<T extends ArmSettings & Pick<Cell, "task" | "method">>(
  run: { readonly name: string; readonly arms: readonly T[] },
  { task, method }: Pick<Cell, "task" | "method">,
  choice: ArmChoice,
  flags = "--variant or --model",
): T | undefined {
  const all = run.arms.filter((arm) => arm.task === task && arm.method === method);
  const found = all.filter((arm) => isChosen(arm, choice));
  if (found.length > 1)
    throw new UsageError(
      `${run.name}: ${method} ran on ${task} with several settings; choose one with ${flags}; its arms: ${variantsText(all, choice)}`,
    );
  if (found.length === 0 && all.length > 0)
    throw new UsageError(
      `${flags}: ${run.name} has no such arm of ${method} on ${task}; it has: ${variantsText(all, choice)}`,
    );
  return found[0];
}

export function refuseUnknownMethod(name: string, known: readonly string[], method: string, flag = "--method"): void {
  if (!known.includes(method))
    throw new UsageError(`${flag} ${method}: not in ${name}${choices(method, known, "its methods")}`);
}

/** Throws UsageError where none of the tasks has the metric. */
export function refuseUnknownMetric(metric: string, tasks: readonly Task[]): void {
  const known = [...new Set(tasks.flatMap(({ metrics }) => metrics.map(({ name }) => name)))];
  if (!known.includes(metric))
    throw new UsageError(`--metric ${metric}: no such metric${choices(metric, known, "metrics")}`);
}

export const settingsOf = ({ model, options }: ArmSettings): Cell["options"] => ({ model, ...options });

/** The arm's own values of the settings that were asked for. */
function settingsNamed(settings: Cell["options"], { variant = "" }: ArmChoice): string {
  const names = variant.split(/\s+/).map((pair) => pair.split("=", 1)[0] ?? "");
  return names.map((name) => `${name}=${settings[name] ?? "(not an option of it)"}`).join(" ");
}
