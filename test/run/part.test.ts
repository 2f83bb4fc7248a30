import { describe, expect, it } from "vitest";
import type { Shard } from "../../src/plan/types.js";
import { ofUnits, shardOf } from "../../src/run/data.js";
import type { Unit } from "../../src/types/index.js";

const units: readonly Unit[] = Array.from({ length: 60 }, (_, i) => `user-${i % 40}`).map((user, i) => ({
  id: `${user}#${i}`,
  user: { id: user, history: [] },
  examples: [],
}));

const inShard = (all: readonly Unit[], { shard, of }: Shard) =>
  ofUnits({ units: all, questions: 0 }, ({ user }) => shardOf(user.id, of) === shard).units;

const unitsOf = (all: readonly Unit[], shard: Shard) => [...inShard(all, shard)];

describe("the shard of a user", () => {
  it("is one of those that there are, and every unit is in exactly one of them, in its old order", () => {
    const shards = [1, 2, 3, 4, 5].map((shard) => unitsOf(units, { shard, of: 5 }));
    expect(shards.flat().map(({ id }) => id)).toHaveLength(units.length);
    expect(new Set(shards.flat())).toEqual(new Set(units));
    for (const shard of shards) expect(shard).toEqual(units.filter((unit) => shard.includes(unit)));
    expect(shards.every((shard) => shard.length > 0)).toBe(true);
    const third = inShard(units, { shard: 3, of: 5 });
    const { length } = shards[2]!;
    expect([third.length, third.at(0), third.at(-1), third.at(length)]).toEqual([
      length,
      shards[2]![0],
      shards[2]!.at(-1),
      undefined,
    ]);
  });

  it("follows from the id alone, so that two programs agree on it", () => {
    expect(["u01", "u02", "u03", "Ünï", ""].map((user) => shardOf(user, 8))).toEqual([3, 7, 6, 7, 5]);
    expect(unitsOf([...units].reverse(), { shard: 2, of: 5 })).toEqual(
      [...unitsOf(units, { shard: 2, of: 5 })].reverse(),
    );
  });
});
