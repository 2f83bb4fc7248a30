import { describe, expect, test } from "vitest";
import { rateLines } from "../../../src/run/tally.js";

const quiet = { limits: {}, slots: 64, started: 20, refused: 0, cuts: 0 };
const telling = { ...quiet, limits: { requests: 50, input: 30_000 } };
const refusing = { ...telling, slots: 5, refused: 3, cuts: 1 };
const seen = [
  { name: "openai/quiet", servers: [quiet] },
  { name: "openai/telling", servers: [telling] },
  { name: "openai/refusing", servers: [refusing] },
];

describe("what a run learned of its servers' patience", () => {
  test("is one line of the run's end where the server refused", () => {
    expect(rateLines(seen)).toEqual([
      "openai/refusing: 3 of 20 sends were refused for the moment (429, 529) and went again; it allows 50 requests, 30000 input tokens a minute",
    ]);
  });
});
