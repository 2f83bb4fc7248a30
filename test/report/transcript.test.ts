import { describe, expect, test } from "vitest";
import type { StoredCall } from "../../src/record/stored-run.js";
import { renderTranscript } from "../../src/report/transcript.js";
import type { Json, Message, Row, Trace } from "../../src/types/index.js";
import { ask, replyOf } from "../helpers/model-request.js";

const row: Row = {
  arm: "c",
  user: "u1",
  unit: "u1",
  question: "q1",
  gold: "comedy",
  outcome: { kind: "unparsed", reply: "A comedy.", lenient: "comedy" },
  spend: {},
  incidents: {},
};
const trace = (...notes: readonly (readonly [kind: string, data: Json])[]): Trace => ({
  arm: "c",
  unit: "u1",
  question: "q1",
  requests: [],
  notes: notes.map(([kind, data]) => ({ kind, data })),
});
const show = (told: Trace, calls: readonly StoredCall[] = [], own?: Row): string =>
  renderTranscript({ title: "lamp2m · u1", trace: told, calls, ...(own === undefined ? {} : { row: own }) });
const call = (messages: readonly Message[], text: string, system?: string): StoredCall => ({
  request: { ...ask(""), messages, ...(system === undefined ? {} : { system }) },
  reply: replyOf(text),
});

const step = { text: "", calls: [], feedback: null, cut: false };
const found = (tool: string, observation: string) => ({ tool, input: { query: "x" }, observation, outcome: "ok" });
const agent = {
  phase: "answer",
  system: "You are {careful}.",
  question: "Which tag?",
  protocol: "native",
  tools: ["wikipedia", "episodic_memory"],
  toolCounts: { episodic_memory: 1, wikipedia: 1 },
  truncatedReplies: 1,
  parseErrors: 1,
  forced: "no",
  answer: "comedy",
  steps: [
    { ...step, calls: [found("wikipedia", "Page: X"), found("episodic_memory", "2019 | a film\n2020 | another")] },
    { ...step, text: "half an ans", feedback: "Say it again.", cut: true },
    { ...step, text: "comedy" },
  ],
};

describe("a transcript", () => {
  test("tells an agent run turn by turn: prompt, calls with their observations, feedback, answer", () => {
    expect(show(trace(["memory", { query: "x", events: ["e1", "e2"] }], ["agent", agent]), [], row)).toBe(
      [
        `=== lamp2m · u1 ${"=".repeat(79)}`,
        "",
        'gold: comedy | reply: "A comedy." (unparsed; lenient reading: "comedy")',
        "",
        '[retrieved for "x"]',
        "  e1, e2",
        "",
        "--- agent run, answer, native",
        "[system]",
        "  You are {careful}.",
        "[question]",
        "  Which tag?",
        "[turn 1: call wikipedia]",
        '  {"query":"x"}',
        "[observation]",
        "  Page: X",
        "[turn 1: call episodic_memory]",
        '  {"query":"x"}',
        "[observation]",
        "  2019 | a film",
        "  2020 | another",
        "[turn 2, cut at the token limit]",
        "  half an ans",
        "[feedback]",
        "  Say it again.",
        "[turn 3]",
        "  comedy",
        "[answer]",
        "  comedy",
      ].join("\n"),
    );
  });

  test("tells simulations and the personas between them, each with its gradients", () => {
    const simulation = { event: "e7", persona: 0, question: "Which tag?", expected: "comedy", visible: 6 };
    const gradients = [{ event: "e7", text: "Search `better`." }];
    const text = show(
      trace(
        ["simulation", { ...simulation, response: "action" }],
        ["persona", { version: 1, outcome: "updated", gradients, persona: "You know {them}.\nWell." }],
      ),
    );
    expect(text).toContain(
      "--- simulation: event e7, persona 0, question Which tag?, expected comedy, visible 6, response action",
    );
    expect(text).toContain(
      "--- persona P1 (updated)\n[gradient 1, from e7]\n  Search `better`.\n[persona]\n  You know {them}.\n  Well.",
    );
  });

  test("shows the calls that no trajectory tells, among those that one does", () => {
    const turn = call([{ role: "user", content: "Which tag?" }], "comedy", agent.system);
    const feedback = call([{ role: "user", content: "Feedback on: Question: Which tag?" }], "Search better.");
    const text = show(trace(["agent", agent]), [turn, feedback]);
    expect(text).toContain(
      "[user]\n  Feedback on: Question: Which tag?\n[reply, end, 10 + 3 tokens]\n  Search better.",
    );
    expect(text.match(/^\[reply/gm)).toHaveLength(1);
  });

  test("shows every turn of a stored conversation, tool results included", () => {
    const messages: Message[] = [
      { role: "user", content: "Who?" },
      { role: "assistant", content: "Let me look.", toolCalls: [{ id: "1", name: "wikipedia", arguments: {} }] },
      { role: "tool", results: [{ id: "1", name: "wikipedia", content: "Page: X" }] },
    ];
    expect(show(trace(["retrieved", ["e1", "e2"]]), [call(messages, "X", "Be brief.")])).toContain(
      [
        "[retrieved]",
        "  e1, e2",
        "",
        "[system]",
        "  Be brief.",
        "[user]",
        "  Who?",
        "[assistant]",
        "  Let me look.",
        "[tool]",
        "  Page: X",
        "[reply, end, 10 + 3 tokens]",
        "  X",
      ].join("\n"),
    );
  });

  test.each([
    [{ kind: "failed", error: "status 500" } as const, "failed: status 500"],
    [{ kind: "unparsed", reply: "?" } as const, 'gold: comedy | reply: "?" (unparsed; lenient reading: unreadable)'],
  ])("says what became of the question: %o", (outcome, says) => {
    expect(show(trace(), [], { ...row, outcome })).toContain(says);
  });
});
