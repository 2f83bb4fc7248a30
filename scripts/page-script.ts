/**
 * Writes src/report/page/script.js.ts, which git ignores: the script of the HTML report as a text that the package carries,
 * bundled from src/report/page/browser/. `npm run build` calls it before it compiles.
 */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const page = fileURLToPath(new URL("../src/report/page/", import.meta.url));

const { outputFiles } = await build({
  entryPoints: [`${page}browser/main.ts`],
  bundle: true,
  format: "iife",
  target: "es2022",
  minifyWhitespace: true,
  legalComments: "none",
  write: false,
});
writeFileSync(
  `${page}script.js.ts`,
  `/** Made by scripts/page-script.ts from src/report/page/browser/. */\nexport const pageScript = ${JSON.stringify(outputFiles[0]?.text)};\n`,
);
