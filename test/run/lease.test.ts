import { spawn } from "node:child_process";
import fs, { existsSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { UsageError } from "../../src/errors.js";
import { lockFolder, type Machine, otherOut, STALE_MS, thisMachine } from "../../src/run/lease.js";
import { tempDir } from "../helpers/temp-dir.js";

test("a sign of life that finds too many files open is left out, and the next one is given", () => {
  const folder = tempDir();
  const a = machine("a", 1);
  const release = lockFolder(folder, { machine: a.own });
  const { openSync } = fs;
  fs.openSync = () => {
    throw Object.assign(new Error("too many open files"), { code: "EMFILE", syscall: "open" });
  };
  syncBuiltinESMExports();
  expect(() => a.beat()).not.toThrow();
  fs.openSync = openSync;
  syncBuiltinESMExports();
  expect(() => a.beat()).not.toThrow();
  release();
});

/** Two containers on one kernel, or two hosts: what one sees of processes says nothing of the other's. */
function machine(space: string, pid: number, alive: ReadonlyMap<number, string> = new Map([[pid, "1"]])) {
  const beats: (() => void)[] = [];
  const own: Machine = {
    space,
    host: `host-${space}`,
    pid,
    startOf: (other) => alive.get(other),
    isAlive: (other) => alive.has(other),
    writtenMs: (path) => (path.endsWith("lock") ? written.lock : written.now),
    every(_ms, work) {
      beats.push(work);
      return () => beats.splice(0);
    },
  };
  const written = { lock: 0, now: 0 };
  return { own, written, beat: () => beats.map((work) => work()) };
}

test("two containers on one folder never both run, though each has process 1", () => {
  const folder = tempDir();
  const [a, b] = [machine("a", 1), machine("b", 1)];
  const release = lockFolder(folder, { machine: a.own });
  b.written.now = STALE_MS;
  expect(() => lockFolder(folder, { machine: b.own, elseDo: otherOut })).toThrow(
    `${folder}: process 1 on host-a is working on this run (last sign of life 120 s ago); wait for it, choose another --out, or, if it is surely gone, remove ${join(folder, "lock")}`,
  );
  release();
  lockFolder(folder, { machine: b.own })();
});

test("the lease of another place is taken over when it gave no sign of life for long; its owner is told", () => {
  const folder = tempDir();
  const [a, b] = [machine("a", 1), machine("b", 1)];
  const lost: UsageError[] = [];
  const releaseA = lockFolder(folder, { machine: a.own, onLost: (error) => lost.push(error) });
  b.written.now = STALE_MS + 1;
  const releaseB = lockFolder(folder, { machine: b.own });
  a.beat();
  a.beat();
  expect(lost.map(({ message }) => message)).toEqual([
    `${join(folder, "lock")}: the lock was taken away while this run worked; nothing more is written`,
  ]);
  releaseA();
  const lease = readFileSync(join(folder, "lock"), "utf8");
  expect(JSON.parse(lease).host).toBe("host-b"); // a's release leaves it
  releaseB();
});

test("of processes that can be seen the dead give way at once, and so does another one with the same number", () => {
  const folder = tempDir();
  lockFolder(folder, { machine: machine("a", 5).own });
  const gone = machine("a", 6, new Map([[6, "2"]]));
  lockFolder(folder, { machine: gone.own });
  const reused = machine(
    "a",
    7,
    new Map([
      [6, "99"],
      [7, "3"],
    ]),
  );
  lockFolder(folder, { machine: reused.own });
  const stopped = machine(
    "a",
    8,
    new Map([
      [7, "3"],
      [8, "4"],
    ]),
  );
  stopped.written.now = STALE_MS * 100; // asleep, not gone
  expect(() => lockFolder(folder, { machine: stopped.own })).toThrow(/process 7 on host-a is working on this run/);
});

test("a sign of life is a change of the file's time, and of nothing else", () => {
  const folder = tempDir();
  const a = machine("a", 1);
  const release = lockFolder(folder, { machine: a.own });
  const path = join(folder, "lock");
  const before = readFileSync(path, "utf8");
  a.beat();
  expect(readFileSync(path, "utf8")).toBe(before);
  release();
});

test("this process's own lease keeps a second run of it out; one without a readable owner is waited for", () => {
  const folder = tempDir();
  const release = lockFolder(folder);
  expect(() => lockFolder(folder)).toThrow(`process ${process.pid} on `);
  release();
  writeFileSync(join(folder, "lock"), "");
  expect(() => lockFolder(folder)).toThrow("another process is working on this run");
  utimesSync(join(folder, "lock"), 0, 0);
  lockFolder(folder)();
});

test.skipIf(!existsSync("/proc/self/stat"))(
  "a killed process gives way at once, also where nobody asks for its exit code, as in a container without an init",
  async () => {
    const parent = spawn("sh", ["-c", "sleep 60 & echo $!; exec sleep 60"]); // the second never looks after the first
    try {
      const pid = Number(await new Promise<Buffer>((resolve) => parent.stdout.once("data", resolve)));
      await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, "utf8"), { timeout: 20_000 }).toMatch(/^sleep/);
      process.kill(pid, "SIGKILL");
      await expect.poll(() => readFileSync(`/proc/${pid}/stat`, "utf8"), { timeout: 20_000 }).toMatch(/\) Z /);
      expect(thisMachine().isAlive(pid)).toBe(false);
      expect(thisMachine().isAlive(process.pid)).toBe(true);
    } finally {
      parent.kill();
    }
  },
);
