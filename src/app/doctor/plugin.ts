import { join } from "node:path";
import { inTemporaryFolder } from "../../disk/whole-file.js";
import type { EmbedderProvider } from "../../embedders/provider.js";
import { UsageError } from "../../errors.js";
import { EXEC } from "../../extend/exec/command.js";
import { plannedIn } from "../../registry/further-models.js";
import { type Check, passedOr, renderChecks, unchecked } from "../../report/checks.js";
import { builtIn, type Catalogue, catalogueOf } from "../../run/catalogue.js";
import { callsPerQuestion } from "../../run/estimate/bounds.js";
import type { Io } from "../../run/io.js";
import { demoModel, type RunRequest } from "../../run/plan/settings.js";
import { unitsOf } from "../../run/rows.js";
import type { World } from "../../run/world.js";
import { countOf } from "../../text/count.js";
import { firstLine } from "../../text/file-trouble.js";
import type { CallRange, Judge, ModelRequest, PhaseAt, Provider, Spend, Task } from "../../types/index.js";
import { loadPlugin } from "../plugins/load.js";
import { withPlugins } from "../plugins/plugins.js";
import { openRequest, type RunResult, runWorld } from "../run.js";
import { verify } from "../verify/verify.js";
import { writeWorld } from "./plugin-world.js";

/** What a plug-in brings, and whether it works. */
interface CheckedPlugin {
  readonly name: string;
  readonly checks: readonly Check[];
  readonly passed: boolean;
  /** The same for people. */
  readonly text: string;
}

/**
 * Executes once what a plug-in brings, or a program (`exec:./mine.py`), on made-up data with the embedded model. Leaves nothing behind.
 * Throws UsageError where it cannot be loaded.
 */
export async function checkPlugin(named: string, io: Io): Promise<CheckedPlugin> {
  const { name, checks } = named.startsWith(EXEC)
    ? { name: named, checks: await executed(named, { method: named }, tasksToTry(catalogueOf(io), []), io) }
    : await pluginChecks(named, io);
  return { name, checks, passed: checks.every(({ state }) => state !== "FAILED"), text: renderChecks(name, checks) };
}

async function pluginChecks(named: string, given: Io): Promise<Pick<CheckedPlugin, "name" | "checks">> {
  const { plugin, additions } = await loadPlugin(named, given.cwd);
  const io = await withPlugins(given, { names: [named], from: given.cwd });
  const tasks = tasksToTry(io.catalogue, additions.tasks ?? []);
  const [usual = tasks[0]!] = tasksToTry(builtIn, []); // some are built in
  const checks: Check[] = [];
  const add = async (thing: string, asked: Asked, on: readonly Task[]): Promise<unknown> =>
    checks.push(...(await executed(thing, asked, on, io)));
  for (const { name } of additions.methods ?? []) await add(`method ${name}`, { method: name }, tasks);
  for (const task of additions.tasks ?? []) {
    checks.push(passedOr(`task ${task.name}`, unreadLabels(task), "its own labels are read back"));
    await add(`task ${task.name}`, { method: "prompt" }, [task]);
  }
  for (const { name } of additions.retrievers ?? [])
    await add(`retriever ${name}`, { method: "rag", options: { "rag.retriever": name } }, [usual]);
  for (const { name, takes } of additions.selectors ?? [])
    if (takes === undefined) await add(`selector ${name}`, { method: "rag", options: { select: name } }, [usual]);
    else checks.push(unchecked(`selector ${name}`, "it takes a file, and none is at hand"));
  for (const { name } of additions.metrics ?? []) {
    const [scored] = await executed(`metric ${name}`, { method: "prompt", metric: name }, [usual], io);
    checks.push(scored!); // the rest is of the method
  }
  for (const judge of additions.judges ?? []) checks.push(judgeCheck(judge));
  for (const family of additions.embedders ?? []) checks.push(await embedderCheck(family));
  for (const provider of additions.providers ?? []) checks.push(await providerCheck(provider));
  const { name, version } = plugin;
  return { name: version === undefined ? name : `${name} ${version}`, checks };
}

type Asked = Pick<RunRequest, "method" | "options" | "metric">;

