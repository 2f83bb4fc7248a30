import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { renderReadme } from "../../scripts/readme/render.js";

test("README.md shows what the commands in it print (npm run readme writes it)", async () => {
  const text = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  expect(await renderReadme(text)).toBe(text);
});
