import type { Event } from "../../../src/types/index.js";
import { runTrial, type Step, type Subject, type Trial } from "./trial.js";
import { ASKER, askedOn, type Exchange, worldOf } from "./world.js";

/** A rule that a method breaks, in words. */
export interface Finding {
  readonly rule: "time" | "memory";
  readonly text: string;
}

/**
 * What a question's answer may depend on: nothing that is not known when it is asked. With the question's gold, all later
 * questions and all later events of everybody exchanged for others, every request made up to its answer is the same.
 */
export async function timeFindings(subject: Subject): Promise<Finding[]> {
  const first = await trialOf(subject, {});
  const findings: Finding[] = [];
  for (const [index, day] of askedOn.entries()) {
    const other = await trialOf(subject, { laterThan: day, golds: [index] }, index + 1);
    const change = firstChange(stepsUpTo(first, index), stepsUpTo(other, index));
    if (change !== undefined)
      findings.push({
        rule: "time",
        text: `question ${index + 1} ${titleOf(subject)}: with its gold and all that came later exchanged, ${change}`,
      });
  }
  return findings;
}

/**
 * A method that shows all of a past with its labels as they are shows a gold that it has learned as well: request i of an
 * online run holds every earlier question, and changes when the gold of one is exchanged. Which methods show their past is
 * observed offline. Give settings under which it shows everything (`wideOptions`).
 */
export async function memoryFindings(subject: Subject): Promise<Finding[]> {
  if (!(await showsItsPast(subject))) return [];
  const online = { ...subject, online: true };
  const first = await trialOf(online, {});
  const { examples } = first.arm.loaded.units.at(0)!;
  const findings: Finding[] = [];
  for (const [learned, { question }] of examples.slice(0, -1).entries()) {
    const other = await trialOf(online, { golds: [learned] });
    for (let asked = learned + 1; asked < examples.length; asked += 1) {
      const step = answerStep(first, asked);
      const missing = !shownIn(step).includes(question.content);
      if (missing || shownIn(step) === shownIn(answerStep(other, asked)))
        findings.push({
          rule: "memory",
          text: `question ${asked + 1} ${titleOf(online)}: its requests do not show question ${learned + 1} ${missing ? "" : "with its gold "}although that was learned and the method shows its past`,
        });
    }
  }
  return findings;
}

/** Whether an offline run puts the whole past with its labels into its requests as it is: observed at the last question. */
export async function showsItsPast(given: Subject): Promise<boolean> {
  const subject = { ...given, online: false };

  const first = await trialOf(subject, {});
  const past: readonly Event[] = first.arm.loaded.units.at(-1)!.user.history;
  const last = askedOn.length - 1;
  const shown = shownIn(answerStep(first, last));
  if (past.some(({ content }) => !shown.includes(content))) return false;
  const other = await trialOf(subject, { labels: past.map(({ id }) => id) });
  return shownIn(answerStep(other, last)) !== shown;
}

/** Every knob that says how many things are shown (`rag.k`, `graph-rag.kUser`) turned up. */
export function wideOptions({ method }: Pick<Subject, "method">): Record<string, number> {
  const knobs = Object.entries(method.options).filter(([name]) => /\.k([A-Z]\w*)?$/.test(name));
  return Object.fromEntries(knobs.map(([name]) => [name, MANY]));
}

/** Wide enough for all questions of a stream side by side. */
const WIDTH = 4;

/** More than there is of anything. */
const MANY = 50;

const trialOf = (subject: Subject, exchange: Exchange, answers?: number): Promise<Trial> =>
  runTrial(subject, worldOf(subject.task, exchange), {
    user: ASKER,
    ...(answers === undefined ? {} : { answers }),
    concurrency: subject.online ? WIDTH : 1, // a stream is walked in order at any concurrency
  });

const titleOf = ({ task, method, online }: Subject): string =>
  `of ${method.name} on ${task.name}${online ? " --online" : ""}`;

/** All steps up to the answer to the question of this index. */
function stepsUpTo({ steps }: Trial, index: number): readonly Step[] {
  const positions = steps.flatMap(({ name }, position) => (name.startsWith("answer ") ? [position] : []));
  return steps.slice(0, (positions[index] ?? steps.length) + 1);
}

const answerStep = ({ steps }: Trial, index: number): Step =>
  steps.filter(({ name }) => name.startsWith("answer "))[index] ?? { name: "never", requests: [] };

const shownIn = ({ requests }: Step): string => requests.map(({ shown }) => shown).join("\n");

/** The first request that differs, in words. */
function firstChange(before: readonly Step[], after: readonly Step[]): string | undefined {
  for (const [position, step] of before.entries()) {
    const other = after[position] ?? { name: "nothing", requests: [] };
    if (other.name !== step.name) return `${step.name} became ${other.name}`;
    const [texts, otherTexts] = [sortedTexts(step), sortedTexts(other)];
    const at = texts.findIndex((text, index) => text !== otherTexts[index]);
    if (at >= 0 || texts.length !== otherTexts.length)
      return `a request of "${step.name}" changed: ${difference(texts[at] ?? "", otherTexts[at] ?? "")}`;
  }
  return undefined;
}

const sortedTexts = ({ requests }: Step): string[] => requests.map(({ to, text }) => `${to}: ${text}`).sort();

const CONTEXT = 60;

/** Where two texts part. */
function difference(before: string, after: string): string {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at += 1;
  const from = Math.max(0, at - CONTEXT);
  return `"...${before.slice(from, at + CONTEXT)}" became "...${after.slice(from, at + CONTEXT)}"`;
}
