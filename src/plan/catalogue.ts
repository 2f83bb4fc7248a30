import { embedderProviders } from "../embedders/index.js";
import type { EmbedderProvider } from "../embedders/provider.js";
import { UsageError } from "../errors.js";
import { judges } from "../judges/index.js";
import { methods } from "../methods/index.js";
import { metrics } from "../metrics/index.js";
import { providers } from "../models/index.js";
import { retrievers } from "../retrievers/index.js";
import { selectors } from "../selectors/index.js";
import { retrieverSelector } from "../selectors/of-retriever.js";
import { tasks } from "../tasks/index.js";
import type { Judge, Method, Metric, Option, Provider, Registry, Retriever, Selector, Task } from "../types/index.js";

/** Everything that has a name which a person can type, by kind. A value like any other: nothing is added to it. */
export interface Catalogue {
  readonly tasks: Registry<Task>;
  readonly methods: Registry<Method>;
  readonly retrievers: Registry<Retriever>;
  /** Each retriever is one of them. */
  readonly selectors: Registry<Selector>;
  readonly metrics: Registry<Metric>;
  readonly judges: Registry<Judge>;
  readonly embedders: Registry<EmbedderProvider>;
  readonly providers: Registry<Provider>;
  /** Who brought the things that are not built in, by `kind name`. */
  readonly origins: ReadonlyMap<string, string>;
  /** Where they were loaded from files: the plug-ins, in the order of loading. */
  readonly plugins: readonly Plugin[];
}

/** A file or package that things were loaded from. */
export interface Plugin {
  readonly name: string;
  readonly version?: string | undefined;
  /** Content id over its files. */
  readonly hash: string;
  /** SHA-256 of each file, by path from the plug-in's folder. */
  readonly files: Readonly<Record<string, string>>;
  /** What it brings: `method echo`, `task songs`. */
  readonly brings: readonly string[];
  /** The file that was loaded, absolute. */
  readonly entry: string;
  /** A task in YAML: its definition, which a run keeps, so that it is read without the file. */
  readonly definition?: Readonly<Record<string, unknown>> | undefined;
}

/** Things from outside, of the same types as the built-in ones. */
export interface Additions {
  readonly tasks?: readonly Task[] | undefined;
  readonly methods?: readonly Method[] | undefined;
  readonly retrievers?: readonly Retriever[] | undefined;
  readonly selectors?: readonly Selector[] | undefined;
  readonly metrics?: readonly Metric[] | undefined;
  readonly judges?: readonly Judge[] | undefined;
  readonly embedders?: readonly EmbedderProvider[] | undefined;
  readonly providers?: readonly Provider[] | undefined;
}

/** What comes with the program. */
export const builtIn: Catalogue = {
  tasks,
  methods,
  retrievers,
  selectors,
  metrics,
  judges,
  embedders: embedderProviders,
  providers,
  origins: new Map(),
  plugins: [],
};

/**
 * The catalogue with more things in it; options that choose among things of a kind then take the new ones too. `from` says
 * whose they are, for messages. Throws UsageError naming both where two things of a kind would have one name.
 */
export function extended(base: Catalogue, additions: Additions, from: string): Catalogue {
  const origins = new Map(base.origins);
  const join = <T extends Named>(list: Registry<T>, more: readonly T[] = [], taken: readonly string[] = []) =>
    joined(list, more, { from, origins, taken });
  const inTasks = [...base.tasks.all, ...(additions.tasks ?? [])].flatMap((task) =>
    task.metrics.map(({ name }) => name),
  );
  const known = base.metrics.names;
  const lists = {
    tasks: join(base.tasks, additions.tasks),
    retrievers: join(base.retrievers, additions.retrievers),
    selectors: join(base.selectors, [
      ...(additions.selectors ?? []),
      ...(additions.retrievers ?? []).map(retrieverSelector),
    ]),
    metrics: join(
      base.metrics,
      additions.metrics,
      inTasks.filter((name) => !known.includes(name)),
    ),
    judges: join(base.judges, additions.judges),
    embedders: join(base.embedders, additions.embedders),
    providers: join(base.providers, additions.providers),
  };
  const chosen = [lists.retrievers, lists.selectors];
  const bound = join(base.methods, additions.methods).all.map((method) => withChoices(method, chosen));
  return { ...lists, methods: base.methods.of(bound), origins, plugins: base.plugins };
}

/** The catalogue in which every task is scored by these metrics too, behind its own. A metric that a task has is not added twice. */
export function withMetrics(catalogue: Catalogue, more: readonly Metric[]): Catalogue {
  if (more.length === 0) return catalogue;
  const scored = catalogue.tasks.all.map((task): Task => {
    const present = task.metrics.map(({ name }) => name);
    return derived(task, { metrics: [...task.metrics, ...more.filter(({ name }) => !present.includes(name))] });
  });
  return { ...catalogue, tasks: catalogue.tasks.of(scored) };
}

