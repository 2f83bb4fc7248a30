import { html, type Markup } from "../html.js";
import {
  alignOf,
  boundsOf,
  type Column,
  type Estimate,
  estimateOf,
  type Table,
  type TableCell,
  textOf,
} from "../table.js";
import { formatGain } from "../tables/format.js";

/** A scale whose ends and steps are round numbers. */
interface Scale {
  readonly ticks: readonly number[];
  /** Returns the place of a value, `12.5%`. */
  at(value: number): string;
}

/** A column of a drawn table: with a scale where its intervals are drawn beside it. */
interface DrawnColumn {
  readonly column: Column;
  readonly place: number;
  readonly scale: Scale | undefined;
  readonly isGain: boolean;
}

interface Drawn {
  /** The score of the baseline: a dashed line. */
  readonly baseline?: number | undefined;
  /** Stands behind the name of a row. */
  remarkOf?(name: string): string | undefined;
}

/** Writes a table as the terminal has it, each column with intervals also drawn. */
export function drawnTable(table: Table, { baseline, remarkOf }: Drawn = {}): Markup {
  const { title = "", columns, rows, notes = [], legend = [], keys = 1 } = table;
  const scored = columns.findIndex(({ interval }) => interval === true);
  const drawn = columns.map((column, place): DrawnColumn => {
    const isGain = column.key === "gain";
    const extra = isGain ? [0] : place === scored && baseline !== undefined ? [baseline] : [];
    const scale =
      column.interval === true
        ? scaleOf(
            rows.map((row) => estimateOf(row[place])),
            extra,
          )
        : undefined;
    return { column, place, scale, isGain };
  });
  const p = columns.findIndex(({ title: name }) => name === "p");
  const lines = rows.map((row) => {
    const isSignificant = estimateOf(row[p]).mark === "*";
    const cells = drawn.map((one, c) =>
      c < keys ? nameCell(row[c], c, remarkOf) : valueCells(row, one, { isSignificant, isKey: c === scored }),
    );
    const isBaseline = String(row[0]).startsWith("(");
    return html`<tr${isBaseline ? html` class="baseline"` : undefined}>${cells}</tr>\n`;
  });
  const base = drawn[scored]?.scale;
  const line = baseline === undefined || base === undefined ? undefined : html` style="--base:${base.at(baseline)}"`;
  const listed = notes.filter((note) => !note.startsWith("†")); // the verdict names them
  const explained = legend.filter((line) => !/^(?:SIMULATED|\[-\])/.test(line)); // the banner says it; a missing interval is not printed
  return html`<div class="scroller"><div class="scroll" tabindex="0" role="region" aria-label="${title}">
<table class="results"${line}><caption class="hidden">${title}</caption>
<thead><tr>${drawn.map((one, c) => headCells(one, c === scored))}</tr></thead>
<tbody>${lines}</tbody></table></div><p class="cue" aria-hidden="true">more columns →</p></div>
${listed.length === 0 ? undefined : html`<ul class="note">${listed.map((text) => html`<li>${text}</li>`)}</ul>`}
<p class="note">${explained.map((line) => `${line}.`).join(" ")}</p>`;
}

function headCells({ column, scale, isGain }: DrawnColumn, isKey: boolean): Markup {
  const { title, group, interval } = column;
  const kind = [isKey ? "key" : "", alignOf(column) === "left" ? "text" : ""].filter((name) => name !== "").join(" ");
  const bounds = interval === true ? html` <small>[95 %]</small>` : undefined;
  const name = `${group === undefined ? "" : `${group} `}${title}`;
  const head = html`<th scope="col"${kind === "" ? undefined : html` class="${kind}"`}>${name}${bounds}</th>`;
  if (scale === undefined) return head;
  const ticks = scale.ticks.map(
    (tick) =>
      html`<span class="tick" aria-hidden="true" style="left:${scale.at(tick)}">${tickText(tick, isGain)}</span>`,
  );
  return html`${head}<th scope="col" class="plot"><span class="hidden">${title} drawn</span>${ticks}</th>`;
}

function nameCell(cell: TableCell, column: number, remarkOf: Drawn["remarkOf"]): Markup {
  const name = String(cell ?? "").replace(/^\((.*)\)$/, "$1");
  const remark = column === 0 ? remarkOf?.(name) : undefined;
  const small = remark && html` <small>${remark}</small>`;
  return column === 0 ? html`<th scope="row">${name}${small}</th>` : html`<td>${name}</td>`;
}

function valueCells(
  row: readonly TableCell[],
  { column, place, scale, isGain }: DrawnColumn,
  { isSignificant, isKey }: { isSignificant: boolean; isKey: boolean },
): Markup {
  const cell = row[place];
  const { value, interval, rank, mark } = estimateOf(cell);
  const printed = textOf(typeof cell === "object" ? { ...cell, mark: "" } : cell, { ...column, interval: false });
  const text = isGain && printed === formatGain(0) ? "equal" : printed;
  const printedInterval = column.interval === true ? interval : undefined;
  const bounds = printedInterval && html` <small>${boundsOf(printedInterval, column.format ?? String)}</small>`;
  const star = mark === "*" ? html`<b class="star">*</b>` : undefined;
  const shown = html`${rank === 1 ? html`<strong>${text}</strong>` : text}${star}${bounds}`;
  const data = value === undefined ? undefined : html` data-value="${value}"`;
  const kind = isKey ? html` class="key"` : alignOf(column) === "left" ? html` class="text"` : undefined;
  const number = html`<td${kind}${data}>${shown}</td>`;
  if (scale === undefined) return number;
  const direction = isGain && isSignificant ? ((value ?? 0) > 0 ? " up" : " down") : "";
  const picture = value === undefined ? undefined : lineOf({ value, interval }, scale, direction);
  const steps = html`style="--steps:${scale.ticks.length - 1}${isGain ? `;--zero:${scale.at(0)}` : ""}"`;
  return html`${number}<td class="plot ${isGain ? "gain" : "score"}" ${steps}>${picture}</td>`;
}

function lineOf({ value = 0, interval }: Estimate, { at }: Scale, direction: string): Markup {
  const { low, high } = interval ?? { low: value, high: value };
  return html`<i class="ci${direction}" style="--x:${at(value)};--a:${at(low)};--b:${at(high)}"></i>`;
}

const STEPS = 5;

/** Returns a scale over all values and intervals; undefined where there is nothing to draw. */
function scaleOf(estimates: readonly Estimate[], extra: readonly number[]): Scale | undefined {
  const values = estimates.flatMap(({ value, interval }) =>
    value === undefined || Number.isNaN(value) ? [] : [value, interval?.low ?? value, interval?.high ?? value],
  );
  if (values.length === 0) return undefined;
  const all = [...values, ...extra];
  const [least, most] = [Math.min(...all), Math.max(...all)];
  const rough = (most - least || Math.abs(most) || 1) / STEPS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((times) => times * power >= rough) ?? 10);
  const first = Math.floor(least / step + 1e-9);
  const last = Math.max(first + 1, Math.ceil(most / step - 1e-9));
  const ticks = Array.from({ length: last - first + 1 }, (_, t) => Number(((first + t) * step).toFixed(10)));
  const [low, high] = [ticks[0]!, ticks.at(-1)!]; // two ticks at least
  return { ticks, at: (value) => `${Number(((100 * (value - low)) / (high - low)).toFixed(1))}%` };
}

function tickText(tick: number, isGain: boolean): string {
  const text = String(Number(tick.toFixed(3))).replace(/^(-?)0\./, "$1.");
  return isGain && tick > 0 ? `+${text}` : text;
}
