import { expect, test } from "vitest";
import { canonicalJson, contentId, contentIdOfAll } from "../../src/text/content-id.js";

test("equal values have equal text, whatever the order of their keys; absent and undefined fields are the same", () => {
  expect(canonicalJson({ b: [{ d: 1, c: "x" }], a: undefined, A: null })).toBe('{"A":null,"b":[{"c":"x","d":1}]}');
  expect(canonicalJson({ "10": 1, "9": 2, é: 3, __proto__: null })).toBe('{"9":2,"10":1,"é":3}');
  expect(canonicalJson(JSON.parse('{"b":1,"__proto__":{"z":1,"a":2}}'))).toBe('{"__proto__":{"a":2,"z":1},"b":1}');
});

test("the content id of many things is that of the array of them, made without the array", () => {
  for (const things of [[], [{ b: 1, a: [2] }], [{ b: 1 }, "two", undefined, 3, { z: {}, y: null }]])
    expect(contentIdOfAll(things.values())).toBe(contentId(things));
});
