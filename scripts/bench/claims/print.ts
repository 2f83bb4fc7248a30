import { type Cell, errorOf, isBroken, type Rate } from "./cell.js";

/** What a cell found. */
export interface Result {
  readonly cell: Pick<Cell, "part" | "name">;
  readonly rates: readonly Rate[];
}

/** Every rate of every cell, a line each. */
export function fullTable(results: readonly Result[]): string {
  const lines = results.flatMap(({ cell, rates }) =>
    rates.map((rate) => [
      cell.part,
      cell.name,
      rate.what,
      String(rate.of),
      percent(rate.hits / rate.of),
      promiseOf(rate),
      isBroken(rate) ? "NOT" : rate.most === undefined && rate.least === undefined ? "" : "ok",
    ]),
  );
  return aligned([["part", "cell", "rate", "samples", "%", "bound %", ""], ...lines]);
}

/** One line for every kind of rate: how many cells, their lowest and highest; whether the promise is kept, and the worst cell where it is not or none is made. */
export function summary(results: readonly Result[]): string {
  const kinds = new Map<string, { readonly cell: string; readonly rate: Rate }[]>();
  for (const { cell, rates } of results)
    for (const rate of rates) {
      const key = `${cell.part} | ${rate.what} | ${promised(rate)}`;
      kinds.set(key, [...(kinds.get(key) ?? []), { cell: cell.name, rate }]);
    }
  const lines = [...kinds].map(([key, all]) => {
    const nearest = all.reduce((most, one) => (slack(one.rate) < slack(most.rate) ? one : most));
    const broken = all.filter(({ rate }) => isBroken(rate)).length;
    const found = span(all.map(({ rate }) => rate.hits / rate.of));
    const isKept = promised(nearest.rate) !== "" && broken === 0;
    const verdict = isKept ? "ok" : `${broken === 0 ? "" : `${broken} NOT: `}${nearest.cell}`;
    return `| ${key} | ${all.length} | ${found} | ${verdict} |`;
  });
  return [
    "| part | rate | promised % | cells | lowest to highest % | kept, or the worst cell |",
    "| --- | --- | --- | --- | --- | --- |",
    ...lines,
  ].join("\n");
}

export const lineOf = ({ cell, rates }: Result): string =>
  `${cell.part}: ${cell.name}: ${rates
    .map((rate) => `${rate.what} ${percent(rate.hits / rate.of)}${isBroken(rate) ? " NOT" : ""}`)
    .join(", ")}`;

/** The first table of docs/CLAIMS.md: rows are processes, columns sizes, cells `users`, `set`. */
export function claimTable(results: readonly Result[]): string {
  const names = results
    .filter(({ cell }) => cell.part === "table")
    .map((result) => ({ result, parts: result.cell.name.split(", at ") }));
  const sizes = [...new Set(names.map(({ parts }) => parts[1]!))];
  const rows = [...new Set(names.map(({ parts }) => parts[0]!))].map((row) => {
    const cells = sizes.map((size) => {
      const found = names.find(({ parts }) => parts[0] === row && parts[1] === size)?.result.rates;
      if (found === undefined) return "";
      const [users, set] = found;
      return [users, set].map((rate) => percent(rate!.hits / rate!.of)).join(", ");
    });
    return `| ${row} | ${cells.join(" | ")} |`;
  });
  if (rows.length === 0) return "";
  return [`| process, margin | ${sizes.join(" | ")} |`, `| --- |${" --- |".repeat(sizes.length)}`, ...rows].join("\n");
}

const percent = (share: number): string => (100 * share).toFixed(1);

function span(shares: readonly number[]): string {
  const [low, high] = [Math.min(...shares), Math.max(...shares)];
  return low === high ? percent(low) : `${percent(low)} to ${percent(high)}`;
}

const promised = ({ most, least }: Rate): string =>
  [
    ...(least === undefined ? [] : [`>= ${percent(least)}`]),
    ...(most === undefined ? [] : [`<= ${percent(most)}`]),
  ].join(", ");

/** The promise with three standard errors. */
const promiseOf = ({ most, least, of }: Rate): string =>
  [
    ...(least === undefined ? [] : [`>= ${percent(least - errorOf(least, of))}`]),
    ...(most === undefined ? [] : [`<= ${percent(most + errorOf(most, of))}`]),
  ].join(", ");

/** How far from a broken promise, as a share; of what is not promised, how far from always. */
const slack = ({ hits, of, most, least }: Rate): number =>
  most === undefined && least === undefined
    ? 1 - hits / of
    : Math.min((most ?? 9) - hits / of, hits / of - (least ?? -9));

function aligned(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, c) => Math.max(...rows.map((row) => row[c]!.length)));
  return rows
    .map((row) => row.map((text, c) => (c < 3 ? text.padEnd(widths[c]!) : text.padStart(widths[c]!))).join("  "))
    .join("\n");
}
