/**
 * Every table and figure of the papers on the demo profile: `npm run paper [-- CONFIG...]`. One run folder per config under
 * results/paper, with all its reports. Embedded model: SIMULATED, a test of the machine and of no paper.
 */
import { readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { commandLine } from "../src/command-line.js";
import { stepsAfter } from "./paper/steps.js";

const root = fileURLToPath(new URL("..", import.meta.url));
process.chdir(root);
const shipped = readdirSync(join(root, "configs"))
  .filter((name) => name.endsWith(".yaml"))
  .map((name) => join(root, "configs", name));
const chosen = process.argv.length > 2 ? process.argv.slice(2) : shipped;
const startedMs = performance.now();
const lines: string[] = [];

for (const config of chosen) {
  const out = join("results", "paper", basename(config, ".yaml"));
  const before = performance.now();
  rmSync(out, { recursive: true, force: true }); // made anew: seconds, and no plan of an older version in the way
  const code = await commandLine(["run", "--demo", "--report", "--config", config, "--out", out]);
  const steps = code === 0 ? stepsAfter(basename(config, ".yaml")) : [];
  for (const step of steps) {
    const of = await commandLine(step.split(" ").map((word) => (word === "RUN" ? out : word)));
    if (of === 0) continue;
    process.exitCode = 1;
    lines.push(`${step}: exit code ${of}`);
  }
  lines.push(`${basename(config)}: ${((performance.now() - before) / 1000).toFixed(1)} s, ${out}`);
  if (code === 0) continue;
  process.exitCode = 1;
  lines.push(`${basename(config)}: exit code ${code}`);
}
console.log(`\n${lines.join("\n")}\ntotal: ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
