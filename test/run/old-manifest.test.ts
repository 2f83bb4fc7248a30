import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { UsageError } from "../../src/errors.js";
import { readOldManifest } from "../../src/run/manifest/old-manifest.js";
import { tempDir } from "../helpers/temp-dir.js";

const folderWith = (manifest: unknown): string => {
  const folder = tempDir();
  writeFileSync(join(folder, "manifest.json"), typeof manifest === "string" ? manifest : JSON.stringify(manifest));
  return folder;
};
const cell = { id: "a", task: "lamp3", method: "rag" };

test("what an older manifest lacks is filled in and named", () => {
  const data = [{ task: "lamp3", name: "demo" }];
  const { manifest, filled } = readOldManifest(
    folderWith({ simulated: false, plan: { version: "0.0.1", cells: [cell], data } }),
  );
  expect(manifest.plan.cells[0]).toEqual({
    ...cell,
    dataset: "unknown",
    model: "unknown",
    options: {},
    seed: 0,
    repeat: 0,
  });
  expect(manifest.plan.data[0]).toMatchObject({ files: [], facts: {}, units: "", wording: "" });
  expect(filled).toContain("plan.notApplied");
  expect(filled).toContain("plan.cells.0.seed");
  expect(filled).not.toContain("simulated");
  expect(filled).not.toContain("plan.version");
});

test("a run of the embedded model stays SIMULATED where the manifest does not say", () => {
  const cells = [{ ...cell, model: "offline/lexical" }];
  expect(readOldManifest(folderWith({ plan: { cells } })).manifest.simulated).toBe(true);
  expect(readOldManifest(folderWith({ plan: { cells: [cell] } })).manifest.simulated).toBe(false);
});

test.each([
  ["not JSON", "{"],
  ["no object", "[]"],
  ["without cells", {}],
  ["of a later version", { format: 2, plan: { cells: [cell] } }],
  ["with an unreadable cell", { plan: { cells: [{ id: 3 }] } }],
])("%s is refused by the file's name", (_what, manifest) => {
  const folder = folderWith(manifest);
  expect(() => readOldManifest(folder)).toThrow(UsageError);
  expect(() => readOldManifest(folder)).toThrow("manifest.json");
});
