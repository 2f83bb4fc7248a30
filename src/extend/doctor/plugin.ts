import { UsageError } from "../../errors.js";
import { builtIn, type Catalogue, catalogueOf } from "../../plan/catalogue.js";
import type { Io } from "../../plan/io.js";
import type { Task } from "../../types/index.js";
import { EXEC, findCommand } from "../exec/command.js";
import { loadPlugin } from "../plugins/load.js";
import { withPlugins } from "../plugins/with-plugins.js";
import { type Asked, type Check, executed, passedOr, type Runner } from "./executed.js";

/**
 * Executes once what a plug-in brings, or a program (`exec:./mine.py`), on made-up data with the embedded model. Leaves nothing
 * behind. Throws UsageError where it cannot be loaded.
 */
export async function checkPlugin(named: string, given: Io, runner: Runner): Promise<Check[]> {
  if (named.startsWith(EXEC)) {
    try {
      findCommand(named.slice(EXEC.length).trim(), given.cwd, given.env.PATH ?? "");
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      return [{ name: named, state: "fail", text: error.message }];
    }
    const checks = await executed(named, { method: named }, tasksToTry(catalogueOf(given), []), { io: given, runner });
    return checks.filter(({ name }) => name !== "plan"); // a program has none
  }
  const { additions } = await loadPlugin(named, given.cwd);
  const { methods = [], retrievers = [], selectors = [], metrics = [], tasks = [], ...rest } = additions;
  const io = await withPlugins(given, { names: [named], from: given.cwd });
  const usual = tasksToTry(builtIn, []).slice(0, 1);
  const checks: Check[] = [];
  const add = (name: string, text: string) => void checks.push({ name, state: "warn", text });
  const run = async (thing: string, asked: Asked, on: readonly Task[] = usual, most?: number) =>
    void checks.push(...(await executed(thing, asked, on, { io, runner })).slice(0, most));
  for (const { name } of methods) await run(`method ${name}`, { method: name }, tasksToTry(io.catalogue, tasks));
  for (const task of tasks) {
    checks.push(passedOr(`task ${task.name}`, unreadLabels(task), "its own labels are read back"));
    await run(`task ${task.name}`, { method: "prompt" }, [task]);
  }
  for (const { name } of retrievers) await run(`retriever ${name}`, { method: "rag", options: { select: name } });
  for (const { name, takes } of selectors)
    if (takes !== undefined) add(`selector ${name}`, "not tried: it takes a file");
    else await run(`selector ${name}`, { method: "rag", options: { select: name } });
  for (const { name } of metrics) await run(`metric ${name}`, { method: "prompt", metric: name }, usual, 1); // the rest is of the method
  for (const { name } of rest.judges ?? []) add(`judge ${name}`, `try judge RUN --judge ${name}`);
  for (const { name } of rest.embedders ?? []) add(`embedder ${name}`, `try run --set embedder=${name}/ID`);
  for (const { name } of rest.providers ?? [])
    add(`provider ${name}`, `try doctor --plugin ${named} --model ${name}/ID`);
  return checks;
}

/** Returns a line for each label that a task does not read back. */
function unreadLabels({ labels, strict, lenient, question }: Task): string[] {
  const asked = question({ id: "probe", input: "probe" });
  const isRead = (label: string): boolean =>
    [strict(label), lenient(label, asked)].every((one) => one.kind === "answer" && one.answer === label);
  return labels.flatMap((label) => (isRead(label) ? [] : [`the reply "${label}" is not read as the label ${label}`]));
}

/** The plug-in's own tasks, then a built-in one of each kind. */
function tasksToTry({ tasks }: Catalogue, added: readonly Task[]): Task[] {
  const others = tasks.all.filter(
    ({ name, parseCitation: choice }) => choice === undefined && !added.some((task) => task.name === name),
  );
  const kinds = [...new Set(others.map(({ kind }) => kind))];
  return [...added, ...kinds.flatMap((kind) => others.find((task) => task.kind === kind) ?? [])];
}
