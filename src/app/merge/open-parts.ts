import { join, relative, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { UsageError } from "../../errors.js";
import { readJournal } from "../../run/journal/journal.js";
import { changedSetting, type Manifest, readManifest } from "../../run/manifest/manifest.js";
import type { MergedPart } from "../../run/merge-records.js";
import { isShard, partName } from "../../run/plan/part.js";
import { runFiles } from "../../run/run-rows.js";
import { refuseBrokenSeals } from "../../run/sealing/seals.js";
import { nounOf } from "../../text/count.js";
import type { Row } from "../../types.js";
import { commandWithout } from "../common/command-line.js";

/** A finished part of a run. */
export interface OpenedPart extends MergedPart {
  readonly manifest: Manifest;
  /** `shard 3/8` */
  readonly name: string;
}

/**
 * The parts of one run, the shards in order. Throws UsageError where they are not all of them, each once, finished and whole, of
 * one plan; it names the folder, the shard or the setting.
 */
export function openParts(folders: readonly string[], cwd: string): readonly [OpenedPart, ...OpenedPart[]] {
  const opened = folders.map((folder) => openPart(folder, cwd));
  const shards = opened.filter(({ part }) => isShard(part)).sort((a, b) => numberOf(a) - numberOf(b));
  const [first, ...others] = shards;
  if (first === undefined) throw new UsageError("no shard to merge; name the folders of all of them");
  for (const other of [...others, ...opened.filter(({ part }) => !isShard(part))]) refuseOtherRun(first, other);
  refuseGaps(shards);
  for (const one of opened) refuseUnfinished(one);
  for (const one of opened) refuseBrokenSeals(one.path, one.shown, one.manifest);
  for (const shard of shards) refuseMissingRows(shard);
  return [first, ...others, ...opened.filter(({ part }) => !isShard(part))];
}

function openPart(folder: string, cwd: string): OpenedPart {
  const path = resolve(cwd, folder);
  const shown = relative(cwd, path) || ".";
  const manifest = readManifest(path);
  if (manifest === undefined) throw new UsageError(`${shown}: no run here (no ${runFiles.manifest})`);
  if (manifest.part === undefined)
    throw new UsageError(`${shown}: no shard: this run was made without --shard, or is merged already`);
  return { shown, path, part: manifest.part, manifest, name: partName(manifest.part) };
}

const numberOf = ({ part }: MergedPart): number => (isShard(part) ? part.shard : 0);
const countOf = ({ part }: MergedPart): number => (isShard(part) ? part.of : 0);

/** What runs of one plan may differ in and parts of one run must not. */
const alike = ["simulated", "metrics", "plugins", "sweep", "rescored", "replay", "embedders"] as const;

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
  if (isShard(b.part) && countOf(a) !== countOf(b))
    throw new UsageError(`${a.shown} is one of ${countOf(a)} shards and ${b.shown} one of ${countOf(b)}`);
}

/** Each shard once. */
function refuseGaps(shards: readonly OpenedPart[]): void {
  const of = countOf(shards[0]!);
  const doubled = shards.find((shard, i) => i > 0 && numberOf(shard) === numberOf(shards[i - 1]!));
  if (doubled !== undefined) {
    const both = shards.filter((shard) => numberOf(shard) === numberOf(doubled)).map(({ shown }) => shown);
    throw new UsageError(`${doubled.name} is there twice: ${both.join(" and ")}; leave one out`);
  }
  const there = new Set(shards.map(numberOf));
  const missing = Array.from({ length: of }, (_, i) => i + 1).filter((number) => !there.has(number));
  if (missing.length === 0) return;
  const { manifest } = shards[0]!;
  const way = manifest.argv.length === 0 ? "" : `: ${commandOf(manifest, `${missing[0]}/${of}`)}`;
  throw new UsageError(
    `${missing.map((number) => `shard ${number}/${of}`).join(", ")} ${missing.length === 1 ? "is" : "are"} missing; run it or name its folder${way}`,
  );
}

function refuseUnfinished({ shown, name, manifest }: OpenedPart): void {
  if (manifest.records !== undefined) return;
  const way = manifest.argv.length === 0 ? "" : `: ${commandWithout(manifest.argv)}`;
  throw new UsageError(`${shown}: ${name} is not finished; the command that began it finishes it${way}`);
}

/** Every arm of a shard has a row for each of the shard's questions. */
function refuseMissingRows({ shown, name, path, manifest }: OpenedPart): void {
  const { part, plan } = manifest;
  if (part === undefined || "shared" in part) return;
  const counts = new Map<string, number>();
  for (const { cell } of readJournal<Row>(join(path, runFiles.rows))) counts.set(cell, (counts.get(cell) ?? 0) + 1);
  for (const { id, task, method } of plan.cells) {
    const [has, wanted] = [counts.get(id) ?? 0, part.questions[task] ?? 0];
    if (has !== wanted)
      throw new UsageError(
        `${shown}: ${name} has ${has} ${nounOf(has, "row")} of ${task} ${method}, its share is ${wanted}`,
      );
  }
}

/** The command of another shard, from that of one. */
const commandOf = ({ argv }: Manifest, shard: string): string =>
  `${commandWithout(argv, "--shard", "--out")} --shard ${shard}`;
