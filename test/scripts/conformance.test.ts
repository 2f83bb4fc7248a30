import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { sections } from "../../scripts/conformance/metrics.js";
import { difference, expectError } from "../../scripts/conformance/section.js";
import { allSections, runFolder } from "../../scripts/conformance.js";
import { sharedDir } from "../helpers/shared.js";

const shared = sharedDir();

function readNothing(): never {
  throw new TypeError("cannot read properties of undefined");
}

it("counts passes and failures, skips unknown sections by name and leaves out facts about the vectors", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "lamp-eval-conformance-"));
  const space = { cp: 32, py_strip: true, py_split: true, re_s: true };
  const content = { meta: {}, labels: {}, whitespace: [space, { ...space, cp: 65 }], haiku: [1] };
  await writeFile(path.join(folder, "own.json"), JSON.stringify(content));
  const lines: string[] = [];
  const tally = await runFolder(folder, sections, (line) => lines.push(line));
  await rm(folder, { recursive: true });
  expect(tally).toEqual({ passed: 1, failed: 1, skipped: ["own.json: haiku"] });
  expect(lines).toEqual([
    "own.json: whitespace: 1 passed, 1 failed",
    "  U+41: /py_strip: got false, expected true",
    "own.json: haiku: skipped, no check of it here",
  ]);
});

it("compares numbers within the tolerance and all else exactly", () => {
  expect(difference({ a: [1, "x"] }, { a: [1 + 1e-13, "x"] }, 1e-12)).toBeUndefined();
  expect(difference({ a: [1] }, { a: [1, 2] }, 1e-12)).toBe("/a/1: got undefined, expected 2");
  expect(difference(Number.NaN, 1, 1e-12)).toBe("value: got NaN, expected 1");
  expect(difference(1, "1")).toBe('value: got 1, expected "1"');
});

it("takes a result where an error is expected, and an accident of the program, as failures", async () => {
  expect(await expectError(() => 1)).toBe("expected an error, got 1");
  expect(await expectError(() => readNothing())).toContain("untyped error");
  expect(await expectError(() => Promise.reject(new Error("no")))).toBeUndefined();
});

it.skipIf(shared === undefined)(
  "agrees with the official scorer's vectors (needs the shared folder beside the checkout)",
  async () => {
    const lines: string[] = [];
    const tally = await runFolder(path.join(shared!, "oracle"), await allSections(), (line) => lines.push(line));
    expect(lines.filter((line) => line.startsWith("  "))).toEqual([]);
    expect(tally).toMatchObject({ failed: 0, skipped: [] });
    expect(tally.passed).toBeGreaterThan(0);
  },
);
