import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { allCells } from "./claims/all-cells.js";
import { isBroken, type Rate } from "./claims/cell.js";
import { runCells } from "./claims/pool.js";
import { claimTable, fullTable, lineOf, type Result, summary } from "./claims/print.js";

/**
 * `npm run bench -- claims [PART ...] [--samples 1000] [--out FILE] [--threads 2] [--docs docs/CLAIMS.md]`: what the tool's sentences
 * promise (docs/STATISTICS.md), simulated: gates of runs that are worse by just the margin (`users`, `ratings`, `labels`, `set`,
 * `shared-noise`), margins of the planner, verdicts of a run with one more right answer (`monotone`), coverage of intervals,
 * comparisons, `reproduce`, `ci` (`--fail-on worse`) and the
 * `table` of claims. `--out` keeps what was found, a line
 * a cell, and goes on where it ended. `--known` runs nothing and prints what it holds. `--docs` puts the figures between the marks of a page. Exit code 1 where a promise is broken by more than three standard errors.
 */
export async function main(args: readonly string[]): Promise<void> {
  const value = (flag: string) => (args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined);
  const samples = Number(value("--samples") ?? 1000);
  const settings = { samples, threads: Number(value("--threads") ?? 2) };
  const out = value("--out");
  const started = performance.now();
  const cells = allCells();
  const parts = [...new Set(cells.map(({ part }) => part))].filter((part) => args.includes(part));
  const wanted = [...cells.keys()].filter((place) => parts.length === 0 || parts.includes(cells[place]!.part));
  const known = out === undefined ? new Map<string, Kept>() : keptIn(out, samples);
  const results = new Map<number, Result>();
  for (const place of wanted) {
    const found = known.get(keyOf(cells[place]!));
    if (found !== undefined) results.set(place, { cell: cells[place]!, rates: found.rates });
  }
  const left = args.includes("--known") ? [] : wanted.filter((place) => !results.has(place));
  console.log(`${wanted.length} cells of ${samples} samples${results.size === 0 ? "" : `, ${results.size} known`}`);
  let [spent, counted] = [[...known.values()].reduce((sum, { cpu = Number.NaN }) => sum + cpu, 0), 0];
  await runCells(left, settings, ({ place, rates, seconds }) => {
    const cell = cells[place]!;
    results.set(place, { cell, rates });
    const cpu = processorSeconds() - counted;
    [spent, counted] = [spent + cpu, counted + cpu];
    if (out !== undefined)
      appendFileSync(
        out,
        `${JSON.stringify({ part: cell.part, name: cell.name, samples, seconds, cpu, rates } satisfies Kept)}\n`,
      );
    console.log(`${results.size}/${wanted.length} ${seconds.toFixed(1)} s  ${lineOf({ cell, rates })}`);
  });
  const all = wanted.flatMap((place) => results.get(place) ?? []);
  const minutes = (performance.now() - started) / 60_000;
  console.log(
    `\n${fullTable(all)}\n\n${claimTable(all)}\n\n${summary(all)}\n\n${minutes.toFixed(1)} minutes; all cells: ${Number.isNaN(spent) ? "unknown" : (spent / 60).toFixed(1)} minutes of processor time`,
  );
  const page = value("--docs");
  const text = [
    `${all.length} of ${wanted.length} cells, ${samples} samples a cell${Number.isNaN(spent) ? "" : `, ${(spent / 60).toFixed(0)} minutes of processor time in all`}.`,
    claimTable(all),
    summary(all),
  ];
  if (page !== undefined) intoPage(page, text.filter((block) => block !== "").join("\n\n"));
  if (all.some(({ rates }) => rates.some(isBroken))) process.exitCode = 1;
}

interface Kept {
  readonly part: string;
  readonly name: string;
  readonly samples: number;
  /** By the clock. */
  readonly seconds: number;
  /** Processor time of the whole process since the cell before it ended: with several threads only the sum over cells says something. Absent in older files. */
  readonly cpu?: number;
  readonly rates: readonly Rate[];
}

function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

const keyOf = ({ part, name }: Pick<Kept, "part" | "name">): string => `${part}: ${name}`;

/** Puts a text between the marks of a page. */
function intoPage(file: string, text: string): void {
  const [before, rest = ""] = readFileSync(file, "utf8").split(FROM);
  const after = rest.split(TO)[1];
  if (after === undefined) throw new RangeError(`${file}: no place between ${FROM} and ${TO}`);
  writeFileSync(file, `${before}${FROM}\n\n${text}\n\n${TO}${after}`);
}

const FROM = "<!-- bench claims: from -->";
const TO = "<!-- bench claims: to -->";

/** What an earlier run of as many samples found. A last line that was cut off counts as not found. */
function keptIn(file: string, samples: number): Map<string, Kept> {
  if (!existsSync(file)) return new Map();
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
  const kept = lines.map((line) => JSON.parse(line) as Kept).filter((one) => one.samples === samples);
  return new Map(kept.map((one) => [keyOf(one), one]));
}
