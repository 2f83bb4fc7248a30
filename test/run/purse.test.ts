import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BudgetError, UsageError } from "../../src/errors.js";
import type { Reservation } from "../../src/models/wrap/budgeted.js";
import { seeded } from "../../src/random/seeded.js";
import type { Machine } from "../../src/run/lock.js";
import { type PurseCaps, PurseFile, purseCaps } from "../../src/run/purse.js";
import { fakeClock } from "../helpers/fake-clock.js";
import { tempDir } from "../helpers/temp-dir.js";

/** Processes of one machine, some of which have died. */
function machineOf(pid: number, dead: ReadonlySet<number> = new Set()): Machine {
  return { space: "here", host: "here", pid, isAlive: (asked) => !dead.has(asked) };
}

interface Opened {
  readonly caps?: PurseCaps;
  readonly machine?: Machine;
}

const open = (path: string, { caps = {}, machine = machineOf(1) }: Opened = {}): PurseFile =>
  new PurseFile(path, { shown: "lab.purse", caps, clock: fakeClock(), machine });

const isPlace = (taken: ReturnType<PurseFile["take"]>): taken is Reservation =>
  taken !== "later" && !(taken instanceof BudgetError);

describe("a purse of two processes", () => {
  it("is never passed and always used up, however their tries and ends fall together", () => {
    const random = seeded("purse");
    for (let trial = 0; trial < 20; trial++) {
      const path = join(tempDir(), "lab.purse");
      const caps = { maxUsd: 3, maxCalls: 12 };
      const buyers = [open(path, { caps }), open(path, { machine: machineOf(2) })] as const;
      const held: Reservation[] = [];
      let [billed, spent, refused] = [0, 0, 0];
      while (refused < 2 || held.length > 0) {
        const taken = refused < 2 ? buyers[random.below(2)]!.take(0.5) : "later";
        if (taken instanceof BudgetError) refused += 1;
        if (isPlace(taken)) held.push(taken);
        else if (held.length > 0) {
          const [place] = held.splice(random.below(held.length), 1);
          const [calls, usd] = random.below(3) === 0 ? ([0, 0] as const) : ([1, 0.2] as const);
          place!.settle({ calls, usd, uncertainUsd: 0 });
          billed += calls;
          spent += usd;
        }
        expect(billed + held.length).toBeLessThanOrEqual(caps.maxCalls);
        expect(spent + held.length * 0.5).toBeLessThanOrEqual(caps.maxUsd + 1e-9);
      }
      expect(billed).toBe(12);
      for (const buyer of buyers) buyer.close();
    }
  });

  it("two that saw the same room take one reservation", () => {
    const path = join(tempDir(), "lab.purse");
    const [a, b] = [open(path, { caps: { maxCalls: 1 } }), open(path, { machine: machineOf(2) })];
    const won = a.take(0);
    expect(isPlace(won)).toBe(true);
    expect(b.take(0)).toBe("later"); // a's try may be refused unbilled
    if (isPlace(won)) won.settle({ calls: 1, usd: 0, uncertainUsd: 0 });
    expect(b.take(0)).toBeInstanceOf(BudgetError);
  });

  it("what a killed process had in flight stays counted at the most it may cost, and nobody waits for it", () => {
    const path = join(tempDir(), "lab.purse");
    open(path, { caps: { maxUsd: 1 } }).take(0.75);
    expect(open(path, { machine: machineOf(2) }).take(0.5)).toBe("later");
    const later = open(path, { machine: machineOf(3, new Set([1])) });
    expect(later.take(0.5)).toBeInstanceOf(BudgetError);
    expect(isPlace(later.take(0.25))).toBe(true);
  });

  it("nobody waits for what a run before in this process took, and ten minutes for one on another machine", async () => {
    const path = join(tempDir(), "lab.purse");
    const before = open(path, { caps: { maxCalls: 1 } });
    before.take(0);
    before.close();
    expect(open(path).take(0)).toBeInstanceOf(BudgetError);
    const clock = fakeClock();
    const machine = { ...machineOf(2), space: "there" };
    const other = join(tempDir(), "other.purse");
    open(other, { caps: { maxCalls: 1 } }).take(0);
    const waiting = new PurseFile(other, { shown: "lab.purse", caps: {}, clock, machine });
    expect(waiting.take(0)).toBe("later");
    for (let n = 0; n < 3001; n++) await waiting.changed(new AbortController().signal);
    expect(waiting.take(0)).toBeInstanceOf(BudgetError);
  });

  it("counts what was billed apart from what may have been, and both against its cap", () => {
    const purse = open(join(tempDir(), "lab.purse"), { caps: { maxUsd: 1 } });
    for (const end of [
      { usd: 0.1, uncertainUsd: 0 },
      { usd: 0, uncertainUsd: 0.5 },
    ]) {
      const taken = purse.take(0.5);
      if (isPlace(taken)) taken.settle({ calls: 1, ...end });
    }
    expect(purse.spent).toEqual({ calls: 2, usd: 0.1, uncertainUsd: 0.5, reservedUsd: 0 });
    expect(String(purse.take(0.5))).toContain(
      "--purse lab.purse: its --max-usd 1 would be passed ($0.1000 billed, up to $0.5000 where no reply came, next call up to $0.5000)",
    );
  });
});

