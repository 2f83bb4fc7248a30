import { EXEC } from "../../exec/command.js";
import { openCommands } from "../../exec/open-commands.js";
import type { Check } from "../../report/checks.js";
import { countOf } from "../../text/count.js";
import type { Selector } from "../../types/index.js";
import { builtIn, type Catalogue, catalogueOf, type Plugin } from "../catalogue.js";
import type { Io } from "../io.js";
import { embedderChecks, providerChecks } from "./callers.js";
import { loadPlugin } from "./load.js";
import { withPlugins } from "./plugins.js";
import { judgeCheck, methodChecks, metricCheck, type Rule, taskChecks, tasksToTry } from "./trials.js";

/** What a plug-in promises by its form, and whether it holds. */
interface TestedPlugin {
  readonly name: string;
  readonly checks: readonly Check[];
  /** Whether nothing that could be looked at is broken. */
  readonly passed: boolean;
}

/**
 * Runs the contract of what a plug-in brings, or on a program (`exec:./mine.py`), over
 * small made-up data and the embedded model. Writes nothing. Throws UsageError where it cannot be loaded.
 */
export async function testPlugin(named: string, io: Io): Promise<TestedPlugin> {
  const { name, checks } = named.startsWith(EXEC) ? await programChecks(named, io) : await pluginChecks(named, io);
  return { name, checks, passed: checks.every(({ state }) => state !== "FAILED") };
}

/** One line a check, its problems below it, and the count of all. */
export function renderTested({ name, checks }: TestedPlugin): string {
  const lines = checks.flatMap(({ name: thing, said, state, problems }) => [
    `${state.padEnd(11)}  ${thing}: ${said}`,
    ...problems.slice(0, SHOWN).map((problem) => `             ${problem}`),
    ...(problems.length > SHOWN ? [`             ... and ${problems.length - SHOWN} more`] : []),
  ]);
  const count = (wanted: string) => checks.filter(({ state }) => state === wanted).length;
  const counts = `${countOf(count("ok"), "check")} passed, ${count("FAILED")} failed, ${count("not checked")} not checked`;
  return [...lines, "", `${name}: ${counts}`].join("\n");
}

/** How many problems of one check are printed. */
const SHOWN = 5;

type Tested = Omit<TestedPlugin, "passed">;

async function pluginChecks(named: string, io: Io): Promise<Tested> {
  const { plugin, additions } = await loadPlugin(named, io.cwd);
  const { catalogue } = await withPlugins(io, { names: [named], from: io.cwd });
  const tried = tasksToTry(catalogue, additions.tasks ?? []);
  const { methods } = catalogue;
  const checks: Check[] = [];
  for (const { name } of additions.methods ?? [])
    checks.push(...(await methodChecks({ name: `method ${name}`, method: methods.get(name) }, tried)));
  for (const task of additions.tasks ?? []) checks.push(...(await taskChecks(task, methods.get(ASKER))));
  for (const { name } of additions.retrievers ?? []) checks.push(...(await retrieverChecks(name, catalogue)));
  for (const selector of additions.selectors ?? []) checks.push(...(await selectorChecks(selector, catalogue)));
  for (const metric of additions.metrics ?? []) checks.push(await metricCheck(metric));
  for (const judge of additions.judges ?? []) checks.push(await judgeCheck(judge));
  for (const embedder of additions.embedders ?? []) checks.push(...(await embedderChecks(embedder)));
  for (const provider of additions.providers ?? []) checks.push(...(await providerChecks(provider)));
  return { name: titleOf(plugin), checks };
}

/** The built-in methods that tasks and retrievers are tried with, and the option that names a retriever. */
const ASKER = "prompt";
const READER = "rag";
const SEARCHED_BY = "rag.retriever";
const CHOSEN_BY = "select";

const titleOf = ({ name, version }: Plugin): string => (version === undefined ? name : `${name} ${version}`);

/** Through a method that looks up by it. */
function retrieverChecks(name: string, catalogue: Catalogue): Promise<Check[]> {
  const method = catalogue.methods.get(READER);
  const unasked = { options: "a retriever has none", calls: "a retriever makes none" };
  const tried = { name: `retriever ${name}`, method, given: { [SEARCHED_BY]: name } };
  return methodChecks(tried, tasksToTry(builtIn, []), unasked);
}

/** Through the same method. What it plans is asked with the method's own calls; one that takes a file has none here. */
function selectorChecks({ name, takes }: Selector, catalogue: Catalogue): Promise<Check[]> {
  const method = catalogue.methods.get(READER);
  const why = "it takes a file, and none is at hand";
  const unasked: Partial<Record<Rule, string>> =
    takes === undefined ? {} : { answers: why, rows: why, users: why, calls: why, time: why, memory: why };
  const tried = { name: `selector ${name}`, method, given: takes === undefined ? { [CHOSEN_BY]: name } : {} };
  return methodChecks(tried, tasksToTry(builtIn, []), unasked);
}

const UNSEEN = "what a program does by itself is not seen";

async function programChecks(named: string, io: Io): Promise<Tested> {
  const { env, clock, cwd } = io;
  const stop = new AbortController();
  const commands = openCommands({ cwd, env, clock, dryRun: false, stop: stop.signal, kill: stop.signal });
  try {
    const method = commands.method(named)!; // it begins with exec:
    const unasked: Partial<Record<Rule, string>> = {
      options: "the protocol has none",
      calls: "the protocol tells of calls, not of plans",
      time: UNSEEN,
      memory: UNSEEN,
    };
    const tasks = tasksToTry(catalogueOf(io), []);
    return { name: named, checks: await methodChecks({ name: named, method }, tasks, unasked) };
  } finally {
    await commands.close();
  }
}
