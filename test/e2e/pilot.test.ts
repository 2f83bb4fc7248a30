import { expect, test } from "vitest";
import { tempDir } from "../helpers/temp-dir.js";
import { playPilot } from "./pilot-play.js";

test("a pilot of 20 among 41 users foretells the whole run", async () => {
  const { isInside, pilotError, sameCalls } = await playPilot(1, tempDir(), 41);
  expect(isInside).toBe(true);
  expect(pilotError).toBeLessThan(0.25);
  expect(sameCalls).toBe(true); // its replies are the run's own
});
