import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { lockFolder } from "../../src/log/lock.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lamp-eval-lock-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
  vi.useRealTimers();
});

const lock = (): string => join(folder, "lock");

test("keeps a second process out of a folder until it is released", () => {
  const release = lockFolder(folder);
  expect(() => lockFolder(folder)).toThrow(/process \d+ .* is working on this run.*lock/);
  release();
  lockFolder(folder)();
});

test("a dead process of this machine gives way at once", () => {
  const release = lockFolder(folder);
  const owner = JSON.parse(readFileSync(lock(), "utf8"));
  release();
  writeFileSync(lock(), JSON.stringify({ ...owner, pid: 2 ** 22 + 1 }));
  lockFolder(folder)();
});

test("the lock of another machine is taken over when it gave no sign of life for two minutes", () => {
  writeFileSync(lock(), JSON.stringify({ pid: 1, host: "elsewhere" }));
  expect(() => lockFolder(folder)).toThrow(/elsewhere/);
  const old = new Date(Date.now() - 121_000);
  utimesSync(lock(), old, old);
  lockFolder(folder)();
});

test("whoever loses the lock is told, and does not take the new owner's away", () => {
  vi.useFakeTimers();
  const lost = vi.fn();
  const release = lockFolder(folder, { onLost: lost });
  writeFileSync(lock(), JSON.stringify({ pid: 1, host: "elsewhere" }));
  vi.advanceTimersByTime(10_000);
  expect(lost).toHaveBeenCalledOnce();
  release();
  expect(readFileSync(lock(), "utf8")).toContain("elsewhere");
});

test("ages are by the clock of the file system: this machine's own clock does not count", () => {
  writeFileSync(lock(), JSON.stringify({ pid: 1, host: "elsewhere" }));
  vi.useFakeTimers({ now: Date.now() + 150_000 });
  expect(() => lockFolder(folder)).toThrow(/elsewhere/);
});

test("a sign of life that cannot be written does not end a run; the next one is", () => {
  vi.useFakeTimers();
  const lost = vi.fn();
  const release = lockFolder(folder, { onLost: lost });
  const before = statSync(lock()).mtimeMs;
  chmodSync(lock(), 0o400); // root may write all the same: then it is the file itself that counts
  vi.advanceTimersByTime(10_000);
  chmodSync(lock(), 0o600);
  vi.advanceTimersByTime(10_000);
  expect(statSync(lock()).mtimeMs).toBeGreaterThan(before);
  expect(lost).not.toHaveBeenCalled();
  release();
});

test("while one process takes a dead lock over, another leaves it alone", () => {
  writeFileSync(lock(), JSON.stringify({ pid: 1, host: "elsewhere" }));
  const old = new Date(Date.now() - 121_000);
  utimesSync(lock(), old, old);
  writeFileSync(`${lock()}.takeover`, "");
  expect(() => lockFolder(folder)).toThrow(/taking it over; give the same command again/);
  expect(readFileSync(lock(), "utf8")).toContain("elsewhere");
  utimesSync(`${lock()}.takeover`, old, old);
  expect(() => lockFolder(folder)).toThrow(/taking it over/); // killed in the middle: the next command goes on
  lockFolder(folder)();
});
