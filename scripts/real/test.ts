/**
 * Runs the tests in test/real against llama.cpp's server and a small real model, which pip fetches into a cache outside the tree.
 * npm run test:real [-- FILTER...]
 */
import { spawnSync } from "node:child_process";
import { missingTools, modelFile } from "./models.js";

const args = process.argv.slice(2);
const missing = missingTools();
if (missing !== undefined) {
  console.log(`skipped: ${missing}; the tests against a real server need it`);
  process.exit(0);
}
modelFile("smollm2-135m");
const { status } = spawnSync("npx", ["vitest", "run", "--config", "test/real/vitest.config.ts", ...args], {
  stdio: "inherit",
});
process.exit(status ?? 1);
