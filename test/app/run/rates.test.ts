import { describe, expect, test } from "vitest";
import { rateLines } from "../../../src/run/tally.js";

const quiet = { name: "openai/quiet", limits: {}, started: 20, refused: 0 };
const telling = { ...quiet, name: "openai/telling", limits: { requests: 50, input: 30_000 } };
const seen = [quiet, telling, { ...telling, name: "openai/refusing", refused: 3 }];

describe("what a run learned of its servers' patience", () => {
  test("is one line of the run's end where the server refused", () => {
    expect(rateLines(seen)).toEqual([
      "openai/refusing: 3 of 20 sends were refused for the moment (429, 529) and went again; it allows 50 requests, 30000 input tokens a minute",
    ]);
  });
});
