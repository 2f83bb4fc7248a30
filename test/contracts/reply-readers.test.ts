import { expect, test } from "vitest";
import { finalAnswer, parseReact } from "../../src/agent/text-react.js";
import { judges } from "../../src/judges/index.js";
import { linguistic } from "../../src/memory/graph/concepts.js";
import { readPersona } from "../../src/memory/persona.js";
import { readFact } from "../../src/methods/assistant.js";
import { optimizers } from "../../src/methods/persona-agent/options.js";
import { personaAgent } from "../../src/methods/persona-agent.js";
import { sage } from "../../src/methods/sage.js";
import { tasks } from "../../src/tasks/index.js";
import { stripReasoning } from "../../src/text/strip-reasoning.js";
import { rougeTokens } from "../../src/text/tokens.js";
import type { Method, OptionTable, OptionValue } from "../../src/types/index.js";
import { history, play } from "../methods/persona-agent-fixtures.js";

/**
 * A reply can be of any length and shape, and one that is read in quadratic time stops the process for minutes, again at
 * every resume. Time is that of this process alone (not of a loaded machine): four times the text may cost eight times as much.
 */
const [SMALL, MIDDLE, LARGE] = [2000, 16_000, 64_000];
/** Linear readers need a small part of it for the large text. */
const FREE_MS = 200;

/** Pieces that are repeated, each with what may stand before and behind. */
const SHAPES: readonly (readonly [piece: string, before?: string, behind?: string])[] = [
  ["\n", "Thought: x\nAction:"],
  ["\n", "Thought: x\nAction: a\n", "b"],
  ["\n", "x", "y"],
  [" ", "x", "y"],
  [" ", "Action", "x"],
  ["1", "", "x"],
  ["x", "politics "],
  ["y", "x"],
  ["Action: "],
  ["Action Input: "],
  ["Action: a\nAction Input: b\n"],
  ["Final Answer: "],
  ["final answer is ", "x", "y"],
  ["<think>"],
  ["<think></thinking>"],
  ["</think>"],
  ["<|channel|>analysis<|message|>"],
  ["<|channel|>final<|message|>"],
  ["```\n"],
  ["```\nx\n", "Here is the updated prompt:\n```\n"],
  ["`", "", "x"],
  ['"', "x", "y"],
  ["'", "x", "y"],
  ["“", "", "x"],
  ["*", "x", "y"],
  [".", "x", "y"],
  ["“”"],
  ["{", ""],
  ["{}"],
  ["}", "", "{"],
  ["[1]"],
  ["reference ", "", " ".repeat(2000)],
  [" ", "reference", "x"],
  ["-", "x", "y"],
  ["_", "", "warrants"],
  ["here is the prompt ", "", ":x"],
  ["<prompt>", "update "],
  ["<feedback>", "update <prompt>x</prompt>"],
  ["Current prompt: ", "update "],
  ["\nfeedback", "update current prompt: "],
  ["\n\n", "update current prompt: x\nfeedback: y", "z"],
  ["when the text mentions "],
  ["typical words of “a"],
  ["<question>", "<expected>x</expected>"],
  ["question: x\n"],
  ["tags: ["],
  ["possible answers: ["],
];

const shaped = ([piece, before = "", behind = ""]: (typeof SHAPES)[number], length: number): string =>
  before + piece.repeat(Math.ceil(length / piece.length)) + behind;

const QUESTION =
  'Which tag does this movie relate to among the following tags? tags: [comedy, action] description: a "heist"';

type Reader = (reply: string) => unknown;

/** A whole method whose model always replies so; its own readers see the reply. */
const whole =
  <T extends OptionTable>(method: Method<T>, given: Readonly<Record<string, OptionValue>> = {}): Reader =>
  (reply) =>
    play(method, { given, script: () => reply, ids: ["q1"], past: history.slice(0, 2) });

const READERS: Readonly<Record<string, Reader>> = {
  reasoning: (reply) => stripReasoning(reply.repeat(8)),
  "react protocol": parseReact,
  "final answer": finalAnswer,
  persona: (reply) => readPersona(reply, 1e6),
  fact: readFact,
  "ROUGE's words": rougeTokens,
  concepts: async (reply) => (await linguistic.open())(reply),
  ...Object.fromEntries(judges.all.map((judge) => [`judge ${judge.name}`, judge.read])),
  ...Object.fromEntries(
    tasks.all.flatMap((task) => {
      const asked = task.question({ id: "q", input: QUESTION });
      return [
        [`task ${task.name}, strict`, (reply: string) => task.strict(reply)],
        [`task ${task.name}, lenient`, (reply: string) => task.lenient(reply, asked)],
      ];
    }),
  ),
  sage: whole(sage),
  ...Object.fromEntries(
    optimizers.all.map(({ name }) => [
      `persona-agent, ${name}`,
      whole(personaAgent, { "align.optimizer": name, "agent.protocol": "text-react", "align.iterations": 1 }),
    ]),
  ),
};

/** Milliseconds of processor time, the least of a few tries where the first was dear. */
async function cost(reader: Reader, reply: string, enough: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 3 && least > enough; tries++) {
    const before = process.cpuUsage();
    await reader(reply);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

test.each(Object.entries(READERS))(
  "%s: the work grows with the length of a reply, whatever its shape",
  async (_, reader) => {
    await reader("warm"); // compiled once
    const slow: string[] = [];
    for (const shape of SHAPES) {
      const told = JSON.stringify(shape.map((part) => part?.slice(0, 40)));
      const small = await cost(reader, shaped(shape, SMALL), FREE_MS);
      const middle = small > 3 * FREE_MS ? small : await cost(reader, shaped(shape, MIDDLE), FREE_MS);
      if (small > 3 * FREE_MS || middle > 10 * FREE_MS) {
        slow.push(`${told}: ${Math.round(middle)} ms`);
        continue;
      }
      const most = Math.max(FREE_MS, 8 * middle);
      const large = await cost(reader, shaped(shape, LARGE), most);
      if (large > most) slow.push(`${told}: ${Math.round(middle)} ms, then ${Math.round(large)} ms`);
    }
    expect(slow).toEqual([]);
  },
  300_000,
);
