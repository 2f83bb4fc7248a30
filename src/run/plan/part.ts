import { UsageError } from "../../errors.js";
import { sha256 } from "../../text/content-id.js";
import type { Sequence, Unit } from "../../types/index.js";
import type { LoadedTask, Shard } from "./types.js";

/** The shard that `3/8` names. Throws UsageError where it names none. */
export function shardIn(text: string | undefined): Shard | undefined {
  if (text === undefined) return undefined;
  const [, number = "", of = ""] = /^(\d{1,6})\/(\d{1,6})$/.exec(text.trim()) ?? [];
  const read = { shard: Number(number), of: Number(of) };
  if (read.shard >= 1 && read.shard <= read.of) return read;
  throw new UsageError(`--shard ${text}: expected I/N with I from 1 to N, e.g. 3/8 for the third of eight`);
}

/** The shard of a user, 1 to `of`: by the hash of the id alone, so that no order, method or selection moves a user. */
export function shardOf(user: string, of: number): number {
  return (Number.parseInt(sha256(user).slice(0, HASH_DIGITS), 16) % of) + 1;
}

/** A task with the units of a shard; all of them where there is none. Pools and data stay whole. */
export const inPart = <T extends Pick<LoadedTask, "units" | "questions">>(loaded: T, part: Shard | undefined): T =>
  part === undefined ? loaded : ofUnits(loaded, ({ user }) => shardOf(user.id, part.of) === part.shard);

/** A task with some of its units. Pools and data stay whole. */
export function ofUnits<T extends Pick<LoadedTask, "units" | "questions">>(
  loaded: T,
  isMine: (unit: Unit) => boolean,
): T {
  const places: number[] = [];
  let [index, questions] = [0, 0];
  for (const unit of loaded.units) {
    if (isMine(unit)) {
      places.push(index);
      questions += unit.examples.length;
    }
    index += 1;
  }
  return { ...loaded, units: chosen(loaded.units, places), questions };
}

/** `shard 3/8`, as messages name it. */
export const partName = ({ shard, of }: Shard): string => `shard ${shard}/${of}`;

/** Throws UsageError on a shard where only a whole run is judged. */
export function refusePart(run: string, { part }: { readonly part?: Shard | undefined }): void {
  if (part !== undefined)
    throw new UsageError(
      `${run}: ${partName(part)} of a run; join the shards with lamp-eval run --reuse and name the whole run`,
    );
}

/** The things at some places, read when they are asked for. */
const chosen = (units: Sequence<Unit>, places: readonly number[]): Sequence<Unit> => ({
  length: places.length,
  at(index) {
    const place = places.at(index);
    return place === undefined ? undefined : units.at(place);
  },
  *[Symbol.iterator]() {
    for (const place of places) yield units.at(place)!; // places of the same units
  },
});

/** 48 bits: a whole number in JavaScript. */
const HASH_DIGITS = 12;
