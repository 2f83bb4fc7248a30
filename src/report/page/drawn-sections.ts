import { groupBy } from "../../results/grouped.js";
import type { Chart, ChartSection } from "../charts/index.js";
import { sentinel } from "../charts/theme.js";
import { perUserTables, type TitledPerUser } from "../per-user/text.js";
import { type SweepMaterial, sweepTables } from "../sweep.js";
import type { TaskFacts } from "../tables/results.js";
import { html, Markup, type PageSection } from "./markup.js";
import { tablesMarkup } from "./results-tables.js";

export interface DrawnChart {
  readonly chart: Chart;
  readonly svg: string;
}

/** What the page shows besides tables of results, comparisons and answers. */
export interface DrawnMaterial {
  readonly charts: readonly DrawnChart[];
  readonly sweep?: SweepMaterial;
  readonly users: readonly TitledPerUser[];
}

/** The sections that charts, sweeps and groups of users fill; empty ones are left out. Cost charts stand on the first screen. */
export function drawnSections({ charts, sweep, users }: DrawnMaterial): PageSection[] {
  const drawn = (section: ChartSection): Markup[] => figuresOf(charts.filter(({ chart }) => chart.section === section));
  const sections: readonly (readonly [
    id: string,
    title: string,
    figures: readonly Markup[],
    tables?: Markup | undefined,
  ])[] = [
    ["sweep", "Sweep", drawn("sweep"), sweep && sweepMarkup(sweep)],
    ["tasks", "By task", drawn("tasks")],
    ["users", "Users", drawn("users"), users.length === 0 ? undefined : usersMarkup(users)],
    ["persona-charts", "Persona analysis", drawn("persona")],
  ];
  return sections
    .filter(([, , figures, tables]) => figures.length > 0 || tables !== undefined)
    .map(([id, title, figures, tables]) => ({ id, title, body: html`${figures}${tables}` }));
}

/** The chart of score against cost of a task. */
export function costFigure(fact: TaskFacts, charts: readonly DrawnChart[]): Markup | undefined {
  const found = charts.find(
    ({ chart: { section, of } }) => section === "cost" && of?.task === fact.task && of.dataset === fact.dataset,
  );
  if (found === undefined) return undefined;
  const { chart, svg } = found;
  return figure(chart.name, "Score against cost a question", chart.of?.note ?? "", new Markup(inlineSvg(svg, chart)));
}

const figure = (name: string, title: string, note: string, picture: Markup): Markup =>
  html`<figure id="chart-${name}"><figcaption><strong>${title}</strong>${
    note === "" ? undefined : html`<span>${note}</span>`
  }</figcaption><div style="--natural: ${/ width="([\d.]+)"/.exec(picture.text)?.[1] ?? "600"}px">${picture}</div></figure>
`;

const grid = (figures: readonly Markup[]): Markup => html`<div class="charts">${figures}</div>`;

/** Charts without a group at once, then each group behind its title. */
function figuresOf(charts: readonly DrawnChart[]): Markup[] {
  return [...groupBy(charts, ({ chart }) => chart.group ?? "")]
    .sort(([a], [b]) => Number(a !== "") - Number(b !== ""))
    .map(([group, members]) => {
      const figures = members.map(chartFigure);
      if (group === "") return grid(figures);
      const summary = html`<summary>${group} (${figures.length === 1 ? "1 picture" : `${figures.length} pictures`})</summary>`;
      return html`<details class="group-of-charts">${summary}${grid(figures)}</details>`;
    });
}

const chartFigure = ({ chart, svg }: DrawnChart): Markup =>
  figure(chart.name, chart.title, chart.note, new Markup(inlineSvg(svg, chart)));

const sweepMarkup = (sweep: SweepMaterial): Markup => tablesMarkup(sweepTables(sweep));

const usersMarkup = (users: readonly TitledPerUser[]): Markup => tablesMarkup(perUserTables(users));

/**
 * The drawing as a part of a page: ink is `currentColor`, other lines are `--chart-muted` and `--chart-grid` of the page's
 * style sheet, the background is left out, ids are its own, and a reader of screens hears its title.
 */
export function inlineSvg(svg: string, figure: { readonly name: string; readonly title: string }): string {
  const id = figure.name.replace(/[^\w-]/g, "-");
  const themed = Object.entries(themes).reduce(
    (text, [color, themed]) => text.replaceAll(`"${color}"`, `"${themed}"`),
    svg.replace(/<rect [^>]*class="background"[^>]*>/, (rect) => rect.replaceAll(sentinel.background, "none")),
  );
  return themed
    .replace(/ id="([^"]+)"/g, (_, name: string) => ` id="${id}-${name}"`)
    .replace(/url\(#([^)]+)\)/g, (_, name: string) => `url(#${id}-${name})`)
    .replace(/href="#([^"]+)"/g, (_, name: string) => `href="#${id}-${name}"`)
    .replace(
      /<svg ([^>]*)>/,
      (_, given: string) =>
        `<svg role="img" aria-labelledby="${id}-title" ${given}>${html`<title id="${id}-title">${figure.title}</title>`.text}`,
    );
}

const themes: Readonly<Record<string, string>> = {
  [sentinel.ink]: "currentColor",
  [sentinel.muted]: `var(--chart-muted, ${sentinel.muted})`,
  [sentinel.grid]: `var(--chart-grid, ${sentinel.grid})`,
  [sentinel.background]: "var(--chart-background, #ffffff)",
};
