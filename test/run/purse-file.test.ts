import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BudgetError, UsageError } from "../../src/errors.js";
import type { Reservation } from "../../src/models/wrap/budgeted.js";
import { seeded } from "../../src/random/seeded.js";
import type { Machine } from "../../src/run/lease.js";
import type { PurseCaps } from "../../src/run/purse/purse-book.js";
import { PurseFile, purseCaps } from "../../src/run/purse/purse-file.js";
import { fakeClock } from "../helpers/fake-clock.js";
import { tempDir } from "../helpers/temp-dir.js";

/** Processes of one machine, some of which have died. */
function machineOf(pid: number, dead: ReadonlySet<number> = new Set()): Machine {
  return {
    space: "here",
    host: "here",
    pid,
    startOf: () => "1",
    isAlive: (asked) => !dead.has(asked),
    writtenMs: () => 0,
    every: () => () => undefined,
  };
}

interface Opened {
  readonly caps?: PurseCaps;
  readonly machine?: Machine;
}

const open = (path: string, { caps = {}, machine = machineOf(1) }: Opened = {}): PurseFile =>
  new PurseFile(path, { shown: "lab.purse", caps, buyer: "run", clock: fakeClock(), machine });

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
          place!.settle(calls, usd);
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

  it("two that saw the same room take one place: whose line stands first has it", () => {
    const path = join(tempDir(), "lab.purse");
    const [a, b] = [open(path, { caps: { maxCalls: 1 } }), open(path, { machine: machineOf(2) })];
    const won = a.take(0);
    expect(isPlace(won)).toBe(true);
    expect(b.take(0)).toBe("later"); // a's try may be refused unbilled
    if (isPlace(won)) won.settle(1, 0);
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

  it("a line that was cut off by a kill spoils no other, and is told of", () => {
    const path = join(tempDir(), "lab.purse");
    open(path, { caps: { maxCalls: 2 } }).close();
    appendFileSync(path, '{"take":"x/1","us');
    const next = open(path);
    const taken = next.take(0);
    if (isPlace(taken)) taken.settle(1, 0.25);
    const third = open(path);
    expect(third.spent).toMatchObject({ calls: 1, usd: 0.25 });
    expect(third.damaged).toBe(1);
  });
});

describe("the file", () => {
  it("is read with changed line ends, and never without the caps that damage took", () => {
    const path = join(tempDir(), "lab.purse");
    const first = open(path, { caps: { maxCalls: 9 } });
    const taken = first.take(0.5);
    if (isPlace(taken)) taken.settle(1, 0.5);
    const whole = readFileSync(path, "utf8");
    for (const end of ["\r\n", "\r"]) {
      writeFileSync(path, whole.replaceAll("\n", end));
      const { caps, spent, damaged } = open(path);
      expect({ caps, spent, damaged }).toMatchObject({
        caps: { maxCalls: 9 },
        spent: { calls: 1, usd: 0.5 },
        damaged: 0,
      });
    }
    writeFileSync(path, whole.replace('"maxCalls":9', '"maxCalls":8'));
    expect(() => open(path)).toThrow(/the line of its caps is damaged: say them again/);
    expect(open(path, { caps: { maxCalls: 3 } }).spent).toMatchObject({ calls: 1 });
  });

  it("counts what a try cost whose first line is damaged", () => {
    const path = join(tempDir(), "lab.purse");
    const taken = open(path, { caps: { maxCalls: 1 } }).take(0.5);
    if (isPlace(taken)) taken.settle(1, 0.25);
    writeFileSync(path, readFileSync(path, "utf8").replace('"usd":0.5', '"usd":0.4'));
    expect(open(path).spent).toEqual({ calls: 1, usd: 0.25, reservedUsd: 0 });
    expect(open(path).take(0)).toBeInstanceOf(BudgetError);
  });

  it("keeps its cap for those who name none, and takes a new one from who does", () => {
    const path = join(tempDir(), "lab.purse");
    open(path, { caps: { maxUsd: 5 } });
    expect(open(path).caps).toEqual({ maxUsd: 5 });
    open(path, { caps: { maxUsd: 7 } });
    expect(purseCaps(path, "lab.purse")).toEqual({ maxUsd: 7 });
    const sums = readFileSync(path, "utf8").trimEnd().split("\n");
    expect(sums.every((line) => typeof JSON.parse(line) === "object")).toBe(true);
  });

  it("is refused without a cap, and where it is something else", () => {
    const path = join(tempDir(), "lab.purse");
    expect(() => open(path)).toThrow(UsageError);
    expect(purseCaps(path, "lab.purse")).toBeUndefined();
    writeFileSync(path, "my notes\n");
    expect(() => open(path, { caps: { maxUsd: 5 } })).toThrow(/lab\.purse is no purse of lamp-eval/);
    expect(readFileSync(path, "utf8")).toBe("my notes\n");
  });
});

