import { sha256 } from "../../text/content-id.js";
import type { Sequence, Unit } from "../../types.js";
import type { LoadedTask } from "./plan.js";

/** A part of a run that stands in a folder of its own: some of the users, or what all users share. */
export type RunPart = Shard | { readonly shared: true };

/** The users of one shard among `of`, counted from 1. */
export interface Shard {
  readonly shard: number;
  readonly of: number;
}

/** The shard of a user, 1 to `of`: by the hash of the id alone, so that no order, method or selection moves a user. */
export function shardOf(user: string, of: number): number {
  return (Number.parseInt(sha256(user).slice(0, HASH_DIGITS), 16) % of) + 1;
}

/** A task with the units that a part answers; all of them where there is no part. Pools and data stay whole. */
export function inPart<T extends Pick<LoadedTask, "units" | "questions">>(loaded: T, part: RunPart | undefined): T {
  if (part === undefined) return loaded;
  if (!isShard(part)) return withUnits(loaded, chosen(loaded.units, []), 0);
  return ofUsers(loaded, (user) => shardOf(user, part.of) === part.shard);
}

/** A task with the units of some users. Pools and data stay whole. */
export function ofUsers<T extends Pick<LoadedTask, "units" | "questions">>(
  loaded: T,
  isMine: (user: string) => boolean,
): T {
  const places: number[] = [];
  let [index, questions] = [0, 0];
  for (const { user, examples } of loaded.units) {
    if (isMine(user.id)) {
      places.push(index);
      questions += examples.length;
    }
    index += 1;
  }
  return withUnits(loaded, chosen(loaded.units, places), questions);
}

export const isShard = (part: RunPart | undefined): part is Shard => part !== undefined && "shard" in part;

/** `shard 3/8`, as messages name it. */
export const partName = (part: RunPart): string =>
  isShard(part) ? `shard ${part.shard}/${part.of}` : "what all users share";

const withUnits = <T extends object>(loaded: T, units: Sequence<Unit>, questions: number): T => ({
  ...loaded,
  units,
  questions,
});

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
