/**
 * Runs vector files through the library's public functions: `npm run conformance -- DIR`.
 * Every *.json of DIR is taken; a section is found by its key. Exit 1 on a failure or where nothing was run, 2 on bad usage.
 */
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Section, Sections } from "./conformance/section.js";

/** Keys of vector files that hold facts about the vectors. */
const NOT_VECTORS = new Set(["meta", "labels"]);
/** Failures printed per section; the rest is only counted. */
const SHOWN_FAILURES = 10;

export interface Tally {
  passed: number;
  failed: number;
  /** Sections that no module implements, as `file: key`. */
  readonly skipped: string[];
}

/** Runs all vector files of a folder and prints one line per section. */
export async function runFolder(folder: string, known: Sections, print: (line: string) => void): Promise<Tally> {
  const tally: Tally = { passed: 0, failed: 0, skipped: [] };
  for (const file of (await readdir(folder)).filter((name) => name.endsWith(".json")).sort()) {
    const content: unknown = JSON.parse(await readFile(path.join(folder, file), "utf8"));
    if (typeof content !== "object" || content === null) continue;
    for (const [key, vectors] of Object.entries(content).filter(([name]) => !NOT_VECTORS.has(name)))
      await runSection(`${file}: ${key}`, known[key], vectors, tally, print);
  }
  return tally;
}

/** All sections there are, from every module beside this runner. */
export async function allSections(): Promise<Sections> {
  const modules = await Promise.all([
    import("./conformance/metrics.js"),
    import("./conformance/retrieval.js"),
    import("./conformance/prompts.js"),
  ]);
  return Object.assign({}, ...modules.map(({ sections }) => sections)) as Sections;
}

async function runSection(
  name: string,
  section: Section | undefined,
  vectors: unknown,
  tally: Tally,
  print: (line: string) => void,
): Promise<void> {
  if (section === undefined) {
    tally.skipped.push(name);
    print(`${name}: skipped, no check of it here`);
    return;
  }
  const failures: string[] = [];
  let passed = 0;
  for await (const { name: vector, failure } of section(vectors)) {
    if (failure === undefined) passed++;
    else failures.push(`  ${vector}: ${failure}`);
  }
  print(`${name}: ${passed} passed, ${failures.length} failed`);
  for (const line of failures.slice(0, SHOWN_FAILURES)) print(line);
  if (failures.length > SHOWN_FAILURES) print(`  ... and ${failures.length - SHOWN_FAILURES} more`);
  tally.passed += passed;
  tally.failed += failures.length;
}

async function main(folder: string | undefined): Promise<number> {
  if (folder === undefined) {
    process.stderr.write("usage: npm run conformance -- DIR (a folder with metrics.json, prompts.json)\n");
    return 2;
  }
  const print = (line: string) => process.stdout.write(`${line}\n`);
  const { passed, failed, skipped } = await runFolder(folder, await allSections(), print);
  print(`total: ${passed} passed, ${failed} failed, ${skipped.length} sections skipped`);
  return failed > 0 || passed === 0 ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) process.exitCode = await main(process.argv[2]);
