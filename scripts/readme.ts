import { readFileSync, writeFileSync } from "node:fs";
import { renderedPages, renderPage } from "./readme/render.js";

/** `npm run readme`: writes the generated parts of the README and of other pages: what commands print, prices. */
for (const page of renderedPages) {
  const file = new URL(`../${page}`, import.meta.url);
  writeFileSync(file, await renderPage(readFileSync(file, "utf8")));
}
