import { describe, expect, test } from "vitest";
import { episodicMemoryTool } from "../../src/agent/tools/memory.js";
import { episodicMemory, memoryOptions } from "../../src/memory/episodic.js";
import { complete, readOptions } from "../../src/registry/options.js";
import { lamp2m } from "../../src/tasks/lamp2m.js";
import type { Note, OptionValue } from "../../src/types/index.js";
import { fakeKit } from "../helpers/kit.js";
import { event } from "./event-case.js";

const history = [
  event("a", "2020-01-01", "A heist in a casino goes wrong.", "action"),
  event("b", "2020-02-01", "Two robots fall in love on Mars.", "romance"),
  event("c", undefined, "A wizard {young} loses his hat.", "fantasy"),
];

const armKit = fakeKit({ task: lamp2m, script: [] });
const asked = { question: lamp2m.question({ id: "q", input: "" }), kit: armKit.question("q") };

function remember(events = history, set: Record<string, OptionValue> = {}) {
  const settings = readOptions(memoryOptions, complete(memoryOptions, set));
  return episodicMemory(events, settings, armKit.kit);
}

describe("the episodic memory", () => {
  test("recalls the best matching events as date, content and the user's label", async () => {
    const found = await (await remember(history, { "memory.k": 1 })).recall("robots on Mars", asked);
    expect(found.map(({ line }) => line)).toEqual([
      "2020-02-01 | movie: Two robots fall in love on Mars. | tag: romance",
    ]);
  });

  test("is searched by any retriever", async () => {
    for (const kind of ["bm25", "recency", "tf-idf", "random"]) {
      const found = await (await remember(history, { select: kind, "memory.k": 2 })).recall("wizard hat", asked);
      expect(found).toHaveLength(2);
    }
  });

  test("indexes the label with the event", async () => {
    const [best] = await (await remember(history, { "memory.k": 3 })).recall("fantasy", asked);
    expect(best!.event.id).toBe("c");
  });

  test("cuts long contents in what it shows", async () => {
    const [first] = await (await remember(history, { "events.maxWords": 2 })).recall("robots love Mars", asked);
    expect(first?.line).toBe("2020-02-01 | movie: Two robots | tag: romance");
  });
});

describe("the episodic_memory tool", () => {
  const notes: Note["data"][] = [];
  const use = {
    timeoutMs: 1000,
    signal: new AbortController().signal,
    note: ({ data }: Note) => void notes.push(data),
    count: () => {},
  };

  test("shows one line per hit and notes the ids", async () => {
    const tool = episodicMemoryTool(await remember(history, { "memory.k": 2, select: "recency" }), asked);
    const lines = (await tool.run({ query: "anything" }, use)).split("\n");
    expect(lines).toHaveLength(2);
    expect(notes.at(-1)).toMatchObject({ query: "anything", events: expect.arrayContaining(["b"]) });
    expect(tool.description).toMatch(/must use this tool at least once/);
  });
});
