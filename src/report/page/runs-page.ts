import { armLabel } from "../arms.js";
import type { RankedArm, RunLine, TaskRanking } from "../runs/material.js";
import { questionsOf, spentOf, stateOf } from "../runs/text.js";
import { dash } from "../table.js";
import { formatAmount, formatCost, formatScore } from "../tables/format.js";
import { sampleSize } from "../tables/results.js";
import { type Cell, type Column, html, Markup, scoreCell, sectionMarkup, sortableTable } from "./markup.js";
import { style } from "./style.css.js";

interface RunsMaterial {
  readonly title: string;
  readonly lines: readonly RunLine[];
  readonly rankings: readonly TaskRanking[];
  readonly madeBy: string;
}

/** Several runs on one page: a ranking for each data set, then the list of runs. It asks nothing of any server and runs no script. */
export function renderRunsPage({ title, lines, rankings, madeBy }: RunsMaterial): string {
  const sections = [
    ...rankings.map((ranking, at) => ({
      id: `ranking-${at}`,
      title: `${ranking.title}${sizeWhereShared(ranking, rankings)}${ranking.simulated ? " (SIMULATED)" : ""}`,
      body: rankingTable(ranking),
    })),
    { id: "runs", title: "Runs", body: runsTable(lines) },
  ];
  return html`<!doctype html>
<html lang="en" data-theme="auto">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="${madeBy}">
<title>${title} · lamp-eval</title>
<style>${new Markup(style)}</style>
</head>
<body>
<header class="page"><h1>${title}</h1></header>
<nav class="page" aria-label="Sections"><div><ul>${sections.map(({ id, title: name }) => html`<li><a href="#${id}">${name}</a></li>`)}</ul></div></nav>
<main id="main" tabindex="-1">
${sections.map((section) => sectionMarkup(section, true))}
</main>
<footer>Made by lamp-eval. This file holds everything it shows and asks nothing of any server.</footer>
</body>
</html>
`.text;
}

/** What tells rankings of one task apart: other data, or other questions of it. */
function sizeWhereShared({ title, dataset, arms }: TaskRanking, all: readonly TaskRanking[]): string {
  const [arm] = arms;
  if (arm === undefined || all.filter((one) => one.title === title).length < 2) return "";
  return `, ${dataset}, n=${sampleSize(arm.summary)}`;
}

function rankingTable({ title, dataset, arms }: TaskRanking): Markup {
  const metrics = metricsOf(arms);
  const columns: Column[] = [
    { title: "method", kind: "text" },
    ...metrics.map(({ name, better }) => ({ title: `${name} ${better === "higher" ? "↑" : "↓"}` })),
    { title: "model", kind: "text" },
    { title: "n" },
    { title: "calls/q" },
    { title: "tok/q" },
    { title: "cost" },
  ];
  return html`<p class="context">data: ${dataset}; arms that were asked the same questions with the same visible past, the best score first; under the method its run. Whether a difference is more than chance: lamp-eval compare.</p>
${sortableTable({ caption: `Ranking on ${title}`, columns, rows: arms.map((arm) => armRow(arm, metrics)) })}`;
}

const metricsOf = (arms: readonly RankedArm[]) => [
  ...new Map(arms.flatMap(({ summary }) => summary.metrics.map((metric) => [metric.name, metric] as const))).values(),
];

function armRow({ run, summary }: RankedArm, metrics: ReturnType<typeof metricsOf>): Cell[] {
  return [
    { text: armLabel(summary), under: run },
    ...metrics.map(({ name }): Cell => {
      const metric = summary.metrics.find((one) => one.name === name);
      return scoreCell(metric?.strict, metric?.interval);
    }),
    { text: summary.model },
    { text: sampleSize(summary), value: summary.counts.scored },
    { text: formatAmount(summary.callsPerQuery), value: summary.callsPerQuery },
    { text: formatAmount(summary.tokensPerQuery), value: summary.tokensPerQuery },
    { text: formatCost(summary), value: summary.usd },
  ];
}

function runsTable(lines: readonly RunLine[]): Markup {
  const columns: Column[] = [
    { title: "run", kind: "text" },
    { title: "state", kind: "text" },
    { title: "arms" },
    { title: "questions" },
    { title: "spent" },
    { title: "best score", kind: "text" },
  ];
  const rows = lines.map((line): Cell[] => [
    line.name === undefined ? { text: line.run } : { text: line.name, under: line.run },
    { text: stateOf(line), ...(line.why === undefined ? {} : { under: line.why }) },
    { text: line.arms === 0 ? dash : String(line.arms), value: line.arms },
    { text: questionsOf(line), value: line.questions },
    { text: spentOf(line), value: line.usd },
    {
      text:
        line.scores
          .map((score) => `${score.task} ${score.metric} ${formatScore(score.score)} (${armLabel(score)})`)
          .join(", ") || dash,
    },
  ]);
  return sortableTable({ caption: "Runs", columns, rows });
}
