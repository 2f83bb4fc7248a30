import { describe, expect, test } from "vitest";
import { personaAgent } from "../../src/methods/persona-agent.js";
import type { LoggedCall } from "../helpers/scripted-model.js";
import { history, noted, play, sent, useEveryTool, wikipedia } from "./persona-agent-fixtures.js";

/** Everything that a template engine, a shell or String.replace would trip over. */
const NASTY = 'likes {tag} and {{user}}, `code`, $\u007bprice}, $& $1 %s \\n, </persona> <b>bold</b> & "quotes"';
const personaOf = (version: number): string =>
  `You are a film companion, version ${version}. {profile: "dry humour"} <user id='7'>${NASTY}</user>\n\n\`\`\`js\nconst a = {};\n\`\`\`\nStay kind.`;

/** Wraps its rewrites as chat models do. */
function script(logged: LoggedCall) {
  if (logged.phase === "summary") return NASTY;
  if (logged.phase === "gradient") return `Feedback on ${/Expected Answer: (\S+)/.exec(logged.text)?.[1]}: ${NASTY}`;
  if (logged.phase === "update") {
    const version = logged.text.includes("version 1") ? 2 : 1;
    return `<think>Let me see.</think>Here is the updated system prompt:\n\n${personaOf(version)}`;
  }
  return useEveryTool(logged, logged.phase === "simulate" ? `sim of ${NASTY}` : "comedy");
}

const run = () => play(personaAgent, { script, given: { "align.iterations": 2, "align.batchSize": 2 }, ids: ["q1"] });

describe("persona-agent, Algorithm 1 from end to end", () => {
  test("the initial persona holds summary and strict tool rules, word for word (appendix C)", async () => {
    const { armKit } = await run();
    const [first] = sent(armKit, "simulate");
    const system = first?.request.system ?? "";
    expect(system).toContain("helpful personalized assistant");
    expect(system).toMatch(/more than two actions/);
    expect(system).toContain(`User summary: ${NASTY}`);
    expect(system).toContain("STRICT RULES");
    expect(system).toMatch(/think step by step/i);
    expect(system).toMatch(/MUST use at least TWO tools/);
    expect(system).toMatch(/different tools/);
    expect(system).toMatch(/concise/);
    expect(system).toMatch(/NO explanation in the final answer/);
    expect(first?.request.messages[0]).toMatchObject({
      role: "user",
      content: expect.stringContaining("description: an island"),
    });
  });

  test("both tools are described in every run as appendix D requires", async () => {
    const { armKit } = await run();
    for (const { request } of [...sent(armKit, "simulate"), ...sent(armKit, "answer")]) {
      const [encyclopedia, memory] = request.tools ?? [];
      expect(encyclopedia?.name).toBe(wikipedia.name);
      expect(memory?.name).toBe("episodic_memory");
      expect(memory?.description).toMatch(/most relevant/);
      expect(memory?.description).toMatch(/specific (search )?query/);
      expect(memory?.description).toMatch(/preferences/);
      expect(memory?.description).toMatch(/at least once/);
    }
  });

  test("the loss sees question, expected answer and agent response, asks what appendix B asks, and shows no persona", async () => {
    const { armKit } = await run();
    const gradients = sent(armKit, "gradient");
    expect(gradients).toHaveLength(4);
    [...history.slice(-2), ...history.slice(-2)].forEach((event, index) => {
      const text = gradients[index]?.text ?? "";
      expect(text).toMatch(/meticulous and critical evaluator/);
      expect(text).toMatch(/feedback on how the agent's system prompt should be improved/);
      expect(text).toMatch(/Question: .*tags: \[.*description: /);
      expect(text).toContain(`description: ${event.content}\n`);
      expect(text).toContain(`Expected Answer: ${event.label}\n`);
      expect(text).toContain(`Agent Response: sim of ${NASTY}\n`);
      expect(text).toMatch(/concise/);
      expect(text).toMatch(/search keywords/);
      expect(text).toMatch(/prior interactions and preferences/);
      expect(text).toMatch(/not specific to this task/);
      expect(text).not.toContain("STRICT RULES");
      expect(text).not.toContain("version 1");
    });
  });

  test("the update sees the current persona and all feedback, numbered in batch order", async () => {
    const { armKit } = await run();
    const [first, second] = sent(armKit, "update").map(({ text }) => text);
    for (const text of [first, second]) {
      expect(text).toMatch(/prompt engineering assistant/);
      expect(text).toMatch(/unique preferences/);
      expect(text).toMatch(/detailed profile/);
      expect(text).toMatch(/helpful and clear/);
      expect(text).toContain(`1. Feedback on tag-four: ${NASTY}\n\n2. Feedback on tag-five: ${NASTY}\n`);
    }
    expect(first).toContain(`Current system prompt: You are a helpful personalized assistant.`);
    expect(first).toContain(`User summary: ${NASTY}`);
    expect(second).toContain(`Current system prompt: ${personaOf(1)}\n`);
  });

  test("each iteration runs under the persona before it, the questions under the last, letter by letter", async () => {
    const { armKit, answers } = await run();
    const systems = (phase: string) => [...new Set(sent(armKit, phase).map(({ request }) => request.system))];
    expect(systems("simulate")).toHaveLength(2);
    expect(systems("simulate")[1]).toBe(personaOf(1));
    expect(systems("answer")).toEqual([personaOf(2)]);
    expect(answers).toEqual(["comedy"]);
    expect(sent(armKit, "answer")[0]?.request.messages[0]).toEqual({
      role: "user",
      content: "Which tag? description: a robot robs a train",
    });
  });

  test("the trace keeps P0, P1, P2 with the gradients between them, in an order that timing cannot change", async () => {
    const { armKit } = await run();
    const versions = noted(armKit, "persona");
    expect(versions.map(({ version, outcome }) => [version, outcome])).toEqual([
      [0, "initial"],
      [1, "updated"],
      [2, "updated"],
    ]);
    expect(versions[2]?.persona).toBe(personaOf(2));
    expect(versions[1]?.gradients).toEqual([
      { event: "e4", text: `Feedback on tag-four: ${NASTY}` },
      { event: "e5", text: `Feedback on tag-five: ${NASTY}` },
    ]);
    expect(noted(armKit, "simulation").map(({ event, persona, visible }) => [event, persona, visible])).toEqual([
      ["e4", 0, 3],
      ["e5", 0, 4],
      ["e4", 1, 3],
      ["e5", 1, 4],
    ]);
    const kinds = armKit.notes.map(({ kind, data }) => (kind === "agent" ? `agent ${labelOf(data)}` : kind));
    expect(kinds.filter((kind) => kind !== "memory")).toEqual([
      "summary",
      "persona",
      ...["agent e4", "simulation", "agent e5", "simulation", "persona"],
      ...["agent e4", "simulation", "agent e5", "simulation", "persona"],
      "agent undefined",
    ]);
  });

  test("tool use of real runs is counted", async () => {
    const { armKit } = await run();
    expect(armKit.incidents.get("runs-with-two-tools")).toBe(1);
    expect(armKit.incidents.get("runs-with-memory-call")).toBe(1);
  });
});

const labelOf = (data: unknown): unknown =>
  typeof data === "object" && data !== null && "label" in data ? data.label : undefined;
