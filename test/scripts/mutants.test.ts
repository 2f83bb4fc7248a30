import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { placeOf, sourcesUnder } from "../../scripts/mutants/place.js";
import { plants } from "../../scripts/mutants/plants.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const sources = sourcesUnder(join(root, "src"));

test.each(plants)("the bug $name can still be planted, and its tests are there", (plant) => {
  for (const edit of plant.edits) expect(placeOf(edit, plant, sources)).toMatch(/\.ts$/);
  expect(plant.tests.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test("a bug whose place is gone, or stands twice, is refused by name", () => {
  const two = new Map([
    ["a.ts", "x = 1; y = 1;"],
    ["b.ts", "z = 1;"],
  ]);
  const find = (text: string) => () => placeOf({ find: text, replace: "" }, { name: "planted" }, two);
  expect(find("x = 1")()).toBe("a.ts");
  expect(find("= 1")).toThrow("planted: its text stands 3 times in src, not once");
  expect(find("w = 1")).toThrow("planted: its text stands 0 times");
});
