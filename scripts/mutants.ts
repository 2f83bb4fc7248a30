/**
 * Plants known bugs one by one and asks whether a test notices: `npm run mutants [-- NAME...]`. Each must die. Works in a copy
 * of the tree, never in the tree itself. Fails loudly where a text to change no longer stands in the source, so that a plant
 * follows the code when it is moved or reworded.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { placeOf, sourcesUnder } from "./mutants/place.js";
import type { Plant } from "./mutants/plant.js";
import { plants } from "./mutants/plants.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const notCopied = new Set([".git", "node_modules", "results", "dist"]);
const names = process.argv.slice(2);
const unknown = names.filter((name) => !plants.some((plant) => plant.name === name));
if (unknown.length > 0) {
  console.error(`no such plant: ${unknown.join(", ")}; plants: ${plants.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}
const chosen = plants.filter(({ name }) => names.length === 0 || names.includes(name));

const copy = mkdtempSync(join(tmpdir(), "lamp-eval-mutants-"));
try {
  for (const name of readdirSync(root))
    if (!notCopied.has(name)) cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const sources = sourcesUnder(join(copy, "src"));
  const planned = chosen.map((plant) => ({ plant, places: plant.edits.map((edit) => placeOf(edit, plant, sources)) }));

  const tests = [...new Set(chosen.flatMap((plant) => plant.tests))];
  const clean = runTests(tests);
  if (clean.failed > 0 || clean.code !== 0 || clean.passed === 0)
    throw new Error(
      `without a bug the tests must pass: ${clean.failed} failed, ${clean.passed} passed, exit code ${clean.code} ${clean.names}`,
    );

  let survivors = 0;
  for (const { plant, places } of planned) {
    const result = withPlant(plant, places, () => runTests(plant.tests));
    const dies = result.failed > 0;
    if (!dies) survivors += 1;
    console.log(`${dies ? "dies    " : "SURVIVES"}  ${plant.name}: ${plant.harm}`);
  }
  console.log(`${chosen.length - survivors} of ${chosen.length} die`);
  process.exitCode = survivors === 0 ? 0 : 1;
} finally {
  rmSync(copy, { recursive: true, force: true });
}

/** Runs a job with the bug in the copy, and takes it out again. */
function withPlant<T>({ edits }: Plant, places: readonly string[], job: () => T): T {
  const before = new Map(places.map((place) => [place, readFileSync(place, "utf8")]));
  try {
    for (const [index, { find, replace }] of edits.entries()) {
      const place = places[index]!; // one for each edit
      writeFileSync(
        place,
        readFileSync(place, "utf8").replace(find, () => replace),
      );
    }
    return job();
  } finally {
    for (const [place, text] of before) writeFileSync(place, text);
  }
}

/** What is read of the JSON report of the tests. */
type Report = {
  numFailedTests: number;
  numPassedTests: number;
  testResults: { assertionResults: { status: string; fullName: string }[] }[];
};

/** A file that cannot even be loaded counts as no failed test: such a plant would prove nothing. */
function runTests(tests: readonly string[]): { failed: number; passed: number; code: number | null; names: string } {
  const report = join(copy, "report.json");
  rmSync(report, { force: true });
  const args = [
    join(root, "node_modules/vitest/vitest.mjs"),
    "run",
    "--bail=1",
    "--testTimeout=60000", // a slow test on a busy machine must not count as one that fails
    "--reporter=json",
    `--outputFile=${report}`,
  ];
  const { status } = spawnSync(process.execPath, [...args, ...tests], { cwd: copy, stdio: "ignore", timeout: 600_000 });
  const {
    numFailedTests: failed,
    numPassedTests: passed,
    testResults,
  } = JSON.parse(readFileSync(report, "utf8")) as Report;
  const names = testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter((test) => test.status === "failed").map(({ fullName }) => fullName),
  );
  return { failed, passed, code: status, names: names.join("; ") };
}
