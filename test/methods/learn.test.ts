import { describe, expect, test } from "vitest";
import { graphRag } from "../../src/methods/graph-rag.js";
import { rag } from "../../src/methods/rag.js";
import { react } from "../../src/methods/react.js";
import type { Method, OptionTable, OptionValue } from "../../src/types/index.js";
import { fakeKit } from "../helpers/kit.js";
import { ask, knobs, movie, movies, user } from "./workflow-fixtures.js";

const WORDS = "heist friends dog space love spring robot wizard hat Paris Mars gate travel wrong home".split(" ");
const past = Array.from({ length: 12 }, (_, i) =>
  movie(`${i}`, WORDS.filter((_word, w) => (i * 5 + w * 3) % 7 < 3).join(" "), i % 2 === 0 ? "comedy" : "action"),
);
const others = ["a heist in Paris", "the robot on Mars", "a dog in space", "love on Mars"].map((content, i) => ({
  owner: `other${i}`,
  event: movie(`o${i}`, content, "romance"),
}));

/** All that the methods send for two questions, when some of the past was learned after an earlier question. */
async function sent<T extends OptionTable>(
  method: Method<T>,
  given: Record<string, OptionValue>,
  known: number,
  pool: boolean,
) {
  const armKit = fakeKit({
    task: movies,
    script: () => "Action: episodic_memory\nAction Input: Mars heist",
    others: pool ? others : [],
  });
  const answer = await method.personalize(user(...past.slice(0, known)), knobs(method, given), armKit.kit);
  await answer(ask("early", "a robot in love"), armKit.question("early"));
  for (const event of past.slice(known)) await answer.learn?.(event, armKit.question("step"));
  const before = armKit.calls.length;
  for (const text of ["a heist on Mars", "the wizard's hat"]) await answer(ask(text, text), armKit.question(text));
  return armKit.calls.slice(before).map(({ text }) => text);
}

describe("what was learned is used as if it had always been there", () => {
  test.each<[string, (known: number) => Promise<string[]>]>([
    ["rag, bm25", (known) => sent(rag, { select: "bm25" }, known, false)],
    ["rag, tf-idf", (known) => sent(rag, { select: "tf-idf" }, known, false)],
    ["rag, dense", (known) => sent(rag, { select: "dense" }, known, false)],
    ["rag, bm25-wink", (known) => sent(rag, { select: "bm25-wink" }, known, false)],
    ["react", (known) => sent(react, { "react.tools": "episodic-memory", select: "bm25" }, known, false)],
    ["graph-rag", (known) => sent(graphRag, {}, known, true)],
    ["graph-rag without others", (known) => sent(graphRag, { "graph-rag.blocks": "own" }, known, false)],
    ["graph-rag, dense", (known) => sent(graphRag, { "graph-rag.weighting": "dense" }, known, true)],
  ])("by %s", async (_name, sentBy) => {
    const whole = await sentBy(past.length);
    expect(whole.join()).toMatch(/heist|comedy/);
    for (const known of [0, 5, 11]) expect(await sentBy(known)).toEqual(whole);
  });
});
