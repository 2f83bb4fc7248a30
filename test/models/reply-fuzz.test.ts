import { describe, expect, it } from "vitest";
import { fuzzReplies } from "../../scripts/faults/replies/fuzz.js";
import { fuzzLines, lineWires } from "../../scripts/faults/replies/lines.js";
import { wires } from "../../scripts/faults/replies/valid.js";

/** The short form of `npm run faults -- replies`. */
const COUNT = 250;

describe("spoilt replies", () => {
  it.each(wires)("of the %s wire end in a ModelError or make sense", async (wire) => {
    const { replies, accepted, refused, offences } = await fuzzReplies(wire, COUNT, "suite");
    expect(offences).toEqual([]);
    expect(replies).toBe(COUNT);
    expect(accepted).toBeGreaterThan(COUNT / 5);
    expect(refused).toBeGreaterThan(COUNT / 5);
  });

  it.each(lineWires)("in a batch of the %s wire harm no other line", async (wire) => {
    const { replies, accepted, refused, offences } = await fuzzLines(wire, COUNT, "suite");
    expect(offences).toEqual([]);
    expect(replies).toBe(COUNT);
    expect(accepted).toBeGreaterThan(COUNT / 10);
    expect(refused).toBeGreaterThan(COUNT / 5);
  });
});
