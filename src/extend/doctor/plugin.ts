import { builtIn, type Catalogue, catalogueOf } from "../../run/catalogue.js";
import type { Io } from "../../run/io.js";
import type { Task } from "../../types/index.js";
import { EXEC } from "../exec/command.js";
import { loadPlugin } from "../plugins/load.js";
import { withPlugins } from "../plugins/with-plugins.js";
import { type Check, passedOr, renderChecks, unchecked } from "./checks.js";
import { type Asked, executed, type Runner } from "./executed.js";
import { embedderCheck, judgeCheck, providerCheck, unreadLabels } from "./things.js";

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
export async function checkPlugin(named: string, io: Io, runner: Runner): Promise<CheckedPlugin> {
  const { name, checks } = named.startsWith(EXEC)
    ? { name: named, checks: await executed(named, { method: named }, tasksToTry(catalogueOf(io), []), { io, runner }) }
    : await pluginChecks(named, io, runner);
  return { name, checks, passed: checks.every(({ state }) => state !== "FAILED"), text: renderChecks(name, checks) };
}

async function pluginChecks(named: string, given: Io, runner: Runner): Promise<Pick<CheckedPlugin, "name" | "checks">> {
  const { plugin, additions } = await loadPlugin(named, given.cwd);
  const io = await withPlugins(given, { names: [named], from: given.cwd });
  const tasks = tasksToTry(io.catalogue, additions.tasks ?? []);
  const usual = tasksToTry(builtIn, []).slice(0, 1);
  const checks: Check[] = [];
  const run = (thing: string, asked: Asked, on: readonly Task[]) => executed(thing, asked, on, { io, runner });
  for (const { name } of additions.methods ?? [])
    checks.push(...(await run(`method ${name}`, { method: name }, tasks)));
  for (const task of additions.tasks ?? []) {
    checks.push(passedOr(`task ${task.name}`, unreadLabels(task), "its own labels are read back"));
    checks.push(...(await run(`task ${task.name}`, { method: "prompt" }, [task])));
  }
  for (const { name } of additions.retrievers ?? [])
    checks.push(...(await run(`retriever ${name}`, { method: "rag", options: { "rag.retriever": name } }, usual)));
  for (const { name, takes } of additions.selectors ?? [])
    if (takes !== undefined) checks.push(unchecked(`selector ${name}`, "it takes a file, and none is at hand"));
    else checks.push(...(await run(`selector ${name}`, { method: "rag", options: { select: name } }, usual)));
  for (const { name } of additions.metrics ?? [])
    checks.push(...(await run(`metric ${name}`, { method: "prompt", metric: name }, usual)).slice(0, 1)); // the rest is of the method
  for (const judge of additions.judges ?? []) checks.push(judgeCheck(judge));
  for (const family of additions.embedders ?? []) checks.push(await embedderCheck(family));
  for (const provider of additions.providers ?? []) checks.push(await providerCheck(provider));
  const { name, version } = plugin;
  return { name: version === undefined ? name : `${name} ${version}`, checks };
}

/** The plug-in's own tasks, then a built-in one of each kind. */
function tasksToTry({ tasks }: Catalogue, added: readonly Task[]): Task[] {
  const others = tasks.all.filter(
    ({ name, choice }) => choice === undefined && !added.some((task) => task.name === name),
  );
  const kinds = [...new Set(others.map(({ kind }) => kind))];
  return [...added, ...kinds.flatMap((kind) => others.find((task) => task.kind === kind) ?? [])];
}
