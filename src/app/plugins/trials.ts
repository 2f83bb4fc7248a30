import { ScoreError, UsageError } from "../../errors.js";
import { type Check, passedOr, unchecked } from "../../report/checks.js";
import { firstLine } from "../../text/file-trouble.js";
import type { Judge, Method, Metric, Task } from "../../types/index.js";
import type { Catalogue } from "../catalogue.js";
import { optionFindings } from "../contract/options.js";
import { rowFindings } from "../contract/rows.js";
import { memoryFindings, timeFindings, wideOptions } from "../contract/time.js";
import { runTrial, type Subject } from "../contract/trial.js";
import { worldOf } from "../contract/world.js";

/** Every rule for methods, in plain words. */
const rules = {
  options: "name, summary, source, plan and every option are documented",
  answers: "every question is answered",
  rows: "the same rows with 1 and with 16 questions in work",
  users: "nothing is kept from one user to the next",
  calls: "as many calls as planned",
  time: "no request depends on a gold, a later question or a later event",
  memory: "what is shown of the past is shown of what was learned, too",
} as const;
export type Rule = keyof typeof rules;

/** What is wrong by a rule with a method on a task; the rule is then asked on the next task as well. */
const trials: Readonly<Record<Rule, (subject: Subject) => Promise<readonly string[]>>> = {
  options: async ({ method }) => optionFindings(method),
  answers: failures,
  rows: ofRows("rows"),
  users: ofRows("users"),
  calls: ofRows("calls"),
  time: async (subject) =>
    [...(await timeFindings(subject)), ...(await timeFindings({ ...subject, online: true }))].map(({ text }) => text),
  async memory(subject) {
    const wide = { ...subject, given: { ...wideOptions(subject), ...subject.given } };
    return (await learns(subject)) ? (await memoryFindings(wide)).map(({ text }) => text) : [];
  },
};

function ofRows(rule: "rows" | "users" | "calls") {
  return async (subject: Subject) =>
    (await rowFindings({ ...subject, online: true })).flatMap((found) => (found.rule === rule ? found.text : []));
}

interface Tried {
  /** For the lines of the report: `method mine`. */
  readonly name: string;
  readonly method: Method;
  readonly given?: Subject["given"];
}

/** One check a rule, over all tasks that the method takes; rules that are not asked are `not checked`, with the reason. */
export async function methodChecks(
  { name, method, given = {} }: Tried,
  tasks: readonly Task[],
  unasked: Partial<Record<Rule, string>> = {},
): Promise<Check[]> {
  const checks: Check[] = [];
  const taken = tasks.filter((task) => takes(method, task));
  for (const rule of Object.keys(rules) as Rule[]) {
    const silent = checks.some(({ state, said }) => state === "FAILED" && said === rules.answers);
    const why = unasked[rule] ?? (silent ? "it does not answer" : undefined);
    if (why !== undefined) checks.push(unchecked(name, `${rules[rule]}: ${why}`));
    else if (taken.length === 0)
      checks.push(unchecked(name, `${rules[rule]}: it takes none of ${tasks.map((task) => task.name).join(", ")}`));
    else
      checks.push(await checkOf(name, rules[rule], () => found(trials[rule], { method, given, online: false }, taken)));
  }
  return checks;
}

/** What holds of a task: made-up data fit it, its labels are read back, and a method on it knows nothing too early. */
export async function taskChecks(task: Task, reader: Method): Promise<Check[]> {
  const name = `task ${task.name}`;
  const subject: Subject = { task, method: reader, online: false };
  return [
    await checkOf(name, "its own labels are read back", async () => unreadLabels(task)),
    await checkOf(name, "made-up data in its fields are asked and answered", () => trials.answers(subject)),
    await checkOf(name, `${rules.time}, of ${reader.name}`, () => trials.time(subject)),
    ...(await Promise.all(task.metrics.map((metric) => metricCheck(metric, task)))),
  ];
}

/** A metric gives the same sums at any place of an array, and a number. */
export function metricCheck(metric: Metric, task?: Task): Promise<Check> {
  const said = "the same sums at any place of an array, and a number out of them";
  return checkOf(`metric ${metric.name}`, said, async () => {
    const answers = task === undefined || task.labels.length === 0 ? ["3", "4", "1"] : task.labels.slice(0, 3);
    return answers.flatMap((prediction, index) =>
      placeProblems(metric, { prediction, gold: answers[(index * 2) % answers.length] ?? "" }),
    );
  });
}

