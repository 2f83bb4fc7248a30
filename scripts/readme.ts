import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { renderPrograms } from "./readme/programs.js";
import { renderReadme } from "./readme/render.js";

const docs = new URL("../docs/", import.meta.url);
const read = (url: URL): string => readFileSync(fileURLToPath(url), "utf8");

/** `npm run readme`: writes what the commands in README.md really print into it, and the programs into docs/LIBRARY.md. */
const readme = new URL("../README.md", import.meta.url);
writeFileSync(fileURLToPath(readme), await renderReadme(read(readme)));
const library = new URL("LIBRARY.md", docs);
writeFileSync(
  fileURLToPath(library),
  renderPrograms(read(library), (file) => read(new URL(file, docs))),
);
