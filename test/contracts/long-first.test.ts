import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { long } from "../helpers/long-first.js";

test("the files that begin first are there", () => {
  const repository = join(import.meta.dirname, "../..");
  expect(long.filter((name) => !existsSync(join(repository, name)))).toEqual([]);
});
