import { UsageError } from "../errors.js";
import { knownSecrets, mapTexts, redactor, withoutUrlSecrets } from "../net/secrets.js";
import { pluginFacts, refuseChangedPlugins } from "../plan/catalogue.js";
import { type Io, timestamp } from "../plan/io.js";
import type { Arm, LoadedTask, Plan } from "../plan/types.js";
import { partName } from "../plan/types.js";
import { FORMAT, type Manifest, refuseChangedPlan } from "../record/manifest.js";
import { furtherModels } from "../registry/further-models.js";
import { selectorEmbeds } from "../selectors/open.js";
import { baselinesOf, chanceOf } from "../tasks/baselines.js";
import type { ArmSpec, Task } from "../types/index.js";
import type { World } from "./world.js";

/** Describes a run for its log: as the folder holds it, else anew. Throws UsageError where it holds another run. */
export function manifestFor(world: World, stored: Manifest | undefined): Manifest {
  const { plan, identity, catalogue, arms, models, sweep, judged, replay, reused, argv, io } = world;
  const added = { plan: portable(plan), ...pluginFacts(catalogue) };
  if (stored !== undefined) {
    refuseOther(world, stored);
    const again = { ...stored, ...added, argv: writable(argv ?? stored.argv, io.env) };
    return judged === undefined ? again : { ...again, judged, identity }; // it goes on with the replies that the judged run has by now
  }
  const questions = Object.fromEntries(arms.map(({ spec, loaded }) => [spec.task, loaded.questions]));
  return {
    format: FORMAT,
    ...added,
    identity,
    models: world.asked,
    simulated: models.some(({ simulated }) => simulated),
    ...(sweep === undefined ? {} : { sweep }),
    ...(judged === undefined ? {} : { judged }),
    ...(plan.shard === undefined ? {} : { part: { ...plan.shard, questions } }),
    tasks: world.loaded.map((data) => taskFacts(data, world)),
    embedders: world.embedders.costly,
    ...(reused.length === 0 ? {} : { reused: reused.map(({ name }) => name) }),
    ...(replay === undefined ? {} : { replayed: replay.name }),
    argv: writable(argv ?? [], io.env),
    startedAt: timestamp(io),
    node: io.node,
  };
}

/** Throws UsageError where a folder holds another run, another shard, or the replay of another log. */
function refuseOther({ folder, plan, identity, catalogue, judged, replay }: World, stored: Manifest): void {
  refuseChangedPlugins(folder, stored.plugins, catalogue);
  const { data } = judged === undefined ? identity : stored.identity;
  refuseChangedPlan(folder, stored, { plan: portable(plan), identity: { ...identity, data } });
  const [was, is] = [
    { part: stored.part, replayed: stored.replayed },
    { part: plan.shard, replayed: replay?.name },
  ].map(({ part, replayed }) => {
    const name = part === undefined ? "a whole run" : partName(part);
    return replayed === undefined ? name : `a replay of ${replayed}`;
  });
  if (was !== is)
    throw new UsageError(
      `${folder} holds ${was}, and ${is} is asked for; choose another --out, or repeat the old command to resume`,
    );
}

/** Arguments as a log may hold them: without the secrets of addresses and of the environment. */
function writable(argv: readonly string[], env: Io["env"]): string[] {
  const redact = redactor(knownSecrets(env));
  return argv.map((argument) => redact.text(withoutUrlSecrets(argument)));
}

/** A plan without logins and headers, as a log keeps it. */
export function portable({ servers, ...plan }: Plan): Plan {
  const bare = Object.entries(servers.endpoints).map(([name, { headers: _, ...endpoint }]) => [name, endpoint]);
  return mapTexts({ ...plan, servers: { ...servers, endpoints: Object.fromEntries(bare) } }, withoutUrlSecrets);
}

/** Returns what stands above and below a task's table. */
function taskFacts(data: LoadedTask, world: World): Manifest["tasks"][number] {
  const { task, dataset, units, others, remarks } = data;
  const { plan, identity, tools, replay, arms, absent } = world;
  const mine = arms.filter(({ loaded }) => loaded.task === task);
  const baselines = baselinesOf(task, units, plan.online);
  const chance = chanceOf(units);
  const unfit = unfitOn(task, absent);
  const further = mine.flatMap(({ spec }) => Object.entries(furtherModels(spec)));
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
      ...new Set(further.map(([role, id]) => `${role} model: ${id}`)),
      ...encoderRemarks(
        mine.map(({ spec, method, options }) => ({
          ...spec,
          embeds: method.embeds?.(options) ?? selectorEmbeds(options),
        })),
      ),
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

interface Searching extends Pick<ArmSpec, "method" | "options"> {
  /** Whether it asks the run's embedder. */
  readonly embeds: boolean;
}

/** `encoder: embedded/hashed-1 (icl, membank), counts words`, where methods of a task search by an embedded encoder: no paper did. */
export function encoderRemarks(arms: readonly Searching[]): string[] {
  const methodsOf = new Map<string, Set<string>>();
  for (const { method, options, embeds } of arms) {
    const encoder = String(options.embedder ?? "");
    if (!encoder.startsWith("embedded/") || !embeds) continue;
    methodsOf.set(encoder, (methodsOf.get(encoder) ?? new Set()).add(method));
  }
  return [...methodsOf].map(([encoder, methods]) => `encoder: ${encoder} (${[...methods].join(", ")}), counts words`);
}
