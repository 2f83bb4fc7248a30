import { UsageError } from "../errors.js";
import { plannedIn } from "../registry/further-models.js";
import { readOptions } from "../registry/options.js";
import { suggest } from "../registry/registry.js";
import { allOptions } from "../run/plan/options.js";
import { catalogueOf } from "../run/catalogue.js";
import type { Io } from "../run/io.js";
import type { Method } from "../types/index.js";
import { listedOptions, listKinds } from "./list.js";

/** What is known of a method, a task or an option, by field. */
export type Explained = Readonly<Record<string, string>>;

/** Finds a method, task or option by name. Throws UsageError where nothing has this name. */
export function explain(name: string, io: Pick<Io, "catalogue">): Explained {
  const catalogue = catalogueOf(io);
  const method = catalogue.methods.find(name);
  if (method !== undefined) return explainedMethod(method);
  const task = catalogue.tasks.find(name);
  if (task !== undefined) {
    const metrics = task.metrics.map((metric) => metric.name).join(", ");
    const answers = task.labels.length === 0 ? "text" : task.labels.join(", ");
    return { task: task.name, title: task.title, answers, metrics, tokens: `${task.maxAnswerTokens} for an answer` };
  }
  const options = allOptions(catalogue);
  const [option] = listedOptions(options).filter((one) => one.name === name);
  if (option !== undefined) {
    const readers = catalogue.methods.all.filter((one) => Object.hasOwn(one.options, name)).map((one) => one.name);
    const methods = readers.length === 0 ? "all" : readers.join(", ");
    return { option: name, default: String(option.default), accepts: option.accepts, help: option.help, methods };
  }
  const known = [...listKinds, ...catalogue.methods.names, ...catalogue.tasks.names, ...Object.keys(options)];
  throw new UsageError(
    `list ${name}: no kind, method, task or option of this name${suggest(name, known)}; lamp-eval list prints all names`,
  );
}

function explainedMethod(method: Method): Explained {
  const options = readOptions(method.options, {});
  const { tools, agent } = method.needs?.(options) ?? { tools: [], agent: false };
  const calls = Object.entries(plannedIn(method.plan(options).perQuestion(), { options: {} }))
    .filter(([, { high }]) => high > 0)
    .map(([phase, { low, high }]) => `${phase} ${low === high ? low : `${low} to ${high}`}`);
  const needs = [...(agent ? ["tool calls"] : []), ...tools];
  return {
    method: method.name,
    summary: method.summary,
    source: method.source,
    ...(needs.length === 0 ? {} : { needs: needs.join(", ") }),
    "calls per question": calls.join(", ") || "none",
    options: listedOptions(method.options)
      .map(({ name, default: value }) => `${name}=${value}`)
      .join(", "),
    more: `lamp-eval list options --method ${method.name}`,
  };
}
