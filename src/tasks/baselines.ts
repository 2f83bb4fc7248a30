import type { Question, Task, Unit } from "../types/index.js";
import { normalizeLabel } from "./label-tasks.js";

/** A baseline without a model: one answer for all questions, or answers by question id. */
interface Baseline {
  readonly name: string;
  readonly answers: string | Readonly<Record<string, string>>;
}

/**
 * Returns the baselines of a task. Choice: the longest and the shortest option (of equals the first) and each letter; else the most frequent label.
 * None where answers are no closed list, or no history item has a label of it.
 */
export function baselinesOf(task: Task, units: Iterable<Unit>, online = false): Baseline[] {
  if (task.kind === "choice") return ofChoices(task, units);
  if (task.labels.length === 0 || task.majority === "none") return [];
  const answers = task.majority === "data" ? pooledMajority(task, units) : userMajorities(task, units, online);
  return answers === undefined ? [] : [{ name: "majority label", answers }];
}

/** Returns the share that options taken at random get right; undefined where there are no options. */
export function chanceOf(units: Iterable<Unit>): number | undefined {
  let [sum, count] = [0, 0];
  for (const { options } of questionsOf(units)) {
    if (options === undefined) return undefined;
    sum += 1 / options.length;
    count += 1;
  }
  return count === 0 ? undefined : sum / count;
}

function ofChoices({ labels }: Task, units: Iterable<Unit>): Baseline[] {
  const [longest, shortest]: Record<string, string>[] = [{}, {}];
  for (const { id, options = [] } of questionsOf(units)) {
    const lengths = options.map(({ length }) => length);
    longest![id] = labels[lengths.indexOf(Math.max(...lengths))] ?? "";
    shortest![id] = labels[lengths.indexOf(Math.min(...lengths))] ?? "";
  }
  return [
    { name: "longest option", answers: longest! },
    { name: "shortest option", answers: shortest! },
    ...labels.map((letter) => ({ name: `letter ${letter}`, answers: letter })),
  ];
}

function* questionsOf(units: Iterable<Unit>): Generator<Question> {
  for (const { examples } of units) for (const { question } of examples) yield question;
}

/** Returns the most frequent past label of all users. */
function pooledMajority({ labels }: Task, units: Iterable<Unit>): string | undefined {
  const most = labelCounter(labels);
  for (const { user } of units) for (const { label } of user.history) if (label !== undefined) most.see(label);
  return most.label();
}

/**
 * Returns for each question its user's most frequent label, of equals the last. In prequential mode it sees the golds of the user's
 * earlier questions too, as methods do. Questions before the first label of their user, and those without gold, are left out.
 */
function userMajorities(
  { labels }: Task,
  units: Iterable<Unit>,
  online: boolean,
): Readonly<Record<string, string>> | undefined {
  const answers: Record<string, string> = {};
  for (const { user, examples } of units) {
    const most = labelCounter(labels);
    for (const { label } of user.history) if (label !== undefined) most.see(label);
    for (const { question, gold } of examples) {
      if (gold === undefined) continue;
      const label = most.label();
      if (label !== undefined) answers[question.id] = label;
      if (online) most.see(gold);
    }
  }
  return Object.keys(answers).length === 0 ? undefined : answers;
}

/** Returns the most frequent of the labels seen; of equally frequent ones the one seen last. */
export function labelCounter(labels: readonly string[]) {
  const counts = new Map<string, number>();
  let best: string | undefined;
  return {
    see(spelt: string): void {
      const label = normalizeLabel(spelt, labels);
      const count = (counts.get(label) ?? 0) + 1;
      counts.set(label, count);
      if (best === undefined || count >= (counts.get(best) ?? 0)) best = label;
    },
    label: (): string | undefined => best,
  };
}
