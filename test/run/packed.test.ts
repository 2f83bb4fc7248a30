import { expect, test } from "vitest";
import { SpanIndex } from "../../src/run/replies.js";

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