describe("a purse whose lines are lost", () => {
  /** Three tries of one process, $0.2 each of at most $0.5; what `spoil` leaves of the file's lines. */
  function spentAfter(spoil: (lines: string[]) => string[]) {
    const path = join(tempDir(), "lab.purse");
    const buyer = open(path, { caps: { maxUsd: 3, maxCalls: 12 } });
    const buy = (): void => {
      const place = buyer.take(0.5);
      if (isPlace(place)) place.settle(1, 0.2);
    };
    for (let n = 0; n < 3; n++) buy();
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    writeFileSync(path, `${spoil(lines).join("\n")}\n`);
    return open(path).spent;
  }
  const broken = (line: string): string => line.replace('"usd"', '"vsd"');
  const spoilLine = (path: string, at: number): void => {
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    writeFileSync(path, `${lines.map((line, n) => (n === at ? line.slice(0, 9) : line)).join("\n")}\n`);
  };

  it("nobody waits for what a run before in this process took, nor for lost lines of a process that is gone", () => {
    const path = join(tempDir(), "lab.purse");
    const before = open(path, { caps: { maxCalls: 1 } });
    const place = before.take(0);
    if (isPlace(place)) place.settle(1, 0);
    before.close();
    spoilLine(path, 3); // the end of its try
    expect(open(path).take(0)).toBeInstanceOf(BudgetError);
    const killed = join(tempDir(), "lab.purse");
    const dead = open(killed, { caps: { maxCalls: 2 } });
    for (let n = 0; n < 2; n++) dead.take(0);
    spoilLine(killed, 2); // its first try, which its second names
    expect(open(killed, { machine: machineOf(2) }).take(0)).toBe("later");
    expect(open(killed, { machine: machineOf(3, new Set([1])) }).take(0)).toBeInstanceOf(BudgetError);
  });

  it("a process whose name is lost is waited for ten minutes, no longer", async () => {
    const path = join(tempDir(), "lab.purse");
    open(path, { caps: { maxCalls: 1 } }).take(0);
    spoilLine(path, 1);
    const clock = fakeClock();
    const waiting = new PurseFile(path, { shown: "lab.purse", caps: {}, buyer: "run", clock, machine: machineOf(2) });
    expect(waiting.take(0)).toBe("later");
    for (let n = 0; n < 3001; n++) await waiting.changed(new AbortController().signal);
    expect(waiting.take(0)).toBeInstanceOf(BudgetError);
    expect(clock.monotonic()).toBeGreaterThan(600_000);
  });

  it("counts a pair of lines that is damaged or gone by what later lines of its process say", () => {
    for (const spoil of [
      (lines: string[]) => lines.map((line, at) => (at === 2 || at === 3 ? broken(line) : line)),
      (lines: string[]) => lines.filter((_, at) => at !== 2 && at !== 3),
      (lines: string[]) => lines.filter((_, at) => at !== 4 && at !== 5),
    ])
      expect(spentAfter(spoil)).toMatchObject({ calls: 3, usd: expect.closeTo(0.6, 9), reservedUsd: 0 });
  });

  it("counts damage that nothing later makes good as tries at the most that one may cost", () => {
    const last = (lines: string[]) => lines.map((line, at) => (at >= 6 ? broken(line) : line));
    const { calls, usd } = spentAfter(last);
    expect([calls, usd]).toEqual([4, expect.closeTo(0.4 + 1, 9)]);
  });
});
