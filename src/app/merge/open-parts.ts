import { relative, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { UsageError } from "../../errors.js";
import { changedSetting, type Manifest, readManifest } from "../../run/manifest.js";
import type { MergedPart } from "../../run/merge-records.js";
import { partName, type Shard } from "../../run/plan/part.js";
import { runFiles } from "../../run/rows.js";
import { refuseBrokenSeals } from "../../run/seals.js";
import { commandWithout } from "../common/command-line.js";

/** A finished shard of a run. */
export interface OpenedPart extends MergedPart {
  readonly manifest: Manifest;
  readonly part: Shard;
  /** `shard 3/8` */
  readonly name: string;
}

/**
 * The shards of one run in order. Throws UsageError where they are not all of them, each once, finished and whole, of one plan;
 * it names the folder, the shard or the setting.
 */
export function openParts(folders: readonly string[], cwd: string): readonly [OpenedPart, ...OpenedPart[]] {
  const shards = folders.map((folder) => openPart(folder, cwd)).sort((a, b) => a.part.shard - b.part.shard);
  const [first, ...others] = shards;
  if (first === undefined) throw new UsageError("no shard to merge; name the folders of all of them");
  for (const other of others) refuseOtherRun(first, other);
  refuseGaps(first, shards);
  for (const shard of shards) {
    refuseUnfinished(shard);
    refuseBrokenSeals(shard.path, shard.shown, shard.manifest);
  }
  return [first, ...others];
}

function openPart(folder: string, cwd: string): OpenedPart {
  const path = resolve(cwd, folder);
  const shown = relative(cwd, path) || ".";
  const manifest = readManifest(path);
  if (manifest === undefined) throw new UsageError(`${shown}: no run here (no ${runFiles.manifest})`);
  const { part } = manifest;
  if (part === undefined)
    throw new UsageError(`${shown}: no shard: this run was made without --shard, or is merged already`);
  return { shown, path, part, manifest, name: partName(part) };
}

/** What runs of one plan may differ in and shards of one run must not. */
const alike = ["simulated", "metrics", "plugins", "sweep", "replay", "embedders"] as const;

function refuseOtherRun(a: OpenedPart, b: OpenedPart): void {
  const changed = changedSetting(a.manifest.plan, b.manifest.plan);
  if (changed !== undefined)
    throw new UsageError(
      `${a.shown} and ${b.shown} are of different plans: ${changed.path} is ${changed.was} in the first and ${changed.is} in the second`,
    );
  const other = alike.find((name) => !isDeepStrictEqual(a.manifest[name], b.manifest[name]));
  if (other !== undefined)
    throw new UsageError(
      `${a.shown} and ${b.shown} differ in ${other}: parts of one run are run with the same settings`,
    );
  if (a.part.of !== b.part.of)
    throw new UsageError(`${a.shown} is one of ${a.part.of} shards and ${b.shown} one of ${b.part.of}`);
}

/** Each shard once. */
function refuseGaps({ part: { of }, manifest: { argv } }: OpenedPart, shards: readonly OpenedPart[]): void {
  const doubled = shards.find(({ part }, i) => part.shard === shards[i - 1]?.part.shard);
  if (doubled !== undefined) {
    const both = shards.filter(({ part }) => part.shard === doubled.part.shard).map(({ shown }) => shown);
    throw new UsageError(`${doubled.name} is there twice: ${both.join(" and ")}; leave one out`);
  }
  const there = new Set(shards.map(({ part }) => part.shard));
  const missing = Array.from({ length: of }, (_, i) => i + 1).filter((number) => !there.has(number));
  if (missing.length === 0) return;
  const way = argv.length === 0 ? "" : `: ${commandWithout(argv, "--shard", "--out")} --shard ${missing[0]}/${of}`;
  throw new UsageError(
    `${missing.map((shard) => partName({ shard, of })).join(", ")} ${missing.length === 1 ? "is" : "are"} missing; run it or name its folder${way}`,
  );
}

function refuseUnfinished({ shown, name, manifest: { records, argv } }: OpenedPart): void {
  if (records !== undefined) return;
  const way = argv.length === 0 ? "" : `: ${commandWithout(argv)}`;
  throw new UsageError(`${shown}: ${name} is not finished; the command that began it finishes it${way}`);
}
