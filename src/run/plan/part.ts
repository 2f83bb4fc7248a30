import { lazily } from "../../data/sequence.js";
import { UsageError } from "../../errors.js";
import { sha256 } from "../../text/content-id.js";
import type { Unit } from "../../types/index.js";
import type { LoadedTask, Shard } from "./types.js";

/** Returns the shard that `3/8` names. Throws UsageError where it names none. */
export function shardIn(text: string | undefined): Shard | undefined {
  if (text === undefined) return undefined;
  const [, number = "", of = ""] = /^(\d{1,6})\/(\d{1,6})$/.exec(text.trim()) ?? [];
  const read = { shard: Number(number), of: Number(of) };
  if (read.shard >= 1 && read.shard <= read.of) return read;
  throw new UsageError(`--shard ${text}: expected I/N with I from 1 to N, e.g. 3/8 for the third of eight`);
}

/** Returns the shard of a user, 1 to `of`: by the hash of the id alone, so that no order, method or selection moves a user. */
export const shardOf = (user: string, of: number): number => (Number.parseInt(sha256(user).slice(0, 12), 16) % of) + 1; // 48 bits

/** Returns a task with the units of a shard; all of them where there is none. */
export const inPart = <T extends Pick<LoadedTask, "units" | "questions">>(loaded: T, part: Shard | undefined): T =>
  part === undefined ? loaded : ofUnits(loaded, ({ user }) => shardOf(user.id, part.of) === part.shard);

/** Returns a task with some of its units, read when they are asked for. Pools and data stay whole. */
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
  const unitAt = (place: number): Unit => loaded.units.at(place)!; // places of the same units
  const each = function* (): Generator<Unit> {
    for (const place of places) yield unitAt(place);
  };
  return { ...loaded, units: lazily(places.length, each, (at) => unitAt(places[at]!)), questions };
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
