import { describe, expect, it } from "vitest";
import { tempDir } from "../helpers/temp-dir.js";
import { type Crash, playBatch } from "./batches/play.js";

const crashes: readonly (readonly [string, Crash])[] = [
  ["before the provider has taken the wave", { at: "arrived", times: 1 }],
  ["when it has taken the wave and nobody has heard its id", { at: "taken", times: 1 }],
  ["while the batch is under way", { at: "look", times: 2 }],
  ["when half the replies are stored", { at: "stored", times: 5 }],
];

describe.each(["anthropic", "openai"] as const)("a run in batches on the %s wire that is killed", (wire) => {
  it.each(crashes)("%s: nothing lost, nothing bought twice, rows as without batches", async (_, crash) => {
    const { offences, kills, waves } = await playBatch({ wire, crashes: [crash] }, `suite/${wire}`, tempDir());
    expect({ offences, kills }).toEqual({ offences: [], kills: 1 });
    expect(waves).toBeLessThanOrEqual(3);
  });
});
