import { UsageError } from "../../errors.js";
import { furtherModels } from "../../registry/further-models.js";
import { encoderRemarks } from "../../report/tables/remarks.js";
import { writable } from "../../run/command-line.js";
import { timestamp } from "../../run/io.js";
import { type Manifest, refuseChangedPlan } from "../../run/manifest.js";
import type { Arm } from "../../run/plan/plan.js";
import type { Method, Task } from "../../types/index.js";
import { pluginFacts, refuseChangedPlugins } from "../plugins/plugins.js";
import { portableLayers } from "./config/portable-layers.js";
import { taskFacts } from "./data/data-facts.js";
import { partFacts, refuseOtherPart } from "./parts.js";
import type { Prepared } from "./prepare.js";

/** The description of the run: the one that the folder holds, else a new one. Throws UsageError where it holds another run. */
export function openManifest(prepared: Prepared, held: Manifest | undefined): Manifest {
  const { settings, plan, arms, models, embedders, sweep, asked, reused, replay, judged, part, folder, request, io } =
    prepared;
  const { catalogue, metrics } = settings;
  const added = {
    ...(metrics.length === 0 ? {} : { metrics: [...metrics] }),
    ...pluginFacts(catalogue),
    ...(settings.prices.length === 0 ? {} : { prices: [...settings.prices] }),
  };
  if (held !== undefined) {
    refuseChangedPlugins(folder, held.plugins, catalogue);
    refuseChangedPlan(folder, held.plan, judged === undefined ? plan : { ...plan, data: held.plan.data });
    refuseOtherPart(folder, held, part);
    if (held.replayed !== replay?.name)
      throw new UsageError(
        `${folder} holds ${held.replayed === undefined ? "a run" : `a replay of ${held.replayed}`}; choose another --out`,
      );
    const again = { ...held, ...added, argv: writable(request.argv ?? held.argv, io.env) };
    return judged === undefined ? again : { ...again, judged, plan }; // it goes on with the replies that the judged run has by now
  }
  return {
    format: 2,
    layers: portableLayers(settings.layers),
    plan,
    models: asked,
    simulated: models.some(({ simulated }) => simulated),
    ...(sweep === undefined ? {} : { sweep }),
    ...(judged === undefined ? {} : { judged }),
    ...(part === undefined ? {} : { part: partFacts(part, arms) }),
    ...added,
    tasks: tasksOf(prepared),
    embedders: embedders.costly.map((embedder) => ({ ...embedder })),
    ...(reused.length === 0 ? {} : { reused: reused.map((one) => one.name) }),
    ...(replay === undefined ? {} : { replayed: replay.name }),
    argv: writable(request.argv ?? [], io.env),
    startedAt: timestamp(io),
    node: io.node,
    ...(prepared.git === undefined ? {} : { git: { ...prepared.git } }),
  };
}

/** What the manifest says of the tasks. */
const tasksOf = ({ settings, plan, arms, absent, loaded, tools, replay }: Prepared): Manifest["tasks"] =>
  loaded.map((data) =>
    taskFacts(data, {
      more: [
        ...settings.remarks,
        ...tools.remarks,
        ...(replay === undefined ? [] : [`replayed from ${replay.name}`]),
        ...plan.notApplied.map((name) => `${name} not applied`),
        ...methodRemarks(arms.filter((arm) => arm.loaded.task === data.task)),
        ...furtherRemarks(arms),
        ...encoderRemarks(
          arms
            .filter((arm) => arm.loaded.task === data.task)
            .map(({ cell, method, options }) => ({ ...cell, embeds: method.embeds?.(options) })),
        ),
      ],
      unfit: unfitOn(data.task, absent),
    }),
  );

/** The methods of these arms that say nothing on the task, each once. */
const unfitOn = (task: Task, absent: readonly Arm[]): Method[] => [
  ...new Set(absent.filter(({ loaded }) => loaded.task === task).map(({ method }) => method)),
];

/** What the methods say of their settings, each once. */
const methodRemarks = (arms: readonly Arm[]): string[] => [
  ...new Set(arms.flatMap(({ method, options }) => method.remarks?.(options) ?? [])),
];

/** `reference model: openai/base-8b`, for every one that an arm names. */
const furtherRemarks = (arms: readonly Arm[]): string[] => [
  ...new Set(
    arms.flatMap(({ cell }) => Object.entries(furtherModels(cell)).map(([role, id]) => `${role} model: ${id}`)),
  ),
];
