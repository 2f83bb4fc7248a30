import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lockFolder, type Machine, removeLeftovers, STALE_MS } from "../../src/run/lease.js";
import { tempDir } from "../helpers/temp-dir.js";

function folderWith(names: readonly string[]): string {
  const folder = tempDir();
  mkdirSync(join(folder, "figures"));
  for (const name of names) writeFileSync(join(folder, name), "x");
  return folder;
}

const namesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name !== "figures");

const of7 = [
  "manifest.json.7.new",
  "rows.jsonl.7.new",
  "lock.0123abcd.7",
  "lock.0123abcd.7.old",
  "figures/a b.svg.7.new",
];
const others = [
  "rows.jsonl",
  "notes.txt.7.new",
  "rows.jsonl.new",
  "rows.jsonl.7.new.txt",
  "lock.zz.7",
  "x.rows.jsonl.7.new",
];

test("what the process whose lease was taken over was writing is removed, nothing else", () => {
  const folder = folderWith([...of7, ...others, "units.jsonl.8.new"]);
  removeLeftovers(folder, { gone: 7, own: 9, isAlive: () => false, ageMs: () => 0 }, STALE_MS);
  expect(namesIn(folder).sort()).toEqual([...others, "units.jsonl.8.new"].sort());
});

test("what another process was writing is removed when it is dead and the file old; what a living one writes is left", () => {
  const folder = folderWith(of7);
  const look = { gone: undefined, own: 9 };
  removeLeftovers(folder, { ...look, isAlive: () => false, ageMs: () => STALE_MS }, STALE_MS);
  removeLeftovers(folder, { ...look, isAlive: () => true, ageMs: () => STALE_MS + 1 }, STALE_MS);
  removeLeftovers(folder, { ...look, isAlive: () => false, ageMs: () => undefined }, STALE_MS);
  removeLeftovers(folder, { gone: 7, own: 7, isAlive: () => false, ageMs: () => STALE_MS + 1 }, STALE_MS);
  expect(namesIn(folder).sort()).toEqual([...of7].sort());
  removeLeftovers(folder, { ...look, isAlive: () => false, ageMs: () => STALE_MS + 1 }, STALE_MS);
  expect(namesIn(folder)).toEqual([]);
});

test("whoever takes the lease of a dead process clears up behind it", () => {
  const folder = folderWith([]);
  const alive = new Set([7]);
  const machine = (pid: number): Machine => ({
    space: "here",
    host: "here",
    pid,
    startOf: () => "1",
    isAlive: (other) => alive.has(other),
    writtenMs: () => 0,
    every: () => () => undefined,
  });
  lockFolder(folder, { machine: machine(7) });
  writeFileSync(join(folder, "rows.jsonl.7.new"), "half");
  alive.delete(7);
  lockFolder(folder, { machine: machine(8) })();
  expect(namesIn(folder)).toEqual([]);
});
