/**
 * Every table and figure of the papers that a command makes, on the built-in data: `npm run paper [-- personaagent rums/T8 ...]`. Run
 * folders and one page with all of them, results/paper/index.html. Embedded model: SIMULATED, a test of the machine and of no paper.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { main } from "../src/commands/main.js";
import { papers } from "../src/commands/reproduce.js";
import { fetchThroughProxy, processIo, realTerminal } from "../src/commands/terminal.js";
import { type Paper, type PaperTable, recipeOf } from "../src/report/papers/paper.js";
import { RUMS_MODELS, RUMS_TEST, rumsModels } from "./paper/rums-models.js";

const OUT = join("results", "paper");
/** No hub is asked, so that a page is made without network. */
const ENCODER = "--set embedder=embedded/hashed-1";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const asked = process.argv.slice(2);
const isAsked = ({ name }: { readonly name: string }): boolean =>
  asked.length === 0 || asked.some((one) => name === one || name.startsWith(`${one}/`));
const failed: string[] = [];
/** What commands printed; and folders of runs by the command that made them. */
const printed = new Map<string, string>();
const made = new Map<string, string>();

if (asked.length === 0) rmSync(OUT, { recursive: true, force: true });
const sections: string[] = [];
for (const paper of papers()) {
  const articles: string[] = [];
  for (const table of paper.tables.filter(isAsked)) articles.push(await articleOf(table));
  if (articles.length > 0) sections.push(sectionOf(paper, articles));
}
writeFileSync(join(OUT, "index.html"), pageOf(sections));
console.log([...failed, join(OUT, "index.html")].join("\n"));
process.exitCode = failed.length === 0 ? 0 : 1;

/** A table as its commands print it, with its charts, what shows a figure, and how it is made. */
async function articleOf(table: PaperTable): Promise<string> {
  const { name, title, source, partly, valuesOnly, after, make } = table;
  const run = valuesOnly === undefined ? await runOf(make) : "";
  for (const command of after) await once(`${command.replace("RUN", run)}${dataOf(make)}`);
  const print = valuesOnly === undefined ? `reproduce ${name} --run ${run}` : `reproduce ${name} --published-only`;
  const text = await once(print);
  const views: string[] = [];
  for (const command of text.matchAll(/^ {2}lamp-eval (.*)$/gm)) {
    const view = await once(command[1]!);
    if (!command[1]!.includes(" --figures "))
      views.push(`<details><summary>${escaped(command[1]!)}</summary><pre>${escaped(view)}</pre></details>`);
  }
  const state = partly === undefined ? "made" : `partly made: ${escaped(partly)}`;
  const page = run === "" ? "" : ` · <a href="${relative(OUT, join(run, "report.html"))}">page of the run</a>`;
  const recipe = recipeOf(table).map((line) => `lamp-eval ${escaped(line)}`);
  return [
    `<article id="${name}"><h3>${name}: ${escaped(title)}</h3>`,
    `<p>${escaped(source)} · ${valuesOnly === undefined ? state : escaped(valuesOnly)}${page}</p>`,
    `<pre>${escaped(text)}</pre>`,
    ...chartsOf(table, run).map((svg) => `<figure>${svg}</figure>`),
    ...views,
    `<details><summary>How it is made</summary><pre>${recipe.join("\n")}</pre></details></article>`,
  ].join("\n");
}

function sectionOf({ id, title, absent }: Paper, articles: readonly string[]): string {
  const missing = Object.entries(absent).map(([name, why]) => `<li><b>${id}/${name}</b>: ${escaped(why)}</li>`);
  const heading = `<section id="${id}"><h2>${id}: ${escaped(title)}</h2>`;
  return [heading, ...articles, "<h3>Not made</h3><ul>", ...missing, "</ul></section>"].join("\n");
}

function pageOf(parts: readonly string[]): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>The papers' tables</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:1200px;margin:2rem auto;padding:0 1rem;color:#111;background:#fff}
pre{overflow-x:auto;max-height:28rem;background:#f4f4f4;padding:.75rem;font-size:13px}figure{display:inline-block;background:#fff}</style></head>
<body><h1>The papers' tables and figures</h1>
<p><strong>SIMULATED.</strong> The embedded model answered on built-in data: a test of the machine and of no paper.
Each command was run with <code>--demo ${ENCODER}</code> added.</p>
${parts.join("\n")}
</body></html>
`;
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
  const name = make.replace(/^.*configs\/|\.yaml.*$/g, "").replace(/\W+/g, "-");
  const out = join(OUT, name.slice(0, 60));
  made.set(make, out);
  rmSync(out, { recursive: true, force: true });
  const command = make.endsWith(RUMS_MODELS) ? await rumsModels(OUT, ENCODER, once) : `${make} --demo`;
  await once(`${command} ${ENCODER} --out ${out}`);
  await once(`report ${out} --html`);
  return out;
}

/** What a command prints; a second time what it printed before. A command that fails is told at the end. */
async function once(command: string): Promise<string> {
  const before = printed.get(command);
  if (before !== undefined) return before;
  const lines: string[] = [];
  const terminal = { ...realTerminal(processIo()), out: (text: string) => void lines.push(text) };
  console.log(`lamp-eval ${command}`);
  const words = [...command.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
  const code = await main(words, terminal, fetchThroughProxy);
  if (code !== 0) failed.push(`lamp-eval ${command}: exit code ${code}`);
  printed.set(command, lines.join("\n"));
  return lines.join("\n");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