describe("the file", () => {
  it("keeps its cap for those who name none, and takes a new one from who does", () => {
    const path = join(tempDir(), "lab.purse");
    open(path, { caps: { maxUsd: 5 } });
    expect(open(path).caps).toEqual({ maxUsd: 5 });
    open(path, { caps: { maxUsd: 7 } });
    expect(purseCaps(path, "lab.purse")).toEqual({ maxUsd: 7 });
  });

  it("is refused without a cap, where it is something else, and where it is damaged", () => {
    const path = join(tempDir(), "lab.purse");
    expect(() => open(path)).toThrow(UsageError);
    expect(purseCaps(path, "lab.purse")).toBeUndefined();
    for (const notes of ["my notes\n", ""]) {
      writeFileSync(path, notes);
      expect(() => open(path, { caps: { maxUsd: 5 } })).toThrow(
        "--purse lab.purse: this is no purse, or it is damaged",
      );
      expect(readFileSync(path, "utf8")).toBe(notes);
    }
    const spoilt = join(tempDir(), "spoilt.purse");
    const taken = open(spoilt, { caps: { maxUsd: 5 } }).take(0.5);
    if (isPlace(taken)) taken.settle({ calls: 1, usd: 0.5, uncertainUsd: 0 });
    writeFileSync(spoilt, readFileSync(spoilt, "utf8").replace('"usd": 0.5', '"usd": 0.1'));
    expect(() => open(spoilt)).toThrow(/so what was spent is not known; name a new file/);
  });

  it("counts a reservation whose process is killed while it holds the lock once at most, and goes on", () => {
    const path = join(tempDir(), "lab.purse");
    open(path, { caps: { maxCalls: 2 } });
    writeFileSync(`${path}.lock`, JSON.stringify({ space: "here", host: "here", pid: 1 }));
    writeFileSync(`${path}.new`, "half");
    const next = open(path, { machine: machineOf(2, new Set([1])) });
    expect(isPlace(next.take(0))).toBe(true);
    expect(isPlace(next.take(0))).toBe(true);
    expect(next.take(0)).toBe("later");
  });

  it("a batch's reservation is taken up by the next process", () => {
    const path = join(tempDir(), "lab.purse");
    const before = open(path, { caps: { maxCalls: 1 } });
    const taken = before.take(0);
    before.close();
    const next = open(path, { machine: machineOf(2) });
    expect(next.take(0)).toBeInstanceOf(BudgetError);
    next.held(isPlace(taken) ? taken.id : "")?.settle({ calls: 0, usd: 0, uncertainUsd: 0 });
    expect(isPlace(next.take(0))).toBe(true);
  });
});
