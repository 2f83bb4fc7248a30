import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { paperTables } from "../../../src/report/papers/index.js";

test.each([
  ["personaagent", "personaagent/T2"],
  ["personaagent-graphrag", "personaagent-graphrag/T1"],
] as const)("what reproduce takes %s to set is what its preset sets", (name, table) => {
  const { preset, settings: stated } = paperTables.get(table);
  const file = new URL(`../../../configs/presets/${name}.yaml`, import.meta.url);
  const { set, perTask } = parse(readFileSync(file, "utf8"));
  expect(preset?.name).toBe(name);
  expect({ ...stated, ...preset?.set }).toEqual(set);
  expect(preset?.perTask).toEqual(perTask);
});
