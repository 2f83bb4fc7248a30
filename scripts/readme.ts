import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { renderReadme } from "./readme/render.js";

/** `npm run readme`: writes what the commands in README.md really print into it. */
const path = fileURLToPath(new URL("../README.md", import.meta.url));
writeFileSync(path, await renderReadme(readFileSync(path, "utf8")));
