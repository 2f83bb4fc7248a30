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
import { defined } from "../text/json.js";
import type { ArmSpec } from "../types/index.js";
import type { World } from "./world.js";

/** Returns the manifest of a run: the stored one of its folder, with this command line, or a new one. Throws UsageError if the folder holds another run. */
export function manifestFor(world: World, stored: Manifest | undefined): Manifest {
  const { plan, identity, catalogue, arms, models, sweep, judged, replay, reused, argv, io } = world;
  const present = { plan: portable(plan), ...pluginFacts(catalogue) };
  if (stored !== undefined) {
    refuseOther(world, stored);
    const resumed = { ...stored, ...present, argv: withoutSecrets(argv ?? stored.argv, io.env) };
    return judged === undefined ? resumed : { ...resumed, judged, identity }; // the judged run may have more replies by now
  }
  const questions = Object.fromEntries(arms.map(({ spec, loaded }) => [spec.task, loaded.questions]));
  return {
    format: FORMAT,
    ...present,
    identity,
    models: world.modelAccess,
    simulated: models.some(({ simulated }) => simulated),
    ...defined({ sweep, judged, part: plan.shard && { ...plan.shard, questions } }),
    tasks: world.loaded.map((data) => taskFacts(data, world)),
    embedders: world.embedders.costly,
    ...(reused.length === 0 ? {} : { reused: reused.map(({ name }) => name) }),
    ...defined({ replayed: replay?.name }),
    argv: withoutSecrets(argv ?? [], io.env),
    startedAt: timestamp(io),
    node: io.node,
  };
}

/** Throws UsageError if the folder holds another run, another shard, or the replay of another run. */
function refuseOther({ folder, plan, identity, catalogue, judged, replay }: World, stored: Manifest): void {
  refuseChangedPlugins(folder, stored.plugins, catalogue);
  const { data } = judged === undefined ? identity : stored.identity; // the judged run may have more replies by now
  refuseChangedPlan(folder, stored, { plan: portable(plan), identity: { ...identity, data } });
  const storedName = contentName(stored.part, stored.replayed);
  const name = contentName(plan.shard, replay?.name);
  if (storedName !== name)
    throw new UsageError(
      `${folder} holds ${storedName}, and ${name} is asked for; choose another --out, or repeat the old command to resume`,
    );
}

function contentName(shard: Plan["shard"], replayed: string | undefined): string {
  if (replayed !== undefined) return `a replay of ${replayed}`;
  return shard === undefined ? "a whole run" : partName(shard);
}

/** Returns the command line without secrets of addresses and of the environment. */
function withoutSecrets(argv: readonly string[], env: Io["env"]): string[] {
  const redact = redactor(knownSecrets(env));
  return argv.map((argument) => redact.text(withoutUrlSecrets(argument)));
}

/** Returns a plan without logins and headers. */
export function portable({ servers, ...plan }: Plan): Plan {
  const bare = Object.entries(servers.endpoints).map(([name, { headers: _, ...endpoint }]) => [name, endpoint]);
  return mapTexts({ ...plan, servers: { ...servers, endpoints: Object.fromEntries(bare) } }, withoutUrlSecrets);
}

/** Returns all that the report of a task shows besides its rows. */
function taskFacts(data: LoadedTask, world: World): Manifest["tasks"][number] {
  const { task, dataset, units } = data;
  const baselines = baselinesOf(task, units, world.plan.online);
  const unfitMethods = new Set(
    world.unfitArms.filter(({ loaded }) => loaded.task === task).map(({ method }) => method),
  );
  const unfit = [...unfitMethods].map((method) => ({ method: method.name, why: method.unfit?.(task) ?? "" }));
  return {
    task: task.name,
    title: task.title,
    dataset: dataset.name,
    remarks: remarksOn(data, world),
    ...(unfit.length === 0 ? {} : { unfit }),
    ...(baselines.length === 0 ? {} : { baselines }),
  };
}

/** Returns remarks on a task's data, settings, tools and models, in the order in which the report shows them. */
function remarksOn({ task, units, others, remarks }: LoadedTask, world: World): string[] {
  const { plan, identity, tools, replay, arms } = world;
  const own = arms.filter(({ loaded }) => loaded.task === task);
  const chance = chanceOf(units);
  const further = own.flatMap(({ spec }) => Object.entries(furtherModels(spec)));
  return [
    ...remarks,
    ...(chance === undefined ? [] : [`chance: ${chance.toFixed(3)}`]),
    ...(others.isEmpty ? [] : [`others: ${others.kind}`]),
    ...plan.remarks,
    ...tools.remarks,
    ...(replay === undefined ? [] : [`replayed from ${replay.name}`]),
    ...identity.notApplied.map((name) => `${name} not applied`),
    ...new Set(own.flatMap(({ method, options }) => method.remarks?.(options) ?? [])),
    ...new Set(further.map(([role, id]) => `${role} model: ${id}`)),
    ...encoderRemarks(own.map(embedsOf)),
  ];
}

interface EmbeddingArm extends Pick<ArmSpec, "method" | "options"> {
  /** Whether it uses the run's embedder. */
  readonly embeds: boolean;
}

const embedsOf = ({ spec, method, options }: Arm): EmbeddingArm => ({
  ...spec,
  embeds: method.embeds?.(options) ?? selectorEmbeds(options),
});

/** Returns a remark for each embedded encoder, which no paper used: `encoder: embedded/hashed-1 (icl, membank), counts words`. */
export function encoderRemarks(arms: readonly EmbeddingArm[]): string[] {
  const methodsOf = new Map<string, Set<string>>();
  for (const { method, options, embeds } of arms) {
    const encoder = String(options.embedder ?? "");
    if (!encoder.startsWith("embedded/") || !embeds) continue;
    methodsOf.set(encoder, (methodsOf.get(encoder) ?? new Set()).add(method));
  }
  return [...methodsOf].map(([encoder, methods]) => `encoder: ${encoder} (${[...methods].join(", ")}), counts words`);
}
