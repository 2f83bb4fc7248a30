import { describe, expect, test } from "vitest";
import {
  type Candidate,
  firstChange,
  nearestRequest,
  renderReplay,
  requestDiff,
  type StaleRequest,
} from "../../../src/report/replay.js";
import type { ModelRequest } from "../../../src/types/index.js";

const request = (content: string, more: Partial<ModelRequest> = {}): ModelRequest => ({
  messages: [{ role: "user", content }],
  maxTokens: 64,
  sample: 0,
  ...more,
});
const candidate = (id: string, content: string): Candidate => ({ id, request: request(content) });

describe("the nearest recorded request", () => {
  test("shares the most words, the first of equals", () => {
    const all = [
      candidate("a", "a chair"),
      candidate("b", "rate the red lamp now"),
      candidate("c", "rate the red lamp now"),
    ];
    expect(nearestRequest(request("rate the red lamp"), all)?.id).toBe("b");
  });

  test("is none where nothing is recorded", () => expect(nearestRequest(request("x"), [])).toBeUndefined());
});

describe("the diff of two requests", () => {
  test("breaks prompts behind sentences and shows parameters", () => {
    const diff = requestDiff(
      request("One stays. Two goes. Three stays."),
      request("One stays. Two came. Three stays.", { maxTokens: 128 }),
    );
    expect(diff.split("\n")).toEqual([
      "- maxTokens: 64",
      "+ maxTokens: 128",
      "  sample: 0",
      "  ...",
      "  One stays.",
      "- Two goes.",
      "+ Two came.",
      "  Three stays.",
    ]);
    expect(firstChange(diff)).toBe("- maxTokens: 64 / + maxTokens: 128");
  });

  test("is bounded, and says how much is left out", () => {
    const many = Array.from({ length: 300 }, (_, i) => `Line ${i}.`).join("\n");
    const diff = requestDiff(request("Nothing."), request(many), 10).split("\n");
    expect(diff).toHaveLength(11);
    expect(diff.at(-1)).toMatch(/^ {2}\.\.\. \d+ more lines$/);
  });
});

describe("replay.md", () => {
  const stale = (i: number): StaleRequest => ({
    id: `id${i}`,
    phase: "answer",
    place: { task: "lamp3", method: "rag", unit: "u", question: `q${i}` },
    diff: "- a\n+ ```b",
  });
  const report = { cassette: "c".repeat(64), simulated: true, rows: 3, stale: 30, changed: [] };

  test("prints a bounded number of diffs, whose fences do not break it", () => {
    const text = renderReplay({ ...report, requests: Array.from({ length: 30 }, (_, i) => stale(i)) });
    expect(text.match(/^```/gm)).toHaveLength(40);
    expect(text).toContain("10 more, in replay.json");
    expect(text).toContain("SIMULATED");
    expect(text).toContain("### answer id0: lamp3 rag, unit u, question q0");
    expect(text).toContain("nothing like it is recorded");
  });

  test("says of a clean replay that all was answered", () => {
    expect(renderReplay({ ...report, simulated: false, stale: 0, requests: [] })).toMatch(
      /Every request was answered from the cassette/,
    );
  });
});
