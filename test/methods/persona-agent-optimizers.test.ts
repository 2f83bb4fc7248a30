import { describe, expect, test } from "vitest";
import { personaAgent } from "../../src/methods/persona-agent.js";
import type { LoggedCall, ScriptedReply } from "../helpers/scripted-model.js";
import { noted, obliging, play, sent } from "./persona-agent-fixtures.js";

const LONG = `You know one person very well. ${"They like {quiet} films. ".repeat(10)}Ask before you guess, always.`;
const outcomes = (armKit: Parameters<typeof noted>[0]) => noted(armKit, "persona").map(({ outcome }) => outcome);

describe("align.optimizer=textgrad", () => {
  /** Says which link of the chain it is. */
  function chain(logged: LoggedCall): ScriptedReply {
    const { phase, text } = logged;
    if (phase === "gradient") {
      if (text.includes("<LM_SYSTEM_PROMPT>")) return `prompt-gradient after ${/<OBJECTIVE>([^<]*)</.exec(text)?.[1]}`;
      if (text.includes("<VARIABLE>")) return `answer-gradient after ${/<OBJECTIVE>([^<]*)</.exec(text)?.[1]}`;
      return `loss of ${/Expected Answer: (\S+)/.exec(text)?.[1]}`;
    }
    if (phase === "update") return `Of course.\n<IMPROVED_VARIABLE>\n${LONG}\n</IMPROVED_VARIABLE>\nDone.`;
    return obliging(logged);
  }
  const given = { "align.optimizer": "textgrad", "align.batchSize": 2 };

  test("chains loss, gradient on the answer and gradient on the prompt for each sample", async () => {
    const { armKit } = await play(personaAgent, { given, script: chain });
    expect(noted(armKit, "persona")[1]?.gradients).toEqual([
      { event: "e4", text: "prompt-gradient after answer-gradient after loss of tag-four" },
      { event: "e5", text: "prompt-gradient after answer-gradient after loss of tag-five" },
    ]);
    const last = sent(armKit, "gradient").find(({ text }) => text.includes("<LM_SYSTEM_PROMPT>"))?.text ?? "";
    expect(last).toContain("STRICT RULES");
    expect(last).toContain("<LM_OUTPUT>comedy</LM_OUTPUT>");
  });

  test("a step without the tags is asked for once more, then the persona stays", async () => {
    const untagged = (logged: LoggedCall): ScriptedReply => (logged.phase === "update" ? LONG : chain(logged));
    const { armKit } = await play(personaAgent, { given, script: untagged });
    expect(armKit.phases().update).toBe(2);
    expect(armKit.incidents.get("persona_update_failed")).toBe(1);
    expect(outcomes(armKit)).toEqual(["initial", "kept"]);
  });
});
