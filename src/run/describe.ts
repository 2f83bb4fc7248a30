import { UsageError } from "../errors.js";
import { withoutUrlSecrets } from "../net/secrets.js";
import { furtherModels } from "../registry/further-models.js";
import type { Cell, Task } from "../types/index.js";
import { baselinesOf, chanceOf } from "./baselines.js";
import { writable } from "./command-line.js";
import { timestamp } from "./io.js";
import { FORMAT, type Manifest, mapTexts, refuseChangedPlan } from "./manifest.js";
import { partName } from "./plan/part.js";
import type { Arm, LoadedTask, Plan, Shard } from "./plan/types.js";
import { pluginFacts, refuseChangedPlugins } from "./plugins.js";
import type { World } from "./world.js";

/** Describes a run for its log: as the folder holds it, else anew. Throws UsageError where it holds another run. */
export function described(world: World, held: Manifest | undefined): Manifest {
  const { plan, identity, catalogue, arms, models, sweep, judged, replay, folder, argv, io } = world;
  const added = { settings: portable(plan), ...pluginFacts(catalogue) };
  if (held !== undefined) {
    refuseChangedPlugins(folder, held.plugins, catalogue);
    refuseChangedPlan(folder, held.plan, judged === undefined ? identity : { ...identity, data: held.plan.data });
    refuseOtherPart(folder, held, plan.shard);
    if (held.replayed !== replay?.name)
      throw new UsageError(
        `${folder} holds ${held.replayed === undefined ? "a run" : `a replay of ${held.replayed}`}; choose another --out`,
      );
    const again = { ...held, ...added, argv: writable(argv ?? held.argv, io.env) };
    return judged === undefined ? again : { ...again, judged, plan: identity }; // it goes on with the replies that the judged run has by now
  }
  return {
    format: FORMAT,
    ...added,
    plan: identity,
    models: world.asked,
    simulated: models.some(({ simulated }) => simulated),
    ...(sweep === undefined ? {} : { sweep }),
    ...(judged === undefined ? {} : { judged }),
    ...(plan.shard === undefined ? {} : { part: { ...plan.shard, questions: questionsIn(arms) } }),
    tasks: world.loaded.map((data) => taskFacts(data, world)),
    embedders: world.embedders.costly,
    ...(world.reused.length === 0 ? {} : { reused: world.reused.map(({ name }) => name) }),
    ...(replay === undefined ? {} : { replayed: replay.name }),
    argv: writable(argv ?? [], io.env),
    startedAt: timestamp(io),
    node: io.node,
    ...(world.git === undefined ? {} : { git: world.git }),
  };
}

/** A plan without logins and headers. */
function portable({ endpoints, ...plan }: Plan): Plan {
  const bare = Object.entries(endpoints).map(([name, { headers: _, ...endpoint }]) => [name, endpoint]);
  return mapTexts({ ...plan, endpoints: Object.fromEntries(bare) }, withoutUrlSecrets) as Plan; // only texts are changed
}

const questionsIn = (arms: readonly Arm[]): Record<string, number> =>
  Object.fromEntries(arms.map(({ cell, loaded }) => [cell.task, loaded.questions]));

/** Throws UsageError where a folder's run is another part than the one asked for. */
function refuseOtherPart(folder: string, { part: old }: Manifest, part: Shard | undefined): void {
  const name = (one: Shard | undefined): string => (one === undefined ? "a whole run" : partName(one));
  if (name(old) === name(part)) return;
  throw new UsageError(
    `${folder} holds ${name(old)}, and ${name(part)} is asked for; choose another --out, or repeat the old command to resume`,
  );
}

/** What stands above and below a task's table. */
function taskFacts(data: LoadedTask, world: World): Manifest["tasks"][number] {
  const { task, dataset, units, others, remarks } = data;
  const { plan, identity, tools, replay, arms, absent } = world;
  const mine = arms.filter(({ loaded }) => loaded.task === task);
  const baselines = baselinesOf(task, units, plan.online);
  const chance = chanceOf(units);
  const unfit = unfitOn(task, absent);
  return {
    task: task.name,
    title: task.title,
    dataset: dataset.name,
    remarks: [
      ...remarks,
      ...(chance === undefined ? [] : [`chance: ${chance.toFixed(3)}`]),
      ...(others.isEmpty ? [] : [`others: ${others.kind}`]),
      ...plan.remarks,
      ...tools.remarks,
      ...(replay === undefined ? [] : [`replayed from ${replay.name}`]),
      ...identity.notApplied.map((name) => `${name} not applied`),
      ...new Set(mine.flatMap(({ method, options }) => method.remarks?.(options) ?? [])),
      ...new Set(arms.flatMap(furtherRemarks)),
      ...encoderRemarks(mine.map(({ cell, method, options }) => ({ ...cell, embeds: method.embeds?.(options) }))),
    ],
    ...(unfit.length === 0 ? {} : { unfit }),
    ...(baselines.length === 0 ? {} : { baselines }),
  };
}

/** The methods that say nothing on the task, each once. */
const unfitOn = (task: Task, absent: readonly Arm[]) => {
  const methods = new Set(absent.filter(({ loaded }) => loaded.task === task).map(({ method }) => method));
  return [...methods].map((method) => ({ method: method.name, why: method.unfit?.(task) ?? "" }));
};

/** `reference model: openai/base-8b`, for every one that an arm names. */
const furtherRemarks = ({ cell }: Arm): string[] =>
  Object.entries(furtherModels(cell)).map(([role, id]) => `${role} model: ${id}`);

interface Searching extends Pick<Cell, "method" | "options"> {
  /** What the method says of it (`Method.embeds`). */
  readonly embeds?: boolean | undefined;
}

/**
 * `encoder: embedded/hashed-1 (icl, membank) compares words, not meanings`, where methods of a task search by an embedded
 * encoder: no paper did. Empty where none does.
 */
export function encoderRemarks(cells: readonly Searching[]): string[] {
  const methodsOf = new Map<string, Set<string>>();
  for (const { method, options, embeds = isByVector(options) } of cells) {
    const encoder = String(options.embedder ?? "");
    if (!encoder.startsWith(EMBEDDED) || !embeds) continue;
    methodsOf.set(encoder, (methodsOf.get(encoder) ?? new Set()).add(method));
  }
  return [...methodsOf].map(
    ([encoder, methods]) => `encoder: ${encoder} (${[...methods].join(", ")}) compares words, not meanings`,
  );
}

const EMBEDDED = "embedded/";

/** Values of options that ask for vectors. */
const BY_VECTOR = ["dense", "kate"];
/** Selectors that do, besides those that a retriever of these names is. */
const SELECTORS = ["similar", "rums-binary", "rums-multi"];

/** A selector takes the place of the method's own retrieval. */
function isByVector({ select = "own", ...options }: Cell["options"]): boolean {
  const [selector = ""] = String(select).split(":");
  const asked = Object.entries(options).filter(([name]) => selector === "own" || !/\.(?:kind|retriever)$/.test(name));
  return (
    SELECTORS.includes(selector) || [["", selector], ...asked].some(([, value]) => BY_VECTOR.includes(String(value)))
  );
}
