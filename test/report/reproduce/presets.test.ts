import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { paper000, preset001, settings001 } from "../../../src/report/reproduce/papers/paper-000.js";

test.each([
  ["paper-000", paper000.preset, paper000.settings],
  ["paper-001", preset001, settings001],
] as const)("what reproduce takes %s to set is what its preset sets", (name, preset, stated) => {
  const file = new URL(`../../../configs/presets/${name}.yaml`, import.meta.url);
  const { set, perTask } = parse(readFileSync(file, "utf8"));
  expect(preset.name).toBe(name);
  expect({ ...stated, ...preset.set }).toEqual(set);
  expect(preset.perTask).toEqual(perTask);
});