/** What is looked at of an execution, in the order of the report. */
const said = {
  answers: "every question is answered, and scored by a number",
  law: "executed again from its log, its rows are the same",
  calls: "as many calls as planned",
  time: "no request depends on a gold or a later event",
} as const;
type Problems = Record<keyof typeof said, string[]>;

/** Executes a method on made-up data of tasks. What it does not take is left out. */
async function executed(name: string, asked: Asked, tasks: readonly Task[], io: Io): Promise<Check[]> {
  const all: Problems = { answers: [], law: [], calls: [], time: [] };
  const refusals: string[] = [];
  for (const task of tasks)
    await inTemporaryFolder(async (folder) => {
      try {
        const problems = await problemsOn(task, asked, folder, io);
        for (const rule of Object.keys(all) as (keyof Problems)[]) all[rule].push(...problems[rule]);
      } catch (error) {
        const mayFitAnother = error instanceof UsageError && tasks.length > 1;
        (mayFitAnother ? refusals : all.answers).push(`on ${task.name} it fails: ${firstLine(error)}`);
      }
    });
  if (refusals.length === tasks.length) return [unchecked(name, refusals.join("; "))];
  const rules = Object.entries(said) as [keyof Problems, string][];
  if (all.answers.length === 0) return rules.map(([rule, text]) => passedOr(name, all[rule], text));
  return rules.map(([rule, text]) =>
    rule === "answers" ? passedOr(name, all.answers, text) : unchecked(name, `${text}: it does not answer`),
  );
}

async function problemsOn(task: Task, asked: Asked, folder: string, given: Io): Promise<Problems> {
  const io: Io = { ...given, tell: () => undefined };
  const request = { ...asked, task: task.name, model: demoModel, maxFailed: 1, onEvent: () => undefined };
  const [out, data] = [join(folder, "run"), writeWorld(join(folder, "data"), task, false)];
  const world = await openRequest({ ...request, data, out }, io);
  const result = await runWorld(world);
  const answers = failuresIn(result, task);
  if (answers.length > 0) return { answers, law: [], calls: [], time: [] };
  const law = (await verify({ run: out, data }, io)).flatMap(({ equal, arm, said }) =>
    equal ? [] : [`${arm}: ${said}`],
  );
  const other = writeWorld(join(folder, "other"), task, true);
  const replay = { ...request, data: other, replay: out, out: join(folder, "again") };
  const { ended, notices } = await runWorld(await openRequest(replay, io));
  const missed = ended === "stale" ? notices.filter(({ text }) => text.startsWith("  ")) : [];
  const time = missed.map(
    ({ text }) => `with golds and later events exchanged, it asks something else:${text.slice(1)}`,
  );
  return { answers, law, calls: outOfPlan(world, result), time };
}

function failuresIn({ rows, summaries }: RunResult, { name }: Task): string[] {
  if (rows.length === 0) return [`on ${name} no question was asked`];
  const failed = rows.flatMap(({ question, outcome }) =>
    outcome.kind === "failed" ? [`on ${name} ${question} failed: ${outcome.error}`] : [],
  );
  const unscored = summaries.flatMap(({ metrics }) => metrics.filter(({ strict }) => Number.isNaN(strict)));
  return [...failed, ...unscored.map((metric) => `on ${name} the value of ${metric.name} is no number`)];
}

/** The users and questions whose calls lie outside of the method's plan. */
function outOfPlan({ arms }: World, { folder, rows }: RunResult): string[] {
  const units = unitsOf(folder);
  return arms.flatMap(({ cell, method, options, loaded }) => {
    if (method.callsElsewhere === true) return []; // the protocol tells of calls, not of plans
    const plan = method.plan(options);
    const histories = new Map(Array.from(loaded.units, ({ id, user }) => [id, user.history]));
    const at = (of: string, spend: Spend, planned: CallRange): string[] =>
      callsOutside(spend, plannedIn(planned, cell)).map((text) => `${of} on ${cell.task}: ${text}`);
    return [
      ...units.flatMap(({ unit, spend, shared }) =>
        at(unit, spend, shared === true ? (plan.perCell?.() ?? {}) : plan.perUnit(histories.get(unit) ?? [])),
      ),
      ...rows.flatMap(({ question, spend }) => at(question, spend, callsPerQuestion(plan, loaded.task, false))),
    ];
  });
}