/** A judge asks the same twice, says how many replies it shows, and takes no empty reply for a verdict. */
export function judgeCheck(judge: Judge): Promise<Check> {
  const said = "the same request twice, with the replies in it, and no verdict out of nothing";
  return checkOf(`judge ${judge.name}`, said, async () => {
    const replies = ["a first reply", "a second reply"] as const;
    const predictions = judge.shows === 2 ? replies : ([replies[0]] as const);
    const shown = { question: "a question", persona: ["a fact"], history: ["User: a line"], predictions };
    const [one, two] = [judge.request(shown), judge.request(shown)].map((request) => JSON.stringify(request));
    return [
      ...(one === two ? [] : ["its request is another one the second time"]),
      ...predictions.filter((reply) => !one!.includes(reply)).map((reply) => `its request does not hold "${reply}"`),
      ...(judge.read("") === undefined ? [] : ["it reads a verdict in an empty reply"]),
    ];
  });
}

/** Its own tasks first, then a built-in one of each kind. */
export function tasksToTry(catalogue: Catalogue, added: readonly Task[]): Task[] {
  const others = catalogue.tasks.all.filter((task) => !added.some(({ name }) => name === task.name));
  const kinds = [...new Set(others.map(({ kind }) => kind))];
  const unchosen = others.filter(({ choice }) => choice === undefined);
  return [...added, ...kinds.flatMap((kind) => unchosen.find((task) => task.kind === kind) ?? [])];
}

async function checkOf(name: string, said: string, look: () => Promise<readonly string[]>): Promise<Check> {
  try {
    return passedOr(name, await look(), said);
  } catch (error) {
    return passedOr(name, [`it fails: ${firstLine(error)}`], said);
  }
}

/** A method without `learn` remembers nothing that could grow. */
async function learns(subject: Subject): Promise<boolean> {
  const { steps } = await runTrial({ ...subject, online: true }, worldOf(subject.task));
  return steps.some(({ name }) => name.startsWith("learn "));
}

/** The problems of the first task that has any. */
async function found(
  trial: (typeof trials)[Rule],
  subject: Omit<Subject, "task">,
  tasks: readonly Task[],
): Promise<readonly string[]> {
  for (const task of tasks) {
    const problems = await trial({ ...subject, task });
    if (problems.length > 0) return problems;
  }
  return [];
}

function takes(method: Method, task: Task): boolean {
  try {
    const defaults = Object.entries(method.options).map(([name, option]) => [name, option.read(name, option.default)]);
    method.check?.(Object.fromEntries(defaults), task);
    return true;
  } catch (error) {
    if (error instanceof UsageError) return false;
    throw error;
  }
}

async function failures(subject: Subject): Promise<string[]> {
  const { rows } = await runTrial(subject, worldOf(subject.task));
  if (rows.length === 0) return [`no question of the made-up data of ${subject.task.name} was asked`];
  return rows.flatMap(({ question, outcome }) =>
    outcome.kind === "failed" ? [`${question} on ${subject.task.name} failed: ${outcome.error}`] : [],
  );
}

function unreadLabels({ labels, strict, lenient, question }: Task): string[] {
  const asked = question({ id: "probe", input: "probe" });
  return labels.flatMap((label) => {
    const readings = [strict(label), lenient(label, asked)];
    return readings.every((reading) => reading.kind === "answer" && reading.answer === label)
      ? []
      : [`the reply "${label}" is not read as the label ${label}`];
  });
}

const PLACE = 2;
const SPARE = 5;

function placeProblems(metric: Metric, pair: { readonly prediction: string; readonly gold: string }): string[] {
  const [here, there] = [new Float64Array(metric.width), new Float64Array(metric.width + SPARE)];
  try {
    metric.add(pair, here);
    metric.add(pair, there, PLACE);
  } catch (error) {
    if (error instanceof ScoreError) return []; // as official scripts do on answers that are none
    throw error;
  }
  const moved = [...there].filter((sum, at) => sum !== (here[at - PLACE] ?? 0));
  const value = metric.value(here, 1);
  return [
    ...(moved.length === 0 ? [] : ["sums at an offset are not those at 0, or others are touched"]),
    ...(typeof value === "number" && !Number.isNaN(value) ? [] : [`the value of one pair is ${value}`]),
  ];
}
