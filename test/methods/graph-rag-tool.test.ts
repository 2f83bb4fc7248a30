import { describe, expect, test } from "vitest";
import { personaAgent } from "../../src/methods/persona-agent.js";
import { fakeKit } from "../helpers/kit.js";
import type { Script } from "../helpers/scripted-model.js";
import { article, asked, news, pool } from "../memory/graph/graph-fixtures.js";
import { knobs } from "./workflow-fixtures.js";

const TEXT = "Parkland survivors march";
const given = { "persona-agent.tools": "memory,graph_memory", "align.iterations": 0, "pag.summary": "exact" };
const callsGraph: Script = (_call, index) =>
  index === 0
    ? { toolCalls: [{ id: "1", name: "graph_memory", arguments: { query: "Parkland" } }], stop: "tool" }
    : "politics";

async function run(user: string, script: Script, options: Record<string, string | number> = given, others = pool) {
  const cell = fakeKit({ task: news, script, others, user });
  const history = [article("h1", "Women march in Florida", "women")];
  const answer = await personaAgent.personalize({ id: user, history }, knobs(personaAgent, options), cell.kit);
  const reply = await answer(asked("q", TEXT), cell.question("q"));
  return { cell, reply };
}
const toolNames = ({ cell }: Awaited<ReturnType<typeof run>>): string[] =>
  (cell.calls[0]?.request.tools ?? []).map(({ name }) => name);

describe("graph_memory as a tool of persona-agent", () => {
  test("is offered only where persona-agent.tools names it, and reads the pool only then", async () => {
    expect(toolNames(await run("zoe", () => "politics"))).toEqual(["episodic_memory", "graph_memory"]);
    const without = { ...given, "persona-agent.tools": "memory" };
    expect(toolNames(await run("zoe", () => "politics", without))).toEqual(["episodic_memory"]);
    expect(personaAgent.usesOthers?.(knobs(personaAgent, given))).toBe(true);
    expect(personaAgent.usesOthers?.(knobs(personaAgent))).toBe(false);
    expect(personaAgent.needs?.(knobs(personaAgent, given)).tools).toEqual([]);
  });

  test("returns similar events of others and their communities, and notes them", async () => {
    const { cell, reply } = await run("zoe", callsGraph);
    expect(reply).toBe("politics");
    expect(cell.calls[1]!.text).toContain(
      [
        "Similar interactions of other users:",
        "2018-01-01 | article: The march for Parkland filled Florida streets | category: politics",
      ].join("\n"),
    );
    expect(cell.calls[1]!.text).toContain(
      "Communities of topics:\nFlorida, Parkland: 3 articles by 2 users; politics 67 %, crime 33 %",
    );
    expect(cell.notes.find(({ kind }) => kind === "graph")).toMatchObject({ question: "q", data: { own: [] } });
  });

  test("never returns the asking user's own events, nor a twin of the question under another query", async () => {
    const others = [
      ...pool,
      { owner: "dan", event: article("twin", TEXT, "crime") },
      { owner: "zoe", event: article("mine", "Parkland is mine", "women") },
    ];
    const { cell } = await run("zoe", callsGraph, given, others);
    expect(cell.calls[1]!.text).toContain("The march for Parkland");
    expect(cell.calls[1]!.text).not.toContain("Parkland is mine");
    expect(cell.calls[1]!.text).not.toContain(`${TEXT} | category`);
    const asDan = await run("dan", callsGraph, given, others);
    expect(asDan.cell.calls[1]!.text).toContain("Parkland is mine");
  });

  test("says so where nothing is found", async () => {
    const { cell } = await run("zoe", (_call, index) =>
      index === 0
        ? { toolCalls: [{ id: "1", name: "graph_memory", arguments: { query: "zzz" } }], stop: "tool" }
        : "politics",
    );
    expect(cell.calls[1]!.text).toContain(
      "Similar interactions of other users:\nnone found\nCommunities of topics:\nnone found",
    );
  });
});
