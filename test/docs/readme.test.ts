import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { renderedPages, renderPage } from "../../scripts/readme/render.js";

test.each(renderedPages)(
  "%s shows what the commands in it print, and the registries (npm run readme writes it)",
  async (page) => {
    const text = readFileSync(new URL(`../../${page}`, import.meta.url), "utf8");
    expect(await renderPage(text)).toBe(text);
  },
);
