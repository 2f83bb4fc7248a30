/**
 * Every table and figure of the papers that a command makes, on the built-in data: `npm run paper [-- personaagent rums/T8 ...]`. Run
 * folders and one page with all of them, results/paper/index.html. Embedded model: SIMULATED, a test of the machine and of no paper.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { main } from "../src/commands/main.js";
import { fetchThroughProxy, processIo } from "../src/commands/process-io.js";
import { papers } from "../src/commands/reproduce.js";
import { realTerminal } from "../src/commands/terminal.js";
import { type Paper, type PaperTable, recipeOf } from "../src/report/papers/paper.js";
import { pageOf, type Shown } from "./paper/page.js";
import { RUMS_MODELS, RUMS_TEST, rumsModels } from "./paper/rums-models.js";

const OUT = join("results", "paper");
/** Plans the same run for a real model: its calls and dollars. */
const PLANNED = "openai/gpt-4o-mini";
/** No hub is asked, so that a page is made without network. */
const ENCODER = "--set embedder=embedded/hashed-1";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const asked = process.argv.slice(2);
const isAsked = ({ name }: { readonly name: string }): boolean =>
  asked.length === 0 || asked.some((one) => name === one || name.startsWith(`${one}/`));
const startedMs = performance.now();
const failed: string[] = [];
/** Folders of runs that were made, by the command that makes them; and commands that were given on them. */
const made = new Map<string, string>();
const given = new Map<string, string>();

mkdirSync(OUT, { recursive: true });
const shown: { readonly paper: Paper; readonly tables: Shown[] }[] = [];
for (const paper of papers()) {
  const tables: Shown[] = [];
  for (const table of paper.tables.filter(isAsked)) tables.push(await shownOf(table));
  if (tables.length > 0) shown.push({ paper, tables });
}
writeFileSync(join(OUT, "index.html"), pageOf(shown, PLANNED));
console.log(failed.join("\n"));
console.log(`${join(OUT, "index.html")}: ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
process.exitCode = failed.length === 0 ? 0 : 1;

/** A table with what its commands print. */
async function shownOf(table: PaperTable): Promise<Shown> {
  if (table.valuesOnly !== undefined) {
    const printed = await once(`reproduce ${table.name} --published-only`);
    return { table, recipe: recipeOf(table), printed, charts: [], views: [], report: "", plan: "" };
  }
  const run = await runOf(table.make);
  for (const command of table.after) await once(`${command.replace("RUN", run)}${dataOf(table.make)}`);
  const printed = await once(`reproduce ${table.name} --run ${run}`);
  const { commands } = JSON.parse(
    (await once(`reproduce ${table.name} --run ${run} --format json`)) || '{"commands": []}',
  );
  const views: { command: string; text: string }[] = [];
  for (const command of commands as readonly string[]) {
    const text = await once(command.replace(/^lamp-eval /, ""));
    if (!command.includes(" --figures ")) views.push({ command, text });
  }
  const model = table.make.startsWith("sweep backbones") ? "" : ` --model ${PLANNED}`; // its config names several
  const plan = await once(`${table.make} ${ENCODER}${model} --dry-run --json`);
  const report = relative(OUT, join(run, "report.html"));
  return { table, recipe: recipeOf(table), printed, charts: chartsOf(table, run), views, report, plan };
}

/** The charts of a run that draw the figure, where a command drew them. */
function chartsOf({ chart }: PaperTable, run: string): string[] {
  const folder = join(run, "figures");
  if (chart === undefined || !existsSync(folder)) return [];
  const files = readdirSync(folder).filter((name) => name.startsWith(chart) && name.endsWith(".svg"));
  return files.sort().map((name) => readFileSync(join(folder, name), "utf8"));
}

/** A judge is shown the data again, where they are not the built-in ones. */
function dataOf(make: string): string {
  return make.endsWith(RUMS_MODELS) ? ` --data ${join(OUT, RUMS_TEST)}` : "";
}

/** The folder of the run that this command makes, made on first demand. */
async function runOf(make: string): Promise<string> {
  const known = made.get(make);
  if (known !== undefined) return known;
  const out = join(
    OUT,
    make
      .replace(/^.*configs\/|\.yaml.*$/g, "")
      .replace(/\W+/g, "-")
      .slice(0, 60),
  );
  made.set(make, out);
  rmSync(out, { recursive: true, force: true });
  if (make.endsWith(RUMS_MODELS)) {
    const command = await rumsModels(OUT, ENCODER, once);
    await once(`${command} ${ENCODER} --report --out ${out}`);
  } else await once(`${make} --demo ${ENCODER} --report --out ${out}`);
  return out;
}

/** What a command prints; a second time what it printed before. A command that fails is told at the end. */
async function once(command: string): Promise<string> {
  const before = given.get(command);
  if (before !== undefined) return before;
  const printed: string[] = [];
  const terminal = { ...realTerminal(processIo()), out: (text: string) => void printed.push(text) };
  console.log(`lamp-eval ${command}`);
  const code = await main(command.split(" "), terminal, fetchThroughProxy);
  if (code !== 0) failed.push(`lamp-eval ${command}: exit code ${code}`);
  const text = printed.join("\n");
  given.set(command, text);
  return text;
}
