import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Check, passedOr } from "../report/verify.js";
import type { LoadedResults } from "./report.js";

/** The numbers inside every HTML page of the run are those that the rows give. Empty where there is no page. */
export function checkPages(folder: string, { manifest, summaries }: LoadedResults): Check[] {
  const pages = readdirSync(folder).filter((file) => file.endsWith(".html"));
  if (pages.length === 0) return [];
  const fresh = plain({
    complete: manifest.finishedAt !== undefined,
    simulated: manifest.simulated,
    tasks: manifest.tasks,
    results: summaries,
  });
  const problems = pages.flatMap((file) => problemsOf(file, readFileSync(join(folder, file), "utf8"), fresh));
  return [passedOr("pages", problems, `the numbers inside ${pages.join(", ")} are those of the rows`)];
}

// --- internal ---

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
    return [`${file} line ${line}: its results are not JSON (${error.message})`];
  }
  return differences(has, fresh, "").map((difference) => `${file} line ${line}: ${difference}`);
}

/** As JSON keeps it: what is undefined is absent. */
const plain = (value: object): unknown => JSON.parse(JSON.stringify(value)) as unknown;

/** Measured, so never the same twice. */
const TIMES = "secondsPerQuery";

function differences(has: unknown, gives: unknown, path: string): string[] {
  if (isParts(has) && isParts(gives)) {
    const keys = [...new Set([...Object.keys(has), ...Object.keys(gives)])].filter((key) => key !== TIMES);
    return keys.flatMap((key) => differences(has[key], gives[key], path === "" ? key : `${path}.${key}`));
  }
  return has === gives
    ? []
    : [`${path}: has ${JSON.stringify(has) ?? "none"}, the rows give ${JSON.stringify(gives) ?? "none"}`];
}

const isParts = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;
