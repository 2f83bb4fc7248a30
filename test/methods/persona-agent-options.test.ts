import { describe, expect, test } from "vitest";
import { toolRules } from "../../src/memory/persona.js";
import { personaAgent } from "../../src/methods/persona-agent.js";
import { history, noted, PERSONA, play, questions, sent } from "./persona-agent-fixtures.js";
import { movie } from "./workflow-fixtures.js";

const simulated = (armKit: Parameters<typeof noted>[0]) => noted(armKit, "simulation").map(({ event }) => event);

describe("align.batch", () => {
  test("latest is the same batch in every iteration", async () => {
    const { armKit } = await play(personaAgent, { given: { "align.iterations": 2, "align.batchSize": 2 } });
    expect(simulated(armKit)).toEqual(["e4", "e5", "e4", "e5"]);
  });

  test("rolling walks back in time and begins again at the newest", async () => {
    const given = { "align.batch": "rolling", "align.batchSize": 2, "align.iterations": 4 };
    const { armKit, plan } = await play(personaAgent, { given });
    expect(simulated(armKit)).toEqual(["e4", "e5", "e2", "e3", "e1", "e4", "e5"]);
    expect(plan.perUnit(history).gradient).toEqual({ low: 4, high: 8 });
  });
});

describe("align.schedule", () => {
  test("per-query starts from P0 for each question, in that question's wording, and charges the question", async () => {
    const { armKit } = await play(personaAgent, { given: { "align.schedule": "per-query" } });
    for (const { phase, question } of armKit.calls) expect(question === undefined).toBe(phase === "summary");
    for (const { request } of sent(armKit, "simulate")) {
      expect(request.system).toContain(toolRules(2));
      expect(request.messages[0]).toMatchObject({ content: expect.stringMatching(/^Which tag\? description: /) });
    }
  });
});

describe("learning from answered questions (prequential mode)", () => {
  const learned = movie("q1", "a robot robs a train", "tag-new", "2019-06-01");
  const q2 = questions[1];
  if (q2 === undefined) throw new Error("the fixture has two questions");

  test("an answered question enters the episodic memory, and alignment stays as it was", async () => {
    const { armKit, answerer } = await play(personaAgent, { ids: ["q1"], given: { "memory.k": 10 } });
    const before = armKit.calls.length;
    await answerer.learn?.(learned, armKit.question("q1"));
    expect(armKit.calls).toHaveLength(before);
    await answerer(q2, armKit.question("q2"));
    const later = armKit.calls.slice(before);
    expect(later.map(({ phase }) => phase)).toEqual(["answer", "answer", "answer"]);
    expect(later.at(-1)?.text).toContain("tag-new");
    expect(
      armKit.calls
        .slice(0, before)
        .map(({ text }) => text)
        .join(),
    ).not.toContain("tag-new");
  });

  test("rolling goes on aligning from the current persona before the next question, with the new event in the batch", async () => {
    const { armKit, answerer } = await play(personaAgent, { ids: ["q1"], given: { "align.schedule": "rolling" } });
    const before = armKit.calls.length;
    await answerer.learn?.(learned, armKit.question("q1"));
    expect(armKit.calls).toHaveLength(before);
    await answerer(q2, armKit.question("q2"));
    const later = armKit.calls.slice(before);
    expect(simulated(armKit).slice(3)).toEqual(["e4", "e5", "q1"]);
    expect(later.find(({ phase }) => phase === "update")?.text).toContain(`Current system prompt: ${PERSONA}`);
    expect(noted(armKit, "persona").map(({ version }) => version)).toEqual([0, 1, 2]);
    for (const { question } of later) expect(question).toBe("q2");
    const settled = armKit.calls.length;
    await answerer(q2, armKit.question("q2"));
    expect(armKit.calls.slice(settled).every(({ phase }) => phase === "answer")).toBe(true);
  });

  test("the simulation of a learned event does not see it", async () => {
    const { armKit, answerer } = await play(personaAgent, { ids: ["q1"], given: { "align.schedule": "rolling" } });
    await answerer.learn?.(learned, armKit.question("q1"));
    await answerer(q2, armKit.question("q2"));
    const runs = sent(armKit, "simulate").filter(({ text }) => text.includes("description: a robot robs a train"));
    expect(runs).toHaveLength(3);
    for (const { text } of runs) expect(text).not.toContain("tag-new");
  });
});
