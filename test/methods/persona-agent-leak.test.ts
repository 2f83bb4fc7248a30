import { describe, expect, test } from "vitest";
import { personaAgent } from "../../src/methods/persona-agent.js";
import type { LoggedCall, ScriptedReply } from "../helpers/scripted-model.js";
import { call, history, itemOf, noted, obliging, observations, play, sent } from "./persona-agent-fixtures.js";
import { movie } from "./workflow-fixtures.js";

/** Looks the item up in memory and answers with the tag of the first hit. */
function parrot(logged: LoggedCall): ScriptedReply {
  if (logged.phase !== "simulate" && logged.phase !== "answer") return obliging(logged);
  const [found] = observations(logged);
  if (found === undefined) return call("episodic_memory", itemOf(logged));
  return /tag: (\S+)/.exec(found)?.[1] ?? found;
}

const simulate = async (given: Record<string, string>, past = history) => {
  const { armKit } = await play(personaAgent, { script: parrot, given, past, ids: ["q1"] });
  const runs = noted(armKit, "simulation").map(({ event, expected, response }) => ({ event, expected, response }));
  const shown = new Map<string, string>();
  for (const logged of sent(armKit, "simulate")) shown.set(itemOf(logged), observations(logged).join("\n"));
  return { armKit, runs, shown };
};

describe("the leak guard of alignment (METHODS 7.4)", () => {
  test.each(["before-event", "exclude-self"])(
    "a model that parrots its first memory hit never sees its own event with align.memoryCutoff=%s",
    async (cutoff) => {
      const { runs, shown } = await simulate({ "align.memoryCutoff": cutoff });
      expect(runs.map(({ event }) => event)).toEqual(["e3", "e4", "e5"]);
      for (const { response, expected } of runs) expect(response).not.toBe(expected);
      for (const event of history.slice(-3)) expect(shown.get(event.content)).not.toContain(event.label);
    },
  );

  test("the default lets memory show nothing from the event on", async () => {
    const { shown } = await simulate({});
    expect(shown.size).toBe(3);
    history.slice(-3).forEach((event, index) => {
      const text = shown.get(event.content);
      const at = index + 2;
      for (const earlier of history.slice(0, at).slice(-4)) expect(text).toContain(earlier.label);
      for (const later of history.slice(at)) expect(text).not.toContain(later.label);
    });
  });

  test("with align.memoryCutoff=none the same model parrots its own answers: the leak is real", async () => {
    const { runs } = await simulate({ "align.memoryCutoff": "none" });
    expect(runs).toEqual(history.slice(-3).map(({ id, label }) => ({ event: id, expected: label, response: label })));
  });

  test("an earlier copy of the same text is hidden too", async () => {
    const copied = [movie("copy", "The  last train of the WAR", "tag-five", "2018-01-01"), ...history];
    const { runs } = await simulate({}, copied);
    expect(runs.at(-1)).toMatchObject({ event: "e5", expected: "tag-five" });
    expect(runs.at(-1)?.response).not.toBe("tag-five");
    const leaking = await simulate({ "align.memoryCutoff": "none" }, copied);
    expect(leaking.runs.at(-1)?.response).toBe("tag-five");
  });

  test("answers to real questions search the whole past", async () => {
    const { armKit } = await play(personaAgent, { script: parrot, given: { "memory.k": 5 }, ids: ["q1"] });
    const [seen] = sent(armKit, "answer")
      .map(observations)
      .filter(({ length }) => length > 0);
    for (const { label } of history) expect(seen?.[0]).toContain(label);
  });
});
