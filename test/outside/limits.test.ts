import { describe, expect, it } from "vitest";
import { learning } from "../../scripts/bench/limits/code.js";
import { play } from "../../scripts/bench/limits/play.js";
import { boundOf, rows } from "../../scripts/bench/limits/rows.js";

describe("calls behind limits, on a virtual clock", () => {
  it.each(rows)("$name: none is lost, few are refused, little time is wasted", async (row) => {
    const { seconds, sent, refused, failed } = await play(learning(), row.rules, row.calls, row.processes);
    expect(failed).toBe(0);
    expect(refused / sent).toBeLessThanOrEqual(row.refused);
    if (row.within !== undefined) expect(seconds / boundOf(row)).toBeLessThanOrEqual(row.within);
  });
});
