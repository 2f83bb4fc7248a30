import { describe, expect, it } from "vitest";
import { playMoney } from "../../scripts/faults/money/play.js";
import { tempDir } from "../helpers/temp-dir.js";

/** The short form of `npm run faults -- money`. */
const SCHEDULES = 4;

describe("billable tries = counted = capped", () => {
  it("over random faults, caps, kills and resumes, against a server that counts", async () => {
    const plays = [];
    for (let n = 1; n <= SCHEDULES; n++) plays.push(await playMoney(`suite/${n}`, tempDir()));
    expect(plays.flatMap(({ offences }) => offences)).toEqual([]);
    expect(plays.some(({ capped }) => capped)).toBe(true);
    expect(plays.some(({ kills }) => kills > 0)).toBe(true);
    expect(plays.every(({ billed }) => billed > 0)).toBe(true);
  });
});
