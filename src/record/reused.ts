import { isDeepStrictEqual } from "node:util";
import type { ReadLog } from "../log/log.js";
import type { Manifest } from "./manifest.js";
import type { StoredRun } from "./stored-run.js";

/** A log that a run takes answers from (`--reuse`, `--replay`). */
export interface Reused {
  /** As it was named. */
  readonly name: string;
  readonly log: ReadLog;
  /** Models that it asked as this run does: same server, endpoint and wire. */
  readonly models: Pick<ReadonlySet<string>, "has">;
  /** True where its failures are failures of this run, too. */
  readonly isReplay: boolean;
}

/** A log that answers are taken from, and the run that it is of. */
export interface ReusedRun extends Reused {
  readonly manifest: Manifest;
}

type Models = NonNullable<Manifest["models"]>;

/** Returns a run whose replies are taken for those models that it asked as this run does. */
export function reusedRun({ name, log, manifest }: StoredRun, models: Models): ReusedRun {
  const has = (id: string): boolean => isDeepStrictEqual(models[id], manifest.models?.[id]);
  return { name, log, models: { has }, isReplay: false, manifest };
}

/** Returns a run that answers in everyone's place: none of its models is asked at a server. */
export const replayedRun = ({ name, log, manifest }: StoredRun): ReusedRun => ({
  name,
  log,
  manifest,
  models: { has: () => true },
  isReplay: true,
});

/** A line for each model of both runs that is asked in another way there: its replies are not taken. */
export function skippedModels({ name, models: same, manifest }: ReusedRun, models: Models): string[] {
  const differing = Object.keys(models).filter((id) => !same.has(id) && manifest.models?.[id] !== undefined);
  return differing.map(
    (id) => `--reuse ${name}: replies of ${id} are not taken, it was asked at another server, endpoint or wire`,
  );
}
