import { UsageError } from "../../errors.js";
import type { Manifest } from "../../run/manifest/manifest.js";
import { isShard, partName, type RunPart, type Shard } from "../../run/plan/part.js";
import type { Arm } from "../../run/plan/plan.js";
import type { RunRequest } from "./request.js";

/** The part of the run that is asked for. Throws UsageError on what is none, and on flags that do not go together. */
export function askedPart({ shard, sharedOnly, shared, replay }: RunRequest): RunPart | undefined {
  const part = shard === undefined ? (sharedOnly === true ? ({ shared: true } as const) : undefined) : readShard(shard);
  if (shard !== undefined && sharedOnly === true)
    throw new UsageError("--shard and --shared-only: what all users share is bought by itself; leave one out");
  if (shared !== undefined && shard === undefined)
    throw new UsageError("--shared hands a shard what all users share: give --shard I/N too, or leave it out");
  if (replay !== undefined && part !== undefined)
    throw new UsageError(
      "--replay sends nothing, so there is nothing to share out; leave --shard or --shared-only out",
    );
  return part;
}

/** What a folder's name ends in. */
export const partEnding = (part: RunPart | undefined): string =>
  part === undefined ? "" : isShard(part) ? `-shard-${part.shard}-of-${part.of}` : SHARED_ENDING;

export const SHARED_ENDING = "-shared";

/** What a manifest keeps of the part: for a shard also how many questions of each task are its own. */
export function partFacts(part: RunPart, arms: readonly Arm[]): NonNullable<Manifest["part"]> {
  if (!isShard(part)) return { shared: true };
  const questions = Object.fromEntries(arms.map(({ cell, loaded }) => [cell.task, loaded.questions]));
  return { ...part, questions };
}

/** Throws UsageError where a folder's run is another part than the one asked for. */
export function refuseOtherPart(folder: string, { part: old }: Manifest, part: RunPart | undefined): void {
  const name = (one: RunPart | undefined): string => (one === undefined ? "a whole run" : partName(one));
  if (name(old) === name(part)) return;
  throw new UsageError(
    `${folder} holds ${name(old)}, and ${name(part)} is asked for; choose another --out, or repeat the old command to resume`,
  );
}

/** What to do with a part that is done. */
export function partRemarks(part: RunPart | undefined, done: boolean, shown: string): string[] {
  if (part === undefined || !done) return [];
  if (!isShard(part)) return [`what all users share is there: add --shared ${shown} to every shard`];
  return [`this is ${partName(part)}: when all are done, lamp-eval merge SHARD... joins them to the whole run`];
}

function readShard(text: string): Shard {
  const [, shard = "", of = ""] = /^(\d{1,6})\/(\d{1,6})$/.exec(text.trim()) ?? [];
  const read = { shard: Number(shard), of: Number(of) };
  if (read.shard >= 1 && read.shard <= read.of) return read;
  throw new UsageError(`--shard ${text}: expected I/N with I from 1 to N, e.g. 3/8 for the third of eight`);
}
