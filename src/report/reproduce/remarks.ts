import type { OptionValue } from "../../types.js";
import type { OwnArm, PaperTable } from "./paper-tables.js";

/** How many questions stand behind a value of ours, and behind the paper's. */
export interface CountedLine {
  readonly task: string;
  readonly count: number | undefined;
  readonly paperCount: number | undefined;
}

/** Why own runs and a published table may differ: model, settings, histories that show too much, unfinished runs, other test sets. */
export function remarksOn(table: PaperTable, arms: readonly OwnArm[], lines: readonly CountedLine[]): string[] {
  const unique = (names: readonly string[]) => [...new Set(names)];
  const models = unique(arms.map(({ cell }) => cell.model));
  return [
    ...(table.model === undefined
      ? [`ours: ${models.join(", ")}; the source names no model`]
      : [`the paper's model: ${table.model}; ours: ${models.join(", ")}`]),
    ...unique(arms.flatMap((arm) => otherSettings(table, arm))),
    ...unique(arms.flatMap(leakRemarks)),
    ...unique(arms.filter(({ finished }) => !finished).map(({ run }) => `PARTIAL: ${run} has not ended`)),
    ...unique(lines.flatMap(countRemark)),
  ];
}

// --- internal ---

function otherSettings({ settings }: PaperTable, { cell }: OwnArm): string[] {
  return Object.entries(settings).flatMap(([name, value]) =>
    cell.options[name] === undefined || cell.options[name] === value
      ? []
      : [`other setting: ${cell.method} ran with ${name}=${cell.options[name]}, the paper with ${value}`],
  );
}

/** Settings of ours under which a method may see what a question must not know. */
const OPEN: Readonly<Record<string, OptionValue>> = { "history.visible": "as-shipped", "others.visible": "all" };

function leakRemarks({ run, cell }: OwnArm): string[] {
  const open = Object.entries(OPEN).filter(([name, value]) => cell.options[name] === value);
  return open.map(([name, value]) => `leak suspected in ours: ${run} ran with ${name}=${value}`);
}

function countRemark({ task, count, paperCount }: CountedLine): string[] {
  if (count === undefined || paperCount === undefined || count === paperCount) return [];
  return [`${task}: other test set: n=${count}, the paper's n=${paperCount} (derived)`];
}
