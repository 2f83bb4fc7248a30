import { scoreAll } from "../../metrics/score-all.js";
import { countsIn, pairOf } from "../../results/answers.js";
import { armLabel, isNamed } from "../../results/arms.js";
import { gainOf, isMean, rowsByArm, signOf } from "../../results/compare.js";
import { groupBy } from "../../results/samples.js";
import type { Summary } from "../../results/summary.js";
import { countOf } from "../../text/count.js";
import type { Metric, Row, Task } from "../../types/index.js";
import { html, type Markup } from "../html.js";

/** One task's arms, the best first, with all rows of the run and the task's metrics. */
interface TaskRows {
  readonly arms: readonly Summary[];
  readonly rows: readonly Row[];
  readonly metrics: readonly Metric[];
}

/** Draws how many users each method serves better, equally and worse than the reference; undefined where there is none. */
export function usersFigure(over: string, { arms, rows, metrics }: TaskRows): Markup | undefined {
  const [metric] = metrics;
  const reference = arms.find((arm) => isNamed(arm, arm.settings, over));
  if (reference === undefined || metric === undefined || arms.length < 2) return undefined;
  const rowsOf = rowsByArm(rows);
  const scoresOf = (arm: Summary): Map<string, number> => {
    const byUser = groupBy(
      rowsOf(arm).filter((row) => countsIn(metric, row)),
      ({ user }) => user,
    );
    return new Map([...byUser].map(([user, own]) => [user, scoreAll(metric, own.map(pairOf))]));
  };
  const before = scoresOf(reference);
  if (before.size < 2) return undefined;
  const lines = arms.flatMap((arm) => {
    if (arm === reference) return [];
    const signs = [...scoresOf(arm)].flatMap(([user, score]) => {
      const old = before.get(user);
      return old === undefined ? [] : [signOf(gainOf(metric, old, score))];
    });
    const parts = KINDS.map(({ sign, kind, name }) => {
      const count = signs.filter((one) => one === sign).length;
      const text = html`${count}<span class="hidden"> ${name} </span>`;
      return count === 0
        ? undefined
        : html`<span class="${kind}" style="flex:${count}" title="${count} ${name}">${text}</span>`;
    });
    return html`<tr><th scope="row">${armLabel(arm)}</th><td><span class="stack">${parts}</span></td></tr>\n`;
  });
  const key = KINDS.map(({ kind, name }) => html`<span class="swatch ${kind}"></span> ${name} `);
  return html`<figure><figcaption><b>Users with a better, equal or worse ${metric.name} than with ${over}</b></figcaption>
<table class="bars"><caption class="hidden">Users better, equal and worse than with ${over}</caption>
<thead class="hidden"><tr><th scope="col">method</th><th scope="col">users</th></tr></thead><tbody>${lines}</tbody></table>
<p class="note">${key}, of ${countOf(before.size, "user")}</p></figure>`;
}

const KINDS = [
  { sign: 1, kind: "up", name: "better" },
  { sign: 0, kind: "same", name: "equal" },
  { sign: -1, kind: "down", name: "worse" },
] as const;

const MOST_LABELS = 40;

/** Draws which share of each gold label's questions a method gets right; undefined where labels are not right or wrong. */
export function labelsFigure({ name, labels }: Task, { arms, rows, metrics }: TaskRows): Markup | undefined {
  const metric = metrics.find(isMean);
  if (labels.length === 0 || labels.length > MOST_LABELS || metric?.better !== "higher") return undefined;
  const rowsOf = rowsByArm(rows);
  const byArm = arms.map((arm) =>
    groupBy(
      rowsOf(arm).filter((row) => countsIn(metric, row)),
      ({ gold = "" }) => gold,
    ),
  );
  const sizeOf = (label: string): number => Math.max(0, ...byArm.map((of) => of.get(label)?.length ?? 0));
  const shown = labels.filter((label) => sizeOf(label) > 0).sort((a, b) => sizeOf(b) - sizeOf(a));
  if (shown.length === 0) return undefined;
  const lines = shown.map(
    (label) =>
      html`<tr><th scope="row">${label}</th>${byArm.map((of) => shareCell(metric, of.get(label) ?? []))}</tr>\n`,
  );
  const heads = arms.map((arm) => html`<th scope="col">${armLabel(arm)}</th>`);
  return html`<figure><figcaption><b>Right answers by gold label</b> <span>the most frequent label first</span></figcaption>
<div class="scroller"><div class="scroll tall" tabindex="0" role="region" aria-label="Right answers by gold label on ${name}">
<table class="heat" style="--columns:${arms.length}"><caption class="hidden">Right answers by gold label and method</caption>
<thead><tr><th scope="col">gold label</th>${heads}</tr></thead><tbody>${lines}</tbody></table></div>
<p class="cue" aria-hidden="true">more columns →</p></div></figure>`;
}

function shareCell(metric: Metric, rows: readonly Row[]): Markup {
  if (rows.length === 0) return html`<td class="plain">–</td>`;
  const right = rows.filter((row) => scoreAll(metric, [pairOf(row)]) === 1).length;
  return html`<td style="--s:${Math.round((100 * right) / rows.length)}%">${right}/${rows.length}</td>`;
}
