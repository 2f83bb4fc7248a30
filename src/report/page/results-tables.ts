import { type Table, withColumns } from "../table.js";
import { renderHtml } from "../tables/html.js";
import { type Results, resultsTables } from "../tables/results.js";
import { html, type Markup } from "./markup.js";

/** One sortable table a task and data set, with every column. */
export const resultsMarkup = (results: Results): Markup => {
  const tables = withColumns(resultsTables(results), { wide: true });
  return html`${results.facts.map(
    ({ task, title }, at) => html`<section class="task" id="task-${task}" aria-label="${title}">
<h3>${tables[at]?.title}</h3>
${renderHtml(tables[at]!)}
</section>`,
  )}`;
};

export const tablesMarkup = (tables: readonly Table[]): Markup =>
  html`${tables.map((table) => html`<h3>${table.title}</h3>${renderHtml(table)}`)}`;
