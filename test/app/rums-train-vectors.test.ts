import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openTrainVectors } from "../../src/app/rums/train.js";
import { lockFolder } from "../../src/run/lock.js";
import { FileVectors } from "../../src/run/replies.js";
import { runFiles } from "../../src/run/run-files.js";
import { tempDir } from "../helpers/temp-dir.js";

const silent = { tell: () => undefined };
const vector = Float32Array.of(0.5, -0.25);
const PAID = "a".repeat(64);
const other = Float32Array.of(1, 0);

test("vectors that the run has kept are not computed again; what is computed stands before them", () => {
  const run = tempDir();
  const stored = new FileVectors(join(run, runFiles.vectors));
  stored.put("kept", vector);
  stored.close();
  const vectors = openTrainVectors(run, undefined, silent);
  expect(vectors.get("kept")).toEqual(vector);
  expect(vectors.get("unknown")).toBeUndefined();
  vectors.put("kept", other);
  expect(vectors.get("kept")).toEqual(other);
  vectors.close();
  const without = openTrainVectors(tempDir(), undefined, silent);
  expect(without.get("kept")).toBeUndefined();
});

test("vectors that cost something are kept in their folder, which is free again once it is closed", () => {
  const [run, home] = [tempDir(), join(tempDir(), "home")];
  const first = openTrainVectors(run, home, silent);
  first.put(PAID, vector);
  first.close();
  lockFolder(home, { elseDo: "" })();
  const again = openTrainVectors(run, home, silent);
  expect(again.get(PAID)).toEqual(vector);
  again.close();
});

test("a folder whose vectors cannot be opened is free again", () => {
  const home = join(tempDir(), "home");
  mkdirSync(join(home, runFiles.vectors), { recursive: true });
  expect(() => openTrainVectors(tempDir(), home, silent)).toThrow();
  lockFolder(home, { elseDo: "" })();
});

test("damage among kept vectors is told", () => {
  const home = join(tempDir(), "home");
  mkdirSync(home);
  writeFileSync(join(home, runFiles.vectors), '{"key":"a","vec\n');
  const told: string[] = [];
  openTrainVectors(tempDir(), home, { tell: (line) => void told.push(line) }).close();
  expect(told).toHaveLength(1);
});
