import { existsSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { UsageError } from "../../../errors.js";
import { furtherModels } from "../../../registry/further-models.js";
import { encoderRemarks } from "../../../report/tables/remarks.js";
import { type Manifest, readManifest, refuseChangedPlan } from "../../../run/manifest.js";
import type { Arm } from "../../../run/plan/plan.js";
import { runFiles } from "../../../run/rows.js";
import { type BrokenSeal, refuseBrokenSeals } from "../../../run/seals.js";
import type { Method, Task } from "../../../types/index.js";
import { writable } from "../../common/command-line.js";
import { timestamp } from "../../common/timestamp.js";
import { pluginFacts, refuseChangedPlugins } from "../../plugins/plugins.js";
import { refuseOtherKind, replayRemarks } from "../../replay/replay.js";
import { taskFacts } from "../data/data-facts.js";
import { partFacts, refuseOtherPart } from "../parts.js";
import type { Prepared } from "../prepare.js";

interface OpenedManifest {
  readonly manifest: Manifest;
  readonly broken: readonly BrokenSeal[];
}

/** The manifest of the run that the folder holds and what of its records is broken, else a new one. Throws UsageError where it holds another run. */
export function openManifest(prepared: Prepared): OpenedManifest {
  const { settings, plan, arms, models, embedders, sweep, replay, part, folder, request, io, git } = prepared;
  const { catalogue, metrics } = settings;
  const added = { ...(metrics.length === 0 ? {} : { metrics: [...metrics] }), ...pluginFacts(catalogue) };
  const ownPrices = settings.prices.length === 0 ? {} : { prices: [...settings.prices] };
  const old = readManifest(folder);
  const argv = writable(request.argv ?? [], io.env);
  refuseOtherKind(old, replay, folder);
  if (old !== undefined && replay === undefined && !isUntouched(folder)) {
    refuseChangedPlugins(folder, old.plugins, catalogue);
    refuseChangedPlan(folder, old.plan, plan);
    refuseOtherPart(folder, old, part);
    refuseHalfMerged(folder, old);
    const shown = relative(io.cwd, folder) || ".";
    const broken = refuseBrokenSeals(folder, shown, old, { mend: true });
    const typed = argv.length === 0 ? {} : { argv }; // the one that went on, not one with a cap that stops it again
    return { manifest: { ...old, ...added, ...ownPrices, ...typed }, broken };
  }
  const manifest: Manifest = {
    format: 1,
    plan,
    simulated: models.some(({ simulated }) => simulated) || replay?.cassette.head.simulated === true,
    ...(sweep === undefined ? {} : { sweep }),
    ...(part === undefined ? {} : { part: partFacts(part, arms) }),
    ...added,
    tasks: tasksOf(prepared),
    embedders: embedders.costly.map((embedder) => ({ ...embedder })),
    ...ownPrices,
    ...(replay === undefined ? {} : { replay: { cassette: replay.cassette.id, stale: 0 } }),
    argv,
    startedAt: timestamp(io),
    ...unsealedRows(folder, old, timestamp(io)),
    node: io.node,
    ...(git === undefined ? {} : { git: { ...git } }),
  };
  return { manifest, broken: [] };
}

/** What the manifest says of the tasks. */
const tasksOf = ({ settings, plan, arms, absent, loaded, tools, replay }: Prepared): Manifest["tasks"] =>
  loaded.map((data) =>
    taskFacts(data, {
      more: [
        ...settings.remarks,
        ...tools.remarks,
        ...replayRemarks(replay),
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

/** The mark on rows whose manifest is gone: they are used, but nothing can show that they are what the run ended with. */
function unsealedRows(folder: string, old: Manifest | undefined, at: string): Pick<Manifest, "edits"> {
  const rows = join(folder, runFiles.rows);
  if (old !== undefined || !existsSync(rows) || statSync(rows).size === 0) return {};
  return {
    edits: [{ at, reason: "the manifest was gone; the records were taken as they stood", files: [runFiles.manifest] }],
  };
}

function refuseHalfMerged(folder: string, { merging }: Manifest): void {
  if (merging === true)
    throw new UsageError(`${folder}: a merge into it was killed; give the lamp-eval merge command again`);
}

/** What the methods say of their settings, each once. */
const methodRemarks = (arms: readonly Arm[]): string[] => [
  ...new Set(arms.flatMap(({ method, options }) => method.remarks?.(options) ?? [])),
];

/** Whether the folder holds no reply and no row, as after a wrong key or model id: another plan may then use it. */
const isUntouched = (folder: string): boolean =>
  [runFiles.responses, runFiles.rows].every((name) => {
    const path = join(folder, name);
    return !existsSync(path) || statSync(path).size === 0;
  });

/** `reference model: openai/base-8b`, for every one that an arm names. */
const furtherRemarks = (arms: readonly Arm[]): string[] => [
  ...new Set(
    arms.flatMap(({ cell }) => Object.entries(furtherModels(cell)).map(([role, id]) => `${role} model: ${id}`)),
  ),
];
