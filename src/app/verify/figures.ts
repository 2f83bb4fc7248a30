import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { readText } from "../../disk/whole-file.js";
import type { Chart } from "../../report/charts/index.js";
import { type Check, passedOr, unchecked } from "../../report/verify/check.js";
import { runFiles } from "../../run/run-rows.js";
import { nounOf } from "../../text/count.js";
import { chartsOfRun } from "../report/chart-material.js";
import { pictureOf } from "../report/figures.js";
import { type LoadedResults, referenceMethod } from "../report/results.js";
import { firstDifference } from "./files.js";
import { isResampled } from "./resampled.js";

/** Specifications and pictures in the figures folder are those that the rows give. Empty where no chart was saved. */
export async function checkFigures(folder: string, results: LoadedResults, version: string): Promise<Check[]> {
  const figures = join(folder, runFiles.figures);
  const saved = existsSync(figures) ? readdirSync(figures).filter((file) => file.endsWith(SPEC)) : [];
  if (saved.length === 0) return [];
  const charts = new ChartsByReference(folder, results);
  const problems: string[] = [];
  const strange: string[] = [];
  const resampled: string[] = [];
  for (const file of saved.sort()) {
    const name = file.slice(0, -SPEC.length);
    const has = readText(join(figures, file));
    const chart = await charts.like(name, has);
    if (chart === undefined) problems.push(`${runFiles.figures}/${file}: no chart of this run has that name`);
    else if (isResampled(has)) resampled.push(file);
    else if (otherEncoder(has, chart)) strange.push(file);
    else problems.push(...(await differencesOf(folder, name, has, chart)));
  }
  if (problems.length > 0) {
    const made = results.manifest.plan.version;
    problems.push(
      `lamp-eval report --figures draws them again${made === version ? "" : ` (the run is of version ${made}, this is ${version})`}`,
    );
  }
  const compared = saved.length - strange.length - resampled.length;
  return [
    passedOr(
      "figures",
      problems,
      `${compared} ${nounOf(compared, "chart")} drawn again from the rows, .vl.json and .svg byte for byte`,
    ),
    ...(strange.length === 0
      ? []
      : [unchecked("figures", `${strange.join(", ")}: drawn with another --encoder than the run's`)]),
    ...(resampled.length === 0
      ? []
      : [
          unchecked(
            "figures",
            `${resampled.join(", ")}: intervals resampled as version 0.1.0 did; lamp-eval report --figures draws them again`,
          ),
        ]),
  ];
}

const SPEC = ".vl.json";

async function differencesOf(folder: string, name: string, has: string, chart: Chart): Promise<string[]> {
  const fresh = await pictureOf(chart);
  const [spec, svg] = [`${runFiles.figures}/${name}${SPEC}`, `${runFiles.figures}/${name}.svg`];
  const drawn = existsSync(join(folder, svg))
    ? firstDifference(svg, readText(join(folder, svg)), fresh.svg)
    : [`${svg}: missing, its ${SPEC} is there`];
  return [...firstDifference(spec, has, fresh.json), ...drawn];
}

/** The encoder that the note of a map of personas names; undefined in other texts. */
const encoderIn = (text: string): string | undefined => /encoder (\S+),/.exec(text)?.[1];

/** The specification with titles and notes, which it keeps as lists of lines, each in one line. */
const unwrapped = (spec: string): string => spec.replaceAll(/",\s*"/g, " ");

function otherEncoder(has: string, chart: Chart): boolean {
  const [then, now] = [encoderIn(unwrapped(has)), encoderIn(chart.note)];
  return then !== undefined && now !== undefined && then !== now;
}

/** The charts of a run; gains of users are over whatever method the file at hand was drawn with. */
class ChartsByReference {
  readonly #folder: string;
  readonly #results: LoadedResults;
  readonly #known = new Map<string, Promise<Chart[]>>();

  constructor(folder: string, results: LoadedResults) {
    this.#folder = folder;
    this.#results = results;
  }

  /** The chart of that name with the file's very text, else that of the usual reference. */
  async like(name: string, has: string): Promise<Chart | undefined> {
    const usual = await this.#chart(name, referenceMethod);
    for (const method of new Set([referenceMethod, ...this.#results.manifest.plan.cells.map((cell) => cell.method)])) {
      if (!unwrapped(has).includes(`over ${method}`)) continue;
      const chart = await this.#chart(name, method);
      if (chart !== undefined && (await pictureOf(chart)).json === has) return chart;
    }
    return usual;
  }

  async #chart(name: string, over: string): Promise<Chart | undefined> {
    const charts = this.#known.get(over) ?? chartsOfRun(this.#folder, this.#results, over);
    this.#known.set(over, charts);
    return (await charts).find((chart) => chart.name === name);
  }
}
