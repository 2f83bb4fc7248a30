/**
 * Mutation testing: `npm run mutation -- ROOM [FILE...]` plants small bugs into one room of the code, one after the other, and
 * runs the fast tests that reach them. Prints the share that died per file. Exit code 1 where one survives that
 * test/mutation/survivors.yaml does not list, where a listed one dies, or where the room's score is below its least.
 * FILE: only files whose path holds this text. Results are kept in .stryker: a later run asks again only about what changed, so
 * a large room can be run file by file, and then whole for its sum. `npm run mutation -- list` runs nothing: it names what
 * the list says of code that is no longer there.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import Stryker from "@stryker-mutator/core";
import { filesOf, rooms, sourceOfRooms } from "./mutation/rooms.js";
import {
  acceptedSurvivors,
  asSurvivor,
  entries,
  isSame,
  type MutantResult,
  type Survivor,
  staleEntries,
} from "./mutation/survivors.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const listPath = join(root, "test/mutation/survivors.yaml");
const [name = "", ...texts] = process.argv.slice(2);
const room = Object.hasOwn(rooms, name) ? rooms[name] : undefined;

process.chdir(root);
const listed = acceptedSurvivors(listPath);
const listFits = checkList(listed);
if (name === "list") process.exitCode = listFits ? 0 : 1;
else if (room === undefined) {
  console.error(`npm run mutation -- ROOM [FILE...] or list; rooms: ${Object.keys(rooms).join(", ")}`);
  process.exitCode = 2;
} else {
  process.env.MUTATION_TESTS = JSON.stringify(room.tests);
  const mutated = filesOf(room.code).filter((file) => texts.length === 0 || texts.some((text) => file.includes(text)));
  const startedMs = performance.now();
  const sources = new Map(mutated.map((file) => [file, readFileSync(file, "utf8")]));
  const results = await mutants(name, mutated);
  const score = printScores(mutated, results);
  console.log(`${((performance.now() - startedMs) / 1000).toFixed(0)} s`);
  const survivorsAgree = checkSurvivors(sources, results);
  const enough = texts.length > 0 || score >= room.least;
  if (!enough) console.log(`the room's score is below ${room.least} %`);
  if (!listFits || !survivorsAgree || !enough) process.exitCode = 1;
}

/** Plants every mutant of the files and runs the room's tests on each. Literal texts are left alone: wording is no rule. */
async function mutants(room: string, mutated: string[]): Promise<MutantResult[]> {
  const incrementalFile = `.stryker/${room}.json`;
  forgetUnsure(incrementalFile);
  const stryker = new Stryker({
    mutate: mutated,
    testRunner: "vitest",
    vitest: { configFile: "scripts/mutation/vitest.config.ts", related: false },
    coverageAnalysis: "perTest",
    mutator: { excludedMutations: ["StringLiteral"] },
    incremental: true,
    incrementalFile,
    tempDirName: ".stryker/sandbox",
    ignorePatterns: ["/dist", "/results", "/coverage"],
    concurrency: Number(process.env.MUTATION_WORKERS ?? 1),
    timeoutMS: 20_000, // on a busy machine a slow test must not count as a dead mutant
    timeoutFactor: 4,
    reporters: ["progress-append-only"],
    allowEmpty: true,
  });
  const results = await stryker.runMutationTest();
  return results.filter(({ fileName }) => mutated.includes(projectPath(fileName)));
}

/**
 * Drops kept results that must be asked again. Survivors among values that a module makes while it loads: which tests reach
 * those is not known. Listed survivors that ran into the time limit: the machine was busy.
 */
function forgetUnsure(path: string): void {
  if (!existsSync(path)) return;
  const report = JSON.parse(readFileSync(path, "utf8")) as {
    files: Record<string, { source: string; mutants: MutantResult[] }>;
  };
  const isUnsure = (mutant: MutantResult, file: string, source: string): boolean =>
    mutant.status === "Timeout"
      ? listed.some((entry) => isSame(entry, asSurvivor(mutant, file, source)))
      : isAlive(mutant) && mutant.static === true;
  for (const [file, kept] of Object.entries(report.files))
    kept.mutants = kept.mutants.filter((mutant) => !isUnsure(mutant, file, kept.source));
  writeFileSync(path, JSON.stringify(report));
}

/**
 * Prints dead / all per file, and how many of the dead ran into the time limit; returns the score of all files, in percent.
 * A mutant that no test reaches counts as a survivor.
 */
function printScores(mutated: readonly string[], results: readonly MutantResult[]): number {
  const line = (label: string, own: readonly MutantResult[]) => {
    const valid = own.filter((mutant) => isDead(mutant) || isAlive(mutant)).length;
    const dead = own.filter(isDead).length;
    const percent = valid === 0 ? 100 : (100 * dead) / valid;
    const late = own.filter(({ status }) => status === "Timeout").length;
    console.log(
      `${percent.toFixed(1).padStart(6)} %  ${String(dead).padStart(4)} of ${String(valid).padEnd(4)}  ${String(late).padStart(4)}  ${label}`,
    );
    return percent;
  };
  console.log("\n score    dead          late  file");
  for (const file of mutated) {
    const own = results.filter(({ fileName }) => projectPath(fileName) === file);
    if (own.length > 0) line(file, own);
  }
  return line("all", results);
}

/**
 * Compares the survivors with the list; prints what is missing there, in the list's form, and what does not belong there.
 * A file that changed under the run has no survivors that could be named.
 */
function checkSurvivors(sources: ReadonlyMap<string, string>, results: readonly MutantResult[]): boolean {
  const changed = [...sources].filter(([file, source]) => readFileSync(file, "utf8") !== source).map(([file]) => file);
  if (changed.length > 0) {
    console.log(`changed while its mutants ran, run it again: ${changed.join(", ")}`);
    return false;
  }
  const accepted = listed.filter(({ file }) => sources.has(file));
  const alive = results.filter(isAlive).map((mutant) => {
    const file = projectPath(mutant.fileName);
    return asSurvivor(mutant, file, sources.get(file)!); // results are of these files only
  });
  const isNew = alive.filter((mutant) => !accepted.some((entry) => isSame(entry, mutant)));
  const isDeadNow = accepted.filter((entry) => !alive.some((mutant) => isSame(entry, mutant)));
  if (isNew.length > 0) console.log(`\n${isNew.length} survive and are not listed:\n${entries(isNew)}`);
  if (isDeadNow.length > 0) console.log(`\n${isDeadNow.length} are listed and do not survive:\n${entries(isDeadNow)}`);
  return isNew.length === 0 && isDeadNow.length === 0;
}

/** Whether every entry of the list speaks of code that is there, once; prints those that do not. */
function checkList(entries: readonly Survivor[]): boolean {
  const stale = staleEntries(entries, sourceOfRooms());
  for (const { file, line, code, mutant } of stale)
    console.log(`listed twice, or no longer in the code: ${file}: ${line}\n  ${code}  ->  ${mutant}`);
  return stale.length === 0;
}

function isDead({ status }: MutantResult): boolean {
  return status === "Killed" || status === "Timeout" || status === "RuntimeError";
}

function isAlive({ status }: MutantResult): boolean {
  return status === "Survived" || status === "NoCoverage";
}

function projectPath(path: string): string {
  return relative(root, path).replaceAll(sep, "/");
}
