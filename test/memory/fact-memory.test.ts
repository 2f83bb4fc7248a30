import { describe, expect, test } from "vitest";
import { factMemory, selectedFacts } from "../../src/memory/fact-memory.js";
import { rag } from "../../src/methods/rag.js";
import { seeded } from "../../src/random/seeded.js";
import { invertedLists } from "../../src/retrievers/inverted-lists.js";
import { selectors } from "../../src/selectors/index.js";
import { type FakeKitSettings, fakeKit, wordEmbedder } from "../helpers/kit.js";
import { ask, knobs, movies } from "../methods/workflow-fixtures.js";

const settings = { exactUpTo: 1024, lists: 100, probes: 20, iterations: 5 };
const open = (given = {}) => factMemory({ ...settings, ...given }, wordEmbedder, seeded("facts"));
/** Of a memory without a selector nobody asks for whom. */
const anyQuestion = { question: ask("q", ""), kit: fakeKit({ task: movies, script: [] }).question("q") };
const facts = (count: number) => Array.from({ length: count }, (_, i) => `fact number ${i} of ${i % 7}`);

describe("a memory of facts", () => {
  test("finds what is most alike, best first, the earlier one of equals, and no more than there are", async () => {
    const memory = open();
    await memory.add(["I like red apples.", "I live in Arden.", "apples red I like."]);
    expect(await memory.recall("I like red apples.", 2, anyQuestion)).toEqual([
      "I like red apples.",
      "apples red I like.",
    ]);
    expect(await memory.recall("Arden", 10, anyQuestion)).toHaveLength(3);
    expect(await open().recall("Arden", 10, anyQuestion)).toEqual([]);
  });

  test("trains its lists once, on what was held at the step, as the release does", async () => {
    const few = { ...settings, exactUpTo: 10, lists: 4, probes: 1 };
    const memory = factMemory(few, wordEmbedder, seeded("facts"));
    const [first, then] = [facts(12), ["apples are red", "trains are late", "trains are red", "pears are late"]];
    await memory.add(first);
    for (const fact of then) await memory.add([fact]);
    const lists = invertedLists(await wordEmbedder.embed(first), few, seeded("facts").fork("lists"));
    for (const vector of await wordEmbedder.embed(then)) lists.add(vector);
    for (const query of [...then, ...first]) {
      const [vector] = await wordEmbedder.embed([query]);
      const expected = lists.search(vector!, 5).map(({ index }) => memory.facts[index]);
      expect(await memory.recall(query, 5, anyQuestion)).toEqual(expected);
    }
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
    await memory.recall("number", 10, anyQuestion);
    expect(memory.searchKind).toBe("exact");
    await memory.add(["the last but one"]);
    expect(memory.searchKind).toBe("exact");
    await memory.add(["one more"]);
    expect([memory.facts.length, memory.searchKind]).toEqual([1025, "inverted lists"]);
    expect(await memory.recall("one more", 1, anyQuestion)).toEqual(["one more"]);
  });

  test("many at once stay exact: the step is taken when facts come in, not when they are counted", async () => {
    const memory = open({ exactUpTo: 10, lists: 4, probes: 4 });
    await memory.add(facts(30));
    expect(memory.searchKind).toBe("exact");
    const exact = await memory.recall("fact number 3 of 3", 5, anyQuestion);
    await memory.add(["something else"]);
    expect(memory.searchKind).toBe("inverted lists");
    expect(await memory.recall("fact number 3 of 3", 5, anyQuestion)).toEqual(exact);
  });
});

describe("a memory of facts with a selector", () => {
  const chooser = (name: string, more: Partial<FakeKitSettings> = {}) => {
    const armKit = fakeKit({ task: movies, script: () => '{"chosen": [2]}', ...more });
    const select = { selector: selectors.get(name) };
    return { armKit, open: () => selectedFacts({ ...knobs(rag, {}), select }, armKit.kit) };
  };
  const question = ask("q", "Where do I live?");

  test("chooses among the sentences held, each once, and says how", async () => {
    const { armKit, open } = chooser("llm-zero");
    const memory = await open();
    expect(await memory.add(["I like pears.", "I live in Arden.", "I like pears."])).toBe(2);
    expect(await memory.add(["I live in Arden."])).toBe(0);
    expect(memory.searchKind).toBe("selector");
    const asked = { question, kit: armKit.question("q") };
    expect(await memory.recall("Where?", 10, asked)).toEqual(["I live in Arden."]);
    expect(armKit.calls[0]?.text).toContain("I like pears.");
  });
});
