import type { Paper, PaperTable } from "../../src/report/papers/paper.js";

/** A table or figure as its commands print it. */
export interface Shown {
  readonly table: PaperTable;
  readonly recipe: readonly string[];
  readonly printed: string;
  /** SVGs of the charts that draw a figure. */
  readonly charts: readonly string[];
  /** What a figure shows: commands and their outputs. */
  readonly views: readonly { readonly command: string; readonly text: string }[];
  /** The page of its run. */
  readonly report: string;
  /** The plan of the same run on a real model, as JSON. */
  readonly plan: string;
}

/** One page: which paper, what it shows, SIMULATED, how it is made, what it needs to be real; then what no command makes, and why. */
export function pageOf(
  shown: readonly { readonly paper: Paper; readonly tables: readonly Shown[] }[],
  planned: string,
): string {
  const links = shown.map(({ paper }) => `<a href="#${paper.id}">${paper.id}</a>`).join(" · ");
  const sections = shown.map(({ paper, tables }) =>
    [
      `<section id="${paper.id}"><h2>${paper.id}: ${escaped(paper.title)}</h2>`,
      ...tables.map((one) => article(one, planned)),
      "<h3>Not made</h3><ul>",
      ...Object.entries(paper.absent).map(([name, why]) => `<li><b>${paper.id}/${name}</b>: ${escaped(why)}</li>`),
      "</ul>",
      "</section>",
    ].join("\n"),
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>The papers' tables</title>
<style>${STYLE}</style></head><body>
<h1>The papers' tables and figures</h1>
<p><strong>SIMULATED.</strong> The embedded model answered on built-in data: a test of the machine and of no paper. No published value stands beside these numbers.</p>
<nav>${links}</nav>
${sections.join("\n")}
</body></html>
`;
}

function article({ table, recipe, printed, charts, views, report, plan }: Shown, planned: string): string {
  const { name, title, source, model, partly = table.valuesOnly } = table;
  return [
    `<article id="${name}"><h3>${name}: ${escaped(title)}</h3>`,
    `<p>${escaped(source)} · ${partly === undefined ? "made" : `partly made: ${escaped(partly)}`}${report === "" ? "" : ` · <a href="${report}">page of the run</a>`}</p>`,
    `<pre>${escaped(printed)}</pre>`,
    ...charts.map((svg) => `<figure>${svg}</figure>`),
    ...views.map(
      ({ command, text }, at) =>
        `<details${at === 0 && charts.length === 0 ? " open" : ""}><summary><code>${escaped(command)}</code></summary><pre>${escaped(text)}</pre></details>`,
    ),
    "<details><summary>How it is made, and what it needs to be real</summary>",
    `<pre>${recipe.map((line) => `lamp-eval ${escaped(line)}`).join("\n")}</pre>`,
    `<p>Model of the paper: ${escaped(model ?? "not named")}. Data: ${escaped(dataOf(table))}. ${escaped(planOf(plan, planned))}</p></details></article>`,
  ].join("\n");
}

const dataOf = ({ columns, task }: PaperTable): string =>
  `${[...new Set([...columns.map((column) => column.task), ...(task === undefined ? [] : [task])])].join(", ")}, yours with --data DIR`;

function planOf(plan: string, planned: string): string {
  if (plan === "") return "";
  const { total } = JSON.parse(plan) as {
    total: { callsLow: number; callsHigh: number; usd?: number; expected?: { calls: number; usd?: number } };
  };
  const { callsLow, callsHigh, usd, expected } = total;
  const dollars = usd === undefined ? "" : `, at most $${usd.toFixed(2)}`;
  const about =
    expected === undefined
      ? ""
      : ` (about ${Math.round(expected.calls)} calls${expected.usd === undefined ? "" : `, $${expected.usd.toFixed(2)}`})`;
  return `Plan on the built-in data with ${planned}: ${callsLow} to ${callsHigh} calls${dollars}${about}; --data DIR --dry-run plans yours.`;
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:1200px;margin:2rem auto;padding:0 1rem;color:#111;background:#fff}
pre{overflow-x:auto;background:#f4f4f4;padding:.75rem;font-size:13px}article{border-top:1px solid #ccc;margin-top:1.5rem}
details pre{max-height:28rem;overflow:auto}summary{cursor:pointer}figure{display:inline-block;vertical-align:top;margin:1rem 0;background:#fff}figure svg{max-width:100%;height:auto}@media(prefers-color-scheme:dark){body{color:#eee;background:#111}pre{background:#222}a{color:#8bf}}`;
