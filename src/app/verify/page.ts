import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { readText } from "../../disk/whole-file.js";
import { type Check, passedOr, unchecked } from "../../report/verify/check.js";
import { oneLine } from "../../text/one-line.js";
import { chartsOfRun } from "../report/chart-material.js";
import { pageMeta, pageOf } from "../report/page.js";
import { factsOf, type LoadedResults, referenceMethod } from "../report/results.js";
import { firstDifference } from "./files.js";
import { isResampled } from "./resampled.js";

/**
 * Every HTML page of the run is the one that the rows give, byte for byte; of a page of another version, only the numbers
 * inside are compared. Empty where there is no page.
 */
export async function checkPages(folder: string, results: LoadedResults, version: string): Promise<Check[]> {
  const { manifest, summaries } = results;
  const pages = readdirSync(folder).filter((file) => file.endsWith(".html"));
  if (pages.length === 0) return [];
  const numbers = plain({
    complete: manifest.finishedAt !== undefined,
    simulated: manifest.simulated,
    tasks: factsOf(manifest),
    results: summaries,
  });
  const problems: string[] = [];
  const foreign: Check[] = [];
  for (const file of pages) {
    const page = readText(join(folder, file));
    const made = metaOf(page, pageMeta.version);
    const wrong = problemsOf(file, page, numbers);
    if (wrong.length > 0) problems.push(...wrong);
    else if (isResampled(page))
      foreign.push(
        unchecked("pages", `${file}: its intervals are resampled, as version 0.1.0 did; its scores agree; ${AGAIN}`),
      );
    else if (made === `lamp-eval ${version}`) problems.push(...(await differencesOf(folder, file, page, results)));
    else if (made === undefined) problems.push(`${file}: names no version that made it; ${AGAIN}`);
    else foreign.push(unchecked("pages", `${file}: made by ${made}, this is ${version}: its numbers agree; ${AGAIN}`));
  }
  if (foreign.length === pages.length) return foreign;
  return [passedOr("pages", problems, `${pages.join(", ")} made again from the rows, byte for byte`), ...foreign];
}

const AGAIN = "write it again with lamp-eval report --html";

const metaOf = (page: string, name: string): string | undefined =>
  new RegExp(`<meta name="${name}" content="([^"]*)">`).exec(page)?.[1];

/** Pictures that were drawn after the page was written are not in it. */
async function differencesOf(folder: string, file: string, page: string, results: LoadedResults): Promise<string[]> {
  const over = metaOf(page, pageMeta.over) ?? referenceMethod;
  const figures = results.figures.filter((path) => page.includes(`id="chart-${basename(path, ".svg")}"`));
  const charts = await chartsOfRun(folder, results, over);
  return firstDifference(file, page, await pageOf(folder, { ...results, figures }, { charts, over }));
}

const EMBEDDED = /<script type="application\/json" id="results">([\s\S]*?)<\/script>/;

function problemsOf(file: string, page: string, fresh: unknown): string[] {
  const text = EMBEDDED.exec(page)?.[1];
  if (text === undefined) return [`${file}: no element "results" in it; write it again with lamp-eval report --html`];
  const line = page.slice(0, page.indexOf(text)).split("\n").length;
  let has: unknown;
  try {
    has = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return [`${file} line ${line}: its results are not JSON (${oneLine(error)})`];
  }
  return differences(has, fresh, "", isResampled(page) ? INTERVALS : TIMES).map(
    (difference) => `${file} line ${line}: ${difference}`,
  );
}

/** As JSON keeps it: what is undefined is absent. */
const plain = (value: object): unknown => JSON.parse(JSON.stringify(value)) as unknown;

/** Measured, so never the same twice. */
const TIMES: ReadonlySet<string> = new Set(["secondsPerQuery", "untimed"]);
/** Of pages of version 0.1.0, whose intervals were resampled. */
const INTERVALS: ReadonlySet<string> = new Set([...TIMES, "interval"]);

function differences(has: unknown, gives: unknown, path: string, leftOut: ReadonlySet<string>): string[] {
  if (isParts(has) && isParts(gives)) {
    const keys = [...new Set([...Object.keys(has), ...Object.keys(gives)])].filter((key) => !leftOut.has(key));
    return keys.flatMap((key) => differences(has[key], gives[key], path === "" ? key : `${path}.${key}`, leftOut));
  }
  return has === gives
    ? []
    : [`${path}: has ${JSON.stringify(has) ?? "none"}, the rows give ${JSON.stringify(gives) ?? "none"}`];
}

const isParts = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;
