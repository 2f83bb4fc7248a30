import { describe, expect, test } from "vitest";
import { factMemory } from "../../src/memory/fact-memory.js";
import { seeded } from "../../src/random/seeded.js";
import { wordEmbedder } from "../helpers/kit.js";

const settings = { exactUpTo: 1024, lists: 100, probes: 20, iterations: 5 };
const open = (given = {}) => factMemory({ ...settings, ...given }, wordEmbedder, seeded("facts"));
const facts = (count: number) => Array.from({ length: count }, (_, i) => `fact number ${i} of ${i % 7}`);

describe("a memory of facts", () => {
  test("finds what is most alike, best first, the earlier one of equals, and no more than there are", async () => {
    const memory = open();
    await memory.add(["I like red apples.", "I live in Arden.", "apples red I like."]);
    expect(await memory.recall("I like red apples.", 2)).toEqual(["I like red apples.", "apples red I like."]);
    expect(await memory.recall("Arden", 10)).toHaveLength(3);
    expect(await open().recall("Arden", 10)).toEqual([]);
  });

  test("holds no sentence twice, letter by letter", async () => {
    const memory = open();
    expect(await memory.add(["I live in Arden.", "I live in Arden."])).toBe(1);
    expect(await memory.add(["I live in Arden.", "i live in arden."])).toBe(1);
    expect(memory.facts).toEqual(["I live in Arden.", "i live in arden."]);
  });

  test("searches exactly while 1,024 are held, and makes lists when one more comes in", async () => {
    const memory = open();
    await memory.add(facts(1023));
    await memory.add(["the last but one"]);
    expect([memory.facts.length, memory.searchKind]).toEqual([1024, "exact"]);
    await memory.recall("number", 10);
    expect(memory.searchKind).toBe("exact");
    await memory.add(["the last but one"]);
    expect(memory.searchKind).toBe("exact");
    await memory.add(["one more"]);
    expect([memory.facts.length, memory.searchKind]).toEqual([1025, "inverted lists"]);
    expect(await memory.recall("one more", 1)).toEqual(["one more"]);
  });

  test("many at once stay exact: the step is taken when facts come in, not when they are counted", async () => {
    const memory = open({ exactUpTo: 10, lists: 4, probes: 4 });
    await memory.add(facts(30));
    expect(memory.searchKind).toBe("exact");
    const exact = await memory.recall("fact number 3 of 3", 5);
    await memory.add(["something else"]);
    expect(memory.searchKind).toBe("inverted lists");
    expect(await memory.recall("fact number 3 of 3", 5)).toEqual(exact);
  });
});