/** The catalogue in which the tasks are scored by judges, too: those that a task names first. */
export function withJudged(
  catalogue: Catalogue,
  judged: readonly { readonly metric: Metric; readonly judge: string }[],
): Catalogue {
  if (judged.length === 0) return catalogue;
  const scored = catalogue.tasks.all.map((task): Task => {
    const isFirst = (judge: string): boolean => task.judges?.includes(judge) === true;
    const of = (first: boolean) => judged.filter(({ judge }) => isFirst(judge) === first).map(({ metric }) => metric);
    return derived(task, { metrics: [...of(true), ...task.metrics, ...of(false)] });
  });
  return { ...catalogue, tasks: catalogue.tasks.of(scored) };
}

/** The catalogue in which the tasks have these metrics in place of their own. */
export function withMetricsAs(catalogue: Catalogue, as: (metric: Metric) => Metric): Catalogue {
  const changed = catalogue.tasks.all.map((task) => derived(task, { metrics: task.metrics.map(as) }));
  return { ...catalogue, tasks: catalogue.tasks.of(changed) };
}

/** Returns what use cases know by name: what they were handed, else what is built in. */
export const catalogueOf = ({ catalogue = builtIn }: { readonly catalogue?: Catalogue | undefined }): Catalogue =>
  catalogue;

interface Named {
  readonly name: string;
}

interface Joining {
  readonly from: string;
  readonly origins: Map<string, string>;
  /** Names that are taken besides those in the list. */
  readonly taken: readonly string[];
}

/** The list with more things at its end; a thing that is already in it is passed over. */
function joined<T extends Named>(
  list: Registry<T>,
  more: readonly T[],
  { from, origins, taken }: Joining,
): Registry<T> {
  let grown = list;
  for (const thing of more) {
    if (grown.find(thing.name) === thing) continue;
    for (const name of grown.spellings(thing)) {
      const other = grown.find(name)?.name ?? taken.find((one) => one === name);
      if (other === undefined) continue;
      const owner = origins.get(`${list.kind} ${other}`);
      throw new UsageError(
        `two ${list.kind}s called ${name}: ${thing.name} of ${from} and ${other}, ${owner === undefined ? "which is built in" : `of ${owner}`}; rename one`,
      );
    }
    grown = grown.of([...grown.all, thing]);
    origins.set(`${list.kind} ${thing.name}`, from);
  }
  return grown;
}

/** Returns the method, its options choosing among the things of these lists. */
function withChoices(method: Method, lists: readonly Registry<Named>[]): Method {
  const entries = Object.entries(method.options);
  if (entries.every(([, { over }]) => over === undefined)) return method;
  const options = entries.map(([name, option]): [string, Option<unknown>] => [name, option.over?.(lists) ?? option]);
  const brought = options.flatMap(([, option]) => Object.entries(option.brings?.() ?? {}));
  return derived(method, { options: { ...Object.fromEntries(brought), ...Object.fromEntries(options) } });
}

/** A copy of a thing with new values for some fields. What it inherits, as an instance of a class does, is kept. */
function derived<T extends object>(thing: T, fields: Partial<T>): T {
  const inherent = Object.getOwnPropertyDescriptors(thing);
  return Object.create(Object.getPrototypeOf(thing), { ...inherent, ...Object.getOwnPropertyDescriptors(fields) });
}

type Recorded = readonly Omit<Plugin, "entry">[] | undefined;

/** Returns what a log keeps of the plug-ins of a run; nothing where there are none. */
export const pluginFacts = ({ plugins }: Catalogue): { readonly plugins?: NonNullable<Recorded> } =>
  plugins.length === 0 ? {} : { plugins: plugins.map(({ entry: _, ...facts }) => facts) };

/** Throws UsageError where a recorded run cannot be made again because a plug-in is not at hand. Tasks in YAML stand in the log. */
export function refuseAbsentPlugins(run: string, recorded: Recorded, { plugins }: Catalogue): void {
  const absent = (recorded ?? []).find(
    ({ name, definition }) => definition === undefined && !plugins.some((one) => one.name === name),
  );
  if (absent === undefined) return;
  throw new UsageError(`${run}: it was made with plug-in ${absent.name}; give it again: --plugin FILE`);
}

/** Returns a line for each plug-in at hand whose files are not those of the run. */
export const changedPlugins = (recorded: Recorded, { plugins }: Catalogue): string[] =>
  (recorded ?? []).flatMap(({ name, hash, definition, files }) => {
    const now = plugins.find((one) => one.name === name);
    const what = definition === undefined ? `plug-in ${name}` : `task file ${Object.keys(files)[0]}`;
    return now === undefined || now.hash === hash ? [] : [`${what} changed since`];
  });

/** Throws UsageError where a run was begun with a plug-in that is not at hand, or is another now. */
export function refuseChangedPlugins(folder: string, recorded: Recorded, catalogue: Catalogue): void {
  const absent = (recorded ?? []).find(({ name }) => !catalogue.plugins.some((one) => one.name === name));
  const problem =
    absent === undefined
      ? changedPlugins(recorded, catalogue)[0]
      : `plug-in ${absent.name} is not at hand (--plugin FILE)`;
  if (problem !== undefined)
    throw new UsageError(`${folder} holds a run whose ${problem}; give it as it was, or choose another --out`);
}
