import { describe, expect, test } from "vitest";
import { ModelError } from "../../src/errors.js";
import { personaAgent } from "../../src/methods/persona-agent.js";
import { tasks } from "../../src/tasks/index.js";
import { fakeKit } from "../helpers/kit.js";
import type { LoggedCall, ScriptedReply } from "../helpers/scripted-model.js";
import { itemOf, noted, obliging, PERSONA, play, SUMMARY, sent } from "./persona-agent-fixtures.js";
import { knobs } from "./workflow-fixtures.js";

const systemOf = (logged: LoggedCall | undefined): string => logged?.request.system ?? "";
const outcomes = (armKit: Parameters<typeof noted>[0]) => noted(armKit, "persona").map(({ outcome }) => outcome);

/** As `obliging`, with the replies of one phase replaced. */
const saying =
  (phase: string, reply: (logged: LoggedCall, turn: number) => ScriptedReply) =>
  (logged: LoggedCall): ScriptedReply => {
    if (logged.phase !== phase) return obliging(logged);
    return reply(logged, logged.request.draw ?? 0);
  };

const failed = (scope: "call" | "stop"): never => {
  throw new ModelError("no reply", { retryable: false, scope });
};

describe("persona-agent on short pasts", () => {
  test("an empty past: no summary, no alignment, P0, counted", async () => {
    const { armKit, answers } = await play(personaAgent, { past: [] });
    expect(Object.keys(armKit.phases())).toEqual(["answer"]);
    expect(systemOf(sent(armKit, "answer")[0])).toContain("User summary: not available");
    expect(armKit.incidents.get("align-skipped=no-history")).toBe(1);
    expect(answers).toEqual(["comedy", "comedy"]);
  });

  test("a past without labels (stock LaMP-1) is remembered but not simulated", async () => {
    const lamp1 = tasks.get("lamp1");
    const past = ["a", "b"].map((id) => lamp1.event({ id, title: `Paper ${id}`, abstract: "On graphs." }));
    const armKit = fakeKit({ task: lamp1, script: obliging });
    await personaAgent.personalize({ id: "u1", history: past }, knobs(personaAgent), armKit.kit);
    expect(armKit.phases()).toEqual({ summary: 1 });
    expect(armKit.incidents.get("align-skipped=no-labels")).toBe(1);
    expect(personaAgent.plan(knobs(personaAgent)).perUnit(past)).toEqual({ summary: { low: 1, high: 2 } });
  });
});

describe("persona-agent when calls fail", () => {
  test("a failed feedback call costs its own event only", async () => {
    const { armKit } = await play(personaAgent, {
      script: saying("gradient", ({ text }) => (text.includes("tag-four") ? failed("call") : "Mention trains.")),
    });
    expect(armKit.incidents.get("gradient-failed")).toBe(1);
    expect(sent(armKit, "update")[0]?.text).toContain("1. Mention trains.\n\n2. Mention trains.\n");
    expect(noted(armKit, "persona")[1]?.gradients).toMatchObject([{ event: "e3" }, { event: "e5" }]);
  });

  test("when all feedback fails the persona is kept and no update is asked for", async () => {
    const { armKit } = await play(personaAgent, { script: saying("gradient", () => failed("call")) });
    expect(armKit.incidents.get("gradient-failed")).toBe(3);
    expect(armKit.phases().update).toBeUndefined();
    expect(outcomes(armKit)).toEqual(["initial", "kept"]);
    expect(systemOf(sent(armKit, "answer")[0])).toContain(`User summary: ${SUMMARY}`);
  });

  test("a failed simulation is left out and counted", async () => {
    const { armKit } = await play(personaAgent, {
      script: saying("simulate", (logged) => (itemOf(logged).includes("island") ? failed("call") : obliging(logged))),
    });
    expect(armKit.incidents.get("simulation-failed")).toBe(1);
    expect(armKit.phases().gradient).toBe(2);
    expect(noted(armKit, "simulation").map(({ response }) => response)).toEqual(["comedy", null, "comedy"]);
  });

  test.each(["simulate", "gradient", "update"])(
    "a failure that ends the run (a refused key) in phase %s is not swallowed",
    async (phase) => {
      const script = saying(phase, () => failed("stop"));
      await expect(play(personaAgent, { script })).rejects.toThrow("no reply");
    },
  );

  test("a failed update call fails the user instead of answering under a persona nobody aligned", async () => {
    await expect(play(personaAgent, { script: saying("update", () => failed("call")) })).rejects.toThrow(ModelError);
  });
});

describe("rewritten personas", () => {
  test.each([
    ["empty", ""],
    ["too short", "Be nice."],
    ["too long", "word ".repeat(1300)],
  ])("an unusable one (%s) is asked for once more", async (reason, reply) => {
    const script = saying("update", (_logged, draw) => (draw === 0 ? reply : PERSONA));
    const { armKit } = await play(personaAgent, { script });
    expect(armKit.phases().update).toBe(2);
    expect(sent(armKit, "update").map(({ request }) => request.draw)).toEqual([0, 1]);
    expect(systemOf(sent(armKit, "answer")[0])).toBe(PERSONA);
    expect(armKit.incidents.has("persona_update_failed")).toBe(false);

    const twice = await play(personaAgent, { script: saying("update", () => reply) });
    expect(twice.armKit.phases().update).toBe(2);
    expect(twice.armKit.incidents.get("persona_update_failed")).toBe(1);
    expect(twice.armKit.notes.find(({ kind }) => kind === "persona-refused")?.data).toEqual([reason, reason]);
    expect(outcomes(twice.armKit)).toEqual(["initial", "kept"]);
    expect(systemOf(sent(twice.armKit, "answer")[0])).toContain("STRICT RULES");
  });
});
