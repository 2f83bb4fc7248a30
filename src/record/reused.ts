import { isDeepStrictEqual } from "node:util";
import type { ReadLog } from "../log/log.js";
import type { Manifest } from "./manifest.js";
import type { StoredRun } from "./stored-run.js";

/** A log whose answers a run reuses (`--reuse`, `--replay`). */
export interface Reused {
  /** The run's name on the command line. */
  readonly name: string;
  readonly log: ReadLog;
  /** Models whose replies are reused: those with the same server, endpoint and API in both runs. */
  readonly models: Pick<ReadonlySet<string>, "has">;
  /** True for `--replay`: its failed calls fail again, and nothing is sent. */
  readonly isReplay: boolean;
}

/** A reused log with its run's manifest. */
export interface ReusedRun extends Reused {
  readonly manifest: Manifest;
}

type Models = NonNullable<Manifest["models"]>;

/** Opens a stored run for `--reuse`. `models`: access to the models of this run. */
export function reusedRun({ name, log, manifest }: StoredRun, models: Models): ReusedRun {
  const has = (id: string): boolean => isDeepStrictEqual(models[id], manifest.models?.[id]);
  return { name, log, models: { has }, isReplay: false, manifest };
}

/** Opens a stored run for `--replay`: its replies are taken for all models. */
export const replayedRun = ({ name, log, manifest }: StoredRun): ReusedRun => ({
  name,
  log,
  manifest,
  models: { has: () => true },
  isReplay: true,
});

/** Returns a message for each model of both runs whose replies are not reused. */
export function skippedModels({ name, models: reusable, manifest }: ReusedRun, models: Models): string[] {
  const differing = Object.keys(models).filter((id) => !reusable.has(id) && manifest.models?.[id] !== undefined);
  return differing.map(
    (id) => `--reuse ${name}: replies of ${id} are not taken, it was asked at another server, endpoint or wire`,
  );
}
