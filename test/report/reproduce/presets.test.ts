import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { personaagent } from "../../../src/report/papers/personaagent.js";
import { graphRagPreset, graphRagSettings } from "../../../src/report/papers/personaagent-graphrag.js";

test.each([
  ["personaagent", personaagent.preset, personaagent.settings],
  ["personaagent-graphrag", graphRagPreset, graphRagSettings],
] as const)("what reproduce takes %s to set is what its preset sets", (name, preset, stated) => {
  const file = new URL(`../../../configs/presets/${name}.yaml`, import.meta.url);
  const { set, perTask } = parse(readFileSync(file, "utf8"));
  expect(preset.name).toBe(name);
  expect({ ...stated, ...preset.set }).toEqual(set);
  expect(preset.perTask).toEqual(perTask);
});