/** The phases whose calls lie outside of what was planned, in words. */
function callsOutside(spend: Spend, planned: CallRange): string[] {
  const phases = new Set([...Object.keys(spend), ...Object.keys(planned)] as PhaseAt[]);
  return [...phases].flatMap((phase) => {
    const calls = spend[phase]?.calls ?? 0;
    const { low, high } = planned[phase] ?? { low: 0, high: 0 };
    return calls >= low && calls <= high ? [] : [`${phase}: ${countOf(calls, "call")}, planned ${low}..${high}`];
  });
}

/** The plug-in's own tasks, then a built-in one of each kind. */
function tasksToTry({ tasks }: Catalogue, added: readonly Task[]): Task[] {
  const others = tasks.all.filter(
    ({ name, choice }) => choice === undefined && !added.some((task) => task.name === name),
  );
  const kinds = [...new Set(others.map(({ kind }) => kind))];
  return [...added, ...kinds.flatMap((kind) => others.find((task) => task.kind === kind) ?? [])];
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

function judgeCheck(judge: Judge): Check {
  const predictions = ["a first reply", "a second reply"].slice(0, judge.shows);
  const shown = { question: "a question", persona: ["a fact"], history: ["User: a line"], predictions };
  const [request = "", again] = [1, 2].map(() => JSON.stringify(judge.request(shown as never))); // as many as it shows
  const problems = [
    ...(request === again ? [] : ["its request is another one the second time"]),
    ...predictions.filter((reply) => !request.includes(reply)).map((reply) => `its request does not hold "${reply}"`),
    ...(judge.read("") === undefined ? [] : ["it reads a verdict in an empty reply"]),
  ];
  return passedOr(`judge ${judge.name}`, problems, "the same request twice, with the replies in it");
}

const TEXTS = ["a desk lamp", "a lamp shade", "a desk lamp"];
const REQUEST: ModelRequest = { messages: [{ role: "user", content: "Say one word." }], maxTokens: 8, sample: 0 };

/** An embedder that needs no key gives equal texts equal vectors of one length. */
function embedderCheck(family: EmbedderProvider): Promise<Check> {
  return opened(`embedder ${family.name}`, "one vector a text, the same each time, of finite numbers", async () => {
    const embedder = await family.open("probe", { env: {} });
    const vectors = await embedder.embed(TEXTS);
    const lengths = [...new Set(vectors.map(({ length }) => length))];
    return [
      ...(vectors.length === TEXTS.length ? [] : [`${countOf(vectors.length, "vector")} for ${TEXTS.length} texts`]),
      ...(lengths.length === 1 ? [] : [`vectors have ${lengths.join(", ")} numbers`]),
      ...(vectors.every((vector) => vector.every(Number.isFinite)) ? [] : ["a number is not finite"]),
      ...(String(vectors[0]) === String(vectors[2]) ? [] : ["the same text has another vector the next time"]),
    ];
  });
}

/** A provider's model that needs no key answers a request, and ends one that is aborted. */
function providerCheck(provider: Provider): Promise<Check> {
  return opened(`provider ${provider.name}`, "a request is answered with its tokens counted, or aborted", async () => {
    const model = await provider.open("probe", { env: {}, concurrency: 1 });
    const { text, usage } = await model.complete(REQUEST, new AbortController().signal);
    const late = await model.complete(REQUEST, AbortSignal.abort()).catch(() => undefined);
    return [
      ...(typeof text === "string" ? [] : ["the reply has no text"]),
      ...([usage?.in, usage?.out].every(Number.isInteger) ? [] : ["usage.in and usage.out are no whole numbers"]),
      ...(late === undefined ? [] : ["it answers an aborted call: complete() does not look at its signal"]),
    ];
  });
}

async function opened(name: string, text: string, look: () => Promise<readonly string[]>): Promise<Check> {
  try {
    return passedOr(name, await look(), text);
  } catch (error) {
    if (error instanceof UsageError) return unchecked(name, `${text}: ${firstLine(error)}`); // e.g. a key is missing
    return passedOr(name, [`it fails: ${firstLine(error)}`], text);
  }
}
