import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { UsageError } from "../errors.js";
import type { ReadLog } from "../log/log.js";
import { readLog } from "../log/log.js";
import type { Manifest } from "./manifest.js";
import { manifestOf } from "./manifest.js";
import { runFiles } from "./rows.js";

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
export interface OpenedLog extends Reused {
  readonly manifest: Manifest;
}

interface ReuseSettings {
  readonly cwd: string;
  /** The flag that named it. */
  readonly flag: "--reuse" | "--replay";
  /** How this run asks each of its models; of a replay none is asked at a server. */
  readonly models?: NonNullable<Manifest["models"]>;
}

/** Opens the log of a run folder, or a pack. Throws UsageError where it is neither. */
export function openReused(named: string, { cwd, flag, models = {} }: ReuseSettings): OpenedLog {
  const path = resolve(cwd, named);
  if (!existsSync(path)) throw new UsageError(`${flag} ${named}: no such run or file`);
  const file = statSync(path).isDirectory() ? join(path, runFiles.log) : path;
  if (!existsSync(file)) throw new UsageError(`${flag} ${named}: no run here (no ${runFiles.log})`);
  const log = readLog(file, `${flag} ${named}`);
  const manifest = manifestOf(log.state, named);
  if (manifest === undefined) throw new UsageError(`${flag} ${named}: it does not say which run it is of`);
  const isReplay = flag === "--replay";
  const has = (id: string): boolean => isReplay || isDeepStrictEqual(models[id], manifest.models?.[id]);
  return { name: named, log, models: { has }, isReplay, manifest };
}

/** A line for each model of both runs that is asked in another way there: its replies are not taken. */
export function skippedModels(
  { name, models: alike, manifest }: OpenedLog,
  models: NonNullable<Manifest["models"]>,
): string[] {
  const differing = Object.keys(models).filter((id) => !alike.has(id) && manifest.models?.[id] !== undefined);
  return differing.map(
    (id) => `--reuse ${name}: replies of ${id} are not taken, it was asked at another server, endpoint or wire`,
  );
}
