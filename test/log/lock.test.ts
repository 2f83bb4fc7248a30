import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
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

const now = { now: () => Date.now() };
const lock = (): string => join(folder, "lock");

test("keeps a second process out of a folder until it is released", () => {
  const release = lockFolder(folder, now);
  expect(() => lockFolder(folder, now)).toThrow(/process \d+ .* is working on this run.*lock/);
  release();
  lockFolder(folder, now)();
});

test("a dead process of this machine gives way at once", () => {
  const release = lockFolder(folder, now);
  const owner = JSON.parse(readFileSync(lock(), "utf8"));
  release();
  writeFileSync(lock(), JSON.stringify({ ...owner, pid: 2 ** 22 + 1 }));
  lockFolder(folder, now)();
});

test("the lock of another machine is taken over when it gave no sign of life for two minutes", () => {
  writeFileSync(lock(), JSON.stringify({ pid: 1, host: "elsewhere" }));
  expect(() => lockFolder(folder, now)).toThrow(/elsewhere/);
  const old = new Date(Date.now() - 121_000);
  utimesSync(lock(), old, old);
  lockFolder(folder, now)();
});

test("whoever loses the lock is told, and does not take the new owner's away", () => {
  vi.useFakeTimers();
  const lost = vi.fn();
  const release = lockFolder(folder, { ...now, onLost: lost });
  writeFileSync(lock(), JSON.stringify({ pid: 1, host: "elsewhere" }));
  vi.advanceTimersByTime(10_000);
  expect(lost).toHaveBeenCalledOnce();
  release();
  expect(readFileSync(lock(), "utf8")).toContain("elsewhere");
});
