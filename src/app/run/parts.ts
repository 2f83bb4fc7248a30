import { UsageError } from "../../errors.js";
import type { Manifest } from "../../run/manifest.js";
import { partName, type Shard } from "../../run/plan/part.js";
import type { Arm } from "../../run/plan/plan.js";
import type { RunRequest } from "./settings.js";

/** The shard that is asked for. Throws UsageError on what is none, and on flags that do not go together. */
export function askedPart({ shard, replay }: Pick<RunRequest, "shard" | "replay">): Shard | undefined {
  if (shard === undefined) return undefined;
  if (replay !== undefined)
    throw new UsageError("--replay sends nothing, so there is nothing to split; leave --shard out");
  const [, number = "", of = ""] = /^(\d{1,6})\/(\d{1,6})$/.exec(shard.trim()) ?? [];
  const read = { shard: Number(number), of: Number(of) };
  if (read.shard >= 1 && read.shard <= read.of) return read;
  throw new UsageError(`--shard ${shard}: expected I/N with I from 1 to N, e.g. 3/8 for the third of eight`);
}

/** Throws UsageError on arms that ask a model for something that all users share: every shard would buy it again. */
export function refuseSharedCalls(part: Shard | undefined, arms: readonly Arm[]): void {
  if (part === undefined) return;
  const buys = ({ method, options }: Arm): boolean =>
    Object.values(method.plan(options).perCell?.() ?? {}).some(({ high }) => high > 0);
  const buying = arms.find(buys);
  if (buying !== undefined)
    throw new UsageError(
      `--shard ${part.shard}/${part.of}: ${buying.cell.method} on ${buying.cell.task} asks a model for something that all users share; run it without --shard`,
    );
}

/** What a folder's name ends in. */
export const partEnding = (part: Shard | undefined): string =>
  part === undefined ? "" : `-shard-${part.shard}-of-${part.of}`;

/** What a manifest keeps of a shard: also how many questions of each task are its own. */
export const partFacts = (part: Shard, arms: readonly Arm[]): NonNullable<Manifest["part"]> => ({
  ...part,
  questions: Object.fromEntries(arms.map(({ cell, loaded }) => [cell.task, loaded.questions])),
});

/** Throws UsageError where a folder's run is another part than the one asked for. */
export function refuseOtherPart(folder: string, { part: old }: Manifest, part: Shard | undefined): void {
  const name = (one: Shard | undefined): string => (one === undefined ? "a whole run" : partName(one));
  if (name(old) === name(part)) return;
  throw new UsageError(
    `${folder} holds ${name(old)}, and ${name(part)} is asked for; choose another --out, or repeat the old command to resume`,
  );
}

/** What to do with a shard that is done. */
export const partRemarks = (part: Shard | undefined, done: boolean): string[] =>
  part === undefined || !done
    ? []
    : [
        `this is ${partName(part)}: when all are done, the same command without --shard, with --reuse SHARD for each of them, joins them and sends nothing`,
      ];
