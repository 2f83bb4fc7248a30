import { expect, test } from "vitest";
import { seeded } from "../../src/random/seeded.js";
import { canonicalJson, contentId, contentIdOfAll } from "../../src/text/content-id.js";
import { plainCanonicalJson } from "../../src/text/plain-json.js";

test("equal values have equal text, whatever the order of their keys; absent and undefined fields are the same", () => {
  expect(canonicalJson({ b: [{ d: 1, c: "x" }], a: undefined, A: null })).toBe('{"A":null,"b":[{"c":"x","d":1}]}');
  expect(canonicalJson({ "10": 1, "9": 2, é: 3, __proto__: null })).toBe('{"9":2,"10":1,"é":3}');
  expect(canonicalJson(JSON.parse('{"b":1,"__proto__":{"z":1,"a":2}}'))).toBe('{"__proto__":{"a":2,"z":1},"b":1}');
});

test("the content id of many things is that of the array of them, made without the array", () => {
  for (const things of [[], [{ b: 1, a: [2] }], [{ b: 1 }, "two", undefined, 3, { z: {}, y: null }]])
    expect(contentIdOfAll(things.values())).toBe(contentId(things));
});

test("of plain data the text is made without a copy, and is the same; of other things none is", () => {
  const random = seeded("plain json");
  const texts = [
    "",
    "id",
    "10",
    "9",
    "a",
    "__proto__",
    "toJSON",
    'say "a\\b"',
    "é\ud83d\ude00",
    "\ud800",
    "\u0007\u2028",
    "~ ~",
  ];
  const pick = (): string => texts[random.below(texts.length)]!;
  const made = (depth: number): unknown => {
    const kind = random.below(depth > 3 ? 5 : 8);
    if (kind < 3) return pick();
    if (kind === 3) return [0, -0, 1.5, 1e300, Number.NaN, 7][random.below(6)];
    if (kind === 4) return [true, null, undefined][random.below(3)];
    const parts = Array.from({ length: random.below(5) }, () => made(depth + 1));
    if (kind === 5) return parts.map((part) => part ?? null);
    return Object.fromEntries(parts.map((part) => [pick(), part]));
  };
  for (let round = 0; round < 1000; round++) {
    const value = [made(0), { [pick()]: made(0) }].map((part) => part ?? null);
    expect(plainCanonicalJson(value)).toBe(canonicalJson(value));
  }
  class Odd {
    readonly a = 1;
  }
  for (const odd of [
    new Date(0),
    Object("ab"),
    new Odd(),
    { toJSON: () => 1 },
    () => 1,
    Symbol("a"),
    undefined,
    [undefined],
  ])
    expect(plainCanonicalJson([{ odd }, odd])).toBeUndefined();
  expect(contentIdOfAll([new Date(0), { b: new Odd(), a: [undefined] }])).toBe(
    contentId([new Date(0), { b: new Odd(), a: [undefined] }]),
  );
});
