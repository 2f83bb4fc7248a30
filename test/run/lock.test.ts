import { spawn } from "node:child_process";
import fs, { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { UsageError } from "../../src/errors.js";
import { lockFolder, type Machine, otherOut, STALE_MS, thisMachine } from "../../src/run/lock.js";
import { tempDir } from "../helpers/temp-dir.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

const beat = () => vi.advanceTimersByTime(10_000);

/** Two containers on one kernel, or two hosts: what one sees of processes says nothing of the other's. */
const machine = (space: string, pid: number, alive: ReadonlySet<number> = new Set([pid])): Machine => ({
  space,
  host: `host-${space}`,
  pid,
  isAlive: (other) => alive.has(other),
});

/** The lock gave no sign of life for so long. */
function silent(folder: string, ms: number): void {
  const seconds = (Date.now() - ms) / 1000;
  utimesSync(join(folder, "lock"), seconds, seconds);
}

test("a sign of life that finds too many files open is left out, and the next one is given", () => {
  const folder = tempDir();
  const release = lockFolder(folder);
  const { openSync } = fs;
  fs.openSync = () => {
    throw Object.assign(new Error("too many open files"), { code: "EMFILE", syscall: "open" });
  };
  syncBuiltinESMExports();
  expect(beat).not.toThrow();
  fs.openSync = openSync;
  syncBuiltinESMExports();
  silent(folder, STALE_MS);
  beat();
  expect(fs.statSync(join(folder, "lock")).mtimeMs).toBeGreaterThan(Date.now() - STALE_MS);
  release();
  expect(existsSync(join(folder, "lock"))).toBe(false);
});

test("two containers on one folder never both run, though each has process 1", () => {
  const folder = tempDir();
  const [a, b] = [machine("a", 1), machine("b", 1)];
  const release = lockFolder(folder, { machine: a });
  silent(folder, STALE_MS - 20_000);
  expect(() => lockFolder(folder, { machine: b, elseDo: otherOut })).toThrow(
    new RegExp(
      `^${folder}: process 1 on host-a is working on this run \\(last seen 10\\d s ago\\); wait for it, choose another --out, or remove ${join(folder, "lock")} if that process is gone$`,
    ),
  );
  release();
  lockFolder(folder, { machine: b })();
  expect(readdirSync(folder)).toEqual([]);
});

test("the lock of another machine is taken over when it gave no sign of life for long; its owner is told", () => {
  const folder = tempDir();
  const lost: UsageError[] = [];
  const releaseA = lockFolder(folder, { machine: machine("a", 1), onLost: (error) => lost.push(error) });
  silent(folder, STALE_MS + 1000);
  const releaseB = lockFolder(folder, { machine: machine("b", 1) });
  beat();
  beat();
  expect(lost.map(({ message }) => message)).toEqual([
    `${join(folder, "lock")}: the lock was taken away while this run worked; nothing more is written`,
  ]);
  releaseA();
  expect(JSON.parse(readFileSync(join(folder, "lock"), "utf8")).host).toBe("host-b"); // a's release leaves it
  releaseB();
});

test("of processes that can be seen the dead give way at once, and the living never, however silent", () => {
  const folder = tempDir();
  lockFolder(folder, { machine: machine("a", 5) });
  lockFolder(folder, { machine: machine("a", 6) });
  silent(folder, STALE_MS * 100); // asleep, not gone
  expect(() => lockFolder(folder, { machine: machine("a", 7, new Set([6, 7])) })).toThrow(
    /process 6 on host-a is working on this run/,
  );
});

test("this process's own lock keeps a second run of it out; one without a readable owner is waited for", () => {
  const folder = tempDir();
  const release = lockFolder(folder);
  expect(() => lockFolder(folder)).toThrow(`process ${process.pid} on `);
  release();
  writeFileSync(join(folder, "lock"), "");
  expect(() => lockFolder(folder)).toThrow("another process is working on this run");
  silent(folder, STALE_MS + 1000);
  lockFolder(folder)();
});

test("what killed processes were writing is removed by the next one: the dead owner's files and old ones, nothing else", () => {
  const folder = tempDir();
  mkdirSync(join(folder, "figures"));
  lockFolder(folder, { machine: machine("a", 7) });
  const of7 = ["manifest.json.7.new", "rows.jsonl.7.new", "figures/a b.svg.7.new"];
  const others = ["rows.jsonl", "notes.txt.7.new", "rows.jsonl.new", "rows.jsonl.7.new.txt", "units.jsonl.8.new"];
  for (const name of [...of7, ...others, "traces.jsonl.9.new"]) writeFileSync(join(folder, name), "x");
  utimesSync(join(folder, "traces.jsonl.9.new"), 0, 0);
  lockFolder(folder, { machine: machine("a", 8) })();
  const left = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name !== "figures");
  expect(left.sort()).toEqual(others.sort());
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
