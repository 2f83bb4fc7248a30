/**
 * Every table and figure of the papers on the demo profile: `npm run paper [-- CONFIG...]`. One run folder per config under
 * results/paper, with all its reports. Embedded model: SIMULATED, a test of the machine and of no paper.
 */
import { readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { main } from "../src/cli/main.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const shipped = readdirSync(join(root, "configs"))
  .filter((name) => name.endsWith(".yaml"))
  .map((name) => join(root, "configs", name));
const chosen = process.argv.length > 2 ? process.argv.slice(2) : shipped;
/** Tables whose scores are a judge's, by the beginning of the config's name, and how that is asked. */
const JUDGED: readonly (readonly [start: string, ...command: string[]])[] = [
  ["004-"],
  ["002-", "--judge", "profile-pair", "--against", "select=none"],
];
/** What people say of the own sample, for H1, H1', H2 and H3 of papers/002. */
const LABELS = join(root, "datasets/demo/profile-questions/people.json");
const startedMs = performance.now();
const lines: string[] = [];

for (const config of chosen) {
  const out = join("results", "paper", basename(config, ".yaml"));
  const before = performance.now();
  rmSync(out, { recursive: true, force: true }); // made anew: seconds, and no plan of an older version in the way
  const code = await main(["run", "--demo", "--report", "--config", config, "--out", out]);
  const judged = JUDGED.find(([start]) => basename(config).startsWith(start));
  if (code === 0 && judged !== undefined) {
    await main(["judge", out, ...judged.slice(1)]);
    if (judged[0] === "002-") await main(["rums", "eval", out, "--labels", LABELS]);
    else await main(["report", out, "--figures"]);
  }
  lines.push(`${basename(config)}: ${((performance.now() - before) / 1000).toFixed(1)} s, ${out}`);
  if (code === 0) continue;
  process.exitCode = 1;
  lines.push(`${basename(config)}: exit code ${code}`);
}
console.log(`\n${lines.join("\n")}\ntotal: ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
