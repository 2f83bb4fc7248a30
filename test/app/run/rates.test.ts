import { describe, expect, test } from "vitest";
import { rateLines, ratesOf } from "../../../src/app/run/models/call-notices.js";

const quiet = { name: "openai/quiet", limits: {}, started: 20, refused: 0 };
const telling = { ...quiet, name: "openai/telling", limits: { requests: 50, input: 30_000 } };
const seen = [quiet, telling, { ...telling, name: "openai/refusing", refused: 3 }];

describe("what a run learned of its servers' patience", () => {
  test("stands in the manifest where a server told limits or refused", () => {
    const { rates = [] } = ratesOf(seen);
    expect(rates).toEqual(seen.slice(1));
    expect(ratesOf(seen.slice(0, 1))).toEqual({});
  });

  test("is one line of the run's end where the server refused", () => {
    expect(rateLines(seen)).toEqual([
      "openai/refusing: 3 of 20 sends were refused for the moment (429, 529) and went again; it allows 50 requests, 30000 input tokens a minute",
    ]);
  });
});
