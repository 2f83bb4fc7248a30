import { expect, test } from "vitest";
import { SpanIndex } from "../../src/run/replies.js";
import { HashIndex, HashSet } from "../../src/text/hash-index.js";

const many = Array.from({ length: 500 }, (_, i) => `user-${(i * 7919) % 500}`);

test("a packed index knows the keys that were put in, and no others", () => {
  const index = new SpanIndex();
  for (const [offset, key] of many.entries()) index.set(key, { offset, length: offset + 1 });
  index.set("user-3", { offset: 2 ** 40, length: 9 });
  expect(index.size).toBe(500);
  expect(index.get("user-3")).toEqual({ offset: 2 ** 40, length: 9 });
  expect(index.get("user-0")).toEqual({ offset: 0, length: 1 });
  expect(index.has("user-500")).toBe(false);
});

test("an index knows first keys, kept as they are, and those behind them, kept as hashes, by the same numbers", () => {
  const keyOf = (number: number): string => `key ${"x".repeat(number % 3 === 0 ? 100 : 0)}${number}`;
  const index = new HashIndex();
  for (let number = 0; number < 17_000; number++) index.add(keyOf(number));
  const asked = [0, 1, 2, 16_383, 16_384, 16_385, 16_386, 16_999];
  expect(asked.map((number) => index.find(keyOf(number)))).toEqual(asked);
  expect(asked.map((number) => index.add(keyOf(number)))).toEqual(asked);
  expect([index.size, index.find("key"), index.find(keyOf(17_000))]).toEqual([17_000, -1, -1]);
});

test("a packed set forgets what is taken out", () => {
  const set = new HashSet();
  for (const key of many) set.set(key, true);
  expect(set.set("user-3", false)).toBe(true);
  expect(set.set("user-3", false)).toBe(false);
  expect([set.has("user-3"), set.has("user-4"), set.has("user-500"), set.size]).toEqual([false, true, false, 499]);
});
