import { expect, test } from "vitest";
import { rateLines } from "../../../src/run/tally.js";

test("where servers refused calls, one line of the run's end says so for each", () => {
  const quiet = { name: "openai/quiet", started: 20, refused: 0 };
  expect(rateLines([quiet, { ...quiet, name: "openai/refusing", refused: 3 }])).toEqual([
    "openai/refusing: 3 of 20 sends were refused for the moment (429, 529) and went again",
  ]);
});
