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
  const armKit = fakeKit({ task: news, script, others, user });
  const history = [article("h1", "Women march in Florida", "women")];
  const answer = await personaAgent.personalize({ id: user, history }, knobs(personaAgent, options), armKit.kit);
  const reply = await answer(asked("q", TEXT), armKit.question("q"));
  return { armKit, reply };
}
const toolNames = ({ armKit }: Awaited<ReturnType<typeof run>>): string[] =>
  (armKit.calls[0]?.request.tools ?? []).map(({ name }) => name);

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
    const { armKit, reply } = await run("zoe", callsGraph);
    expect(reply).toBe("politics");
    expect(armKit.calls[1]!.text).toContain(
      [
        "Similar interactions of other users:",
        "2018-01-01 | article: The march for Parkland filled Florida streets | category: politics",
      ].join("\n"),
    );
    expect(armKit.calls[1]!.text).toContain(
      "Communities of topics:\nflorida, parkland, march: 3 articles by 2 users; politics 67 %, crime 33 %",
    );
    expect(armKit.notes.find(({ kind }) => kind === "graph")).toMatchObject({ question: "q", data: { own: [] } });
  });

  test("never returns the asking user's own events, nor a twin of the question under another query", async () => {
    const others = [
      ...pool,
      { owner: "dan", event: article("twin", TEXT, "crime") },
      { owner: "zoe", event: article("mine", "Parkland is mine", "women") },
    ];
    const { armKit } = await run("zoe", callsGraph, given, others);
    expect(armKit.calls[1]!.text).toContain("The march for Parkland");
    expect(armKit.calls[1]!.text).not.toContain("Parkland is mine");
    expect(armKit.calls[1]!.text).not.toContain(`${TEXT} | category`);
    const asDan = await run("dan", callsGraph, given, others);
    expect(asDan.armKit.calls[1]!.text).toContain("Parkland is mine");
  });
});

describe("graph_memory while alignment simulates the past", () => {
  const past = [
    article("h1", "Women march in Florida", "women", "2018-01-15"),
    article("h2", "Parkland students speak", "education", "2018-02-15"),
  ];
  const later = { owner: "dan", event: article("later", "Parkland a year later", "crime", "2018-02-16") };
  const twin = { owner: "dan", event: article("twin", "  PARKLAND students speak", "sports", "2018-01-01") };
  const mine = past.map((event) => ({ owner: "zoe", event })); // as in a leave-one-out pool
  const alignment = { ...given, "align.iterations": 1, "align.batchSize": 2, "persona-agent.tools": "graph_memory" };

  /** Looks Parkland up in every simulation; gives what came back, by the event that was simulated. */
  async function simulated(options: Record<string, string | number>, others = [...pool, later, twin, ...mine]) {
    const script: Script = ({ phase, request }) => {
      if (phase !== "simulate") return "as before";
      if (request.messages.at(-1)?.role === "tool") return "politics";
      return { toolCalls: [{ id: "1", name: "graph_memory", arguments: { query: "Parkland" } }], stop: "tool" };
    };
    const armKit = fakeKit({ task: news, script, others, user: "zoe" });
    await personaAgent.personalize({ id: "zoe", history: past }, knobs(personaAgent, options), armKit.kit);
    const seen = new Map<string, string>();
    for (const { phase, request, text } of armKit.calls)
      if (phase === "simulate" && request.messages.at(-1)?.role === "tool")
        seen.set(past.find(({ content }) => text.includes(content))?.id ?? "?", text);
    return { armKit, seen };
  }

  test("shows nothing of the user's own, no twin of the event, and nothing later than it", async () => {
    const { seen } = await simulated(alignment);
    const found = (id: string) => seen.get(id)?.split("Similar interactions of other users:")[1] ?? "";
    expect(found("h1")).toContain("Parkland filled Florida");
    expect(found("h1")).not.toContain("Survivors from Parkland"); // a2 is of February
    expect(found("h2")).toContain("Survivors from Parkland");
    for (const id of ["h1", "h2"]) {
      expect(found(id)).not.toContain("year later");
      for (const { content } of past) expect(found(id)).not.toContain(`${content} | category`);
    }
    expect(found("h2")).not.toContain("sports");
    expect(found("h1")).toContain("sports"); // the twin of another event is no twin of this one
  });

  test("can show them where they are nobody's secret: the checks can fail", async () => {
    const moved = [later, twin].map(({ event }) => ({ owner: "dan", event: { ...event, date: "2018-01-01" } }));
    const other = article("h2", "Students speak at length", "education", "2018-02-15");
    const others = [
      ...pool,
      ...moved,
      { owner: "eve", event: { ...other, content: "Parkland speaks", document: "Parkland speaks" } },
    ];
    const { seen } = await simulated(alignment, others);
    expect(seen.get("h2")).toContain("year later");
  });

  test("knows the user's own past only up to the event: what it notes of preferences", async () => {
    const { armKit } = await simulated(alignment);
    const noted = armKit.notes.filter(({ kind }) => kind === "graph").map(({ data }) => data);
    expect(noted).toMatchObject([{ preferences: [] }, { preferences: [{ label: "women", share: 1 }] }]);
  });
});
