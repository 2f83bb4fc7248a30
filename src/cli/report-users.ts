import { UsageError } from "../errors.js";
import { suggest } from "../registry.js";
import { renderIntervals } from "../report/intervals.js";
import { perUser } from "../report/per-user.js";
import { renderPerUser, type TitledPerUser } from "../report/per-user-text.js";
import { armLabel } from "../report/results.js";
import { latestUnits } from "../run/run-rows.js";
import { tasks } from "../tasks/index.js";
import type { Cell } from "../types.js";
import { type LoadedResults, loadResults } from "./report.js";

export interface UsersFlags {
  readonly format: string;
  readonly perUser: boolean | undefined;
  readonly over: string;
  readonly intervals: boolean | undefined;
}

/** The tables of `report --per-user` and `--intervals`. Throws UsageError on a form they do not have. */
export function renderUsers(folder: string, { format, ...flags }: UsersFlags): string {
  if (!["text", "markdown", "json"].includes(format))
    throw new UsageError(
      `--format ${format}: --per-user and --intervals have text, markdown and json (results.csv has every interval)`,
    );
  const results = loadResults(folder);
  const users = flags.perUser === true ? usersOf(folder, results, flags.over) : [];
  const summaries = flags.intervals === true ? results.summaries : [];
  if (format === "json") return `${JSON.stringify({ perUser: users, intervals: summaries }, undefined, 2)}\n`;
  const form = format === "markdown" ? "markdown" : "text";
  return `${[
    ...(flags.intervals === true ? [renderIntervals(summaries, form)] : []),
    ...(flags.perUser === true ? [renderPerUser(users, form)] : []),
  ].join("\n\n")}\n`;
}

// --- internal ---

/** Every arm's groups of users, with the gain over the method `over`. Throws UsageError where the run lacks a method asked for. */
export function usersOf(
  folder: string,
  { manifest, rows, summaries }: Pick<LoadedResults, "manifest" | "rows" | "summaries">,
  over = DEFAULT_OVER,
): TitledPerUser[] {
  const { cells } = manifest.plan;
  const methods = [...new Set(cells.map(({ method }) => method))];
  if (over !== DEFAULT_OVER && !methods.includes(over))
    throw new UsageError(
      `--over ${over}: not in this run${suggest(over, methods)}; its methods: ${methods.join(", ")}`,
    );
  const units = latestUnits(folder);
  const arms = armsOf(cells);
  const of = <T extends { readonly cell: string }>(records: readonly T[], arm: readonly Cell[]): T[] => {
    const ids = new Set(arm.map(({ id }) => id));
    return records.filter(({ cell }) => ids.has(cell));
  };
  return arms.flatMap((arm) => {
    const { task, dataset, method, model, seed } = arm[0]!; // arms are never empty
    const reference =
      method === over ? undefined : arms.find(([first]) => first?.task === task && first.method === over);
    const found = perUser({
      task: tasks.get(task),
      rows: of(rows, arm),
      units: of(units, arm),
      ...(reference === undefined ? {} : { reference: of(rows, reference) }),
      seed,
    });
    if (found === undefined) return [];
    const summary = summaries.find(({ cells }) => cells.includes(arm[0]?.id ?? ""));
    const label = summary === undefined ? method : armLabel(summary);
    const facts = { dataset, method: label, model, simulated: manifest.simulated, found };
    return [{ title: tasks.get(task).title, reference: reference === undefined ? undefined : over, ...facts }];
  });
}

const DEFAULT_OVER = "prompt";

/** Cells that differ only in their repeat number. */
function armsOf(cells: readonly Cell[]): Cell[][] {
  const arms = new Map<string, Cell[]>();
  for (const cell of cells) {
    const key = JSON.stringify({ ...cell, id: "", repeat: 0 });
    arms.set(key, [...(arms.get(key) ?? []), cell]);
  }
  return [...arms.values()];
}
