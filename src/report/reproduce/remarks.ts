import { groupBy } from "../../results/grouped.js";
import type { OptionValue } from "../../types/index.js";
import type { OwnArm, PaperTable } from "../papers/paper.js";
import { controlOf } from "../tables/remarks.js";
import { failedParts } from "./failed-parts.js";

/** How many questions stand behind a value of ours, and behind the paper's. */
interface CountedLine {
  readonly task: string;
  readonly count: number | undefined;
  readonly paperCount: number | undefined;
}

/**
 * Why own runs and a published table may differ: model, split, settings, histories that show too much, parts of methods that failed,
 * unfinished runs, other test sets.
 */
export function remarksOn(table: PaperTable, arms: readonly OwnArm[], lines: readonly CountedLine[]): string[] {
  const unique = (names: readonly string[]) => [...new Set(names)];
  const models = unique(arms.map(({ cell }) => cell.model));
  return [
    ...(table.model === undefined
      ? [`ours: ${models.join(", ")}; the source names no model`]
      : [`the paper's model: ${table.model}; ours: ${models.join(", ")}`]),
    ...unique(arms.flatMap(unknownSettings)),
    ...unique(arms.flatMap((arm) => otherSettings(table, arm))),
    ...unique(arms.flatMap(splitRemark)),
    ...unique(arms.flatMap((arm) => failedParts(arm).map(({ text }) => text))),
    ...unique(arms.flatMap(leakRemarks)),
    ...unique(arms.filter(({ finished }) => !finished).map(({ run }) => `PARTIAL: ${run} has not ended`)),
    ...unique(lines.flatMap(countRemark)),
  ];
}

/** By the files' names, which tell more than the setting: the papers have test splits. */
function splitRemark({ cell, data }: OwnArm): string[] {
  const splits = data.files.flatMap((file) => /^(train|dev)_/.exec(file)?.[1] ?? []);
  return splits.length === 0 ? [] : [`${cell.task}: the ${splits[0]} split of ${data.name}, not a test set`];
}

/** Imported predictions tell nothing of what made them. */
const unknownSettings = ({ cell, settings }: OwnArm): string[] =>
  settings[IMPORTED] === undefined
    ? []
    : [
        `settings unknown: ${cell.method} on ${cell.task} was imported; its model, prompt, pasts and all else that made its answers are not known here`,
      ];

/** In a line, every setting that is not the paper's, where that is silent not its preset's, and where both are not the default. */
function otherSettings(
  { settings, preset, varied = [], rows, columns }: PaperTable,
  { cell, settings: own }: OwnArm,
): string[] {
  const pinned: Readonly<Record<string, OptionValue>> = { ...preset?.set, ...preset?.perTask[cell.task] };
  const wantedByRow = [...rows, ...columns].flatMap(({ arm }) =>
    arm?.method === undefined || arm.method === cell.method ? Object.keys(arm?.options ?? {}) : [],
  );
  const told = [...TOLD_ELSEWHERE, IMPORTED, NUMBERS, ...varied, ...wantedByRow];
  const others = Object.entries(own).flatMap(([name, { value, usual }]) => {
    const [wanted, whose] =
      settings[name] !== undefined
        ? [settings[name], "paper"]
        : pinned[name] !== undefined
          ? [pinned[name], `preset ${preset?.name}`]
          : [told.includes(name) ? value : usual, "default"];
    if (wanted === value) return [];
    return [`${name}=${shown(value)} (${whose}${wanted === undefined ? " not known here" : `: ${shown(wanted)}`})`];
  });
  return others.length === 0 ? [] : [`other settings: ${cell.method} on ${cell.task} ran with ${others.join(", ")}`];
}

const shown = (value: OptionValue): string => (value === "" ? '""' : String(value));

/** Options that lines of their own tell of, or that leave an arm out. */
const TOLD_ELSEWHERE = ["data.split", "history.visible", "others.visible", "history.control"];

/** Ids of imported predictions, and of numbers that came with them: no settings. */
const [IMPORTED, NUMBERS] = ["import.files", "import.metrics"] as const;

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

/** What arms had in place of the users' own pasts, a line each run and past: they are no row of a paper. */
export function otherPasts(arms: readonly OwnArm[]): string[] {
  const groups = groupBy(arms, ({ run, cell }) => JSON.stringify([run, controlOf(cell)]));
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const names = new Set(group.map(({ cell }) => `${cell.method} on ${cell.task}`));
    return [
      `${first.run}: ${[...names].join(", ")} ran with history.control=${controlOf(first.cell)}, not the users' own past`,
    ];
  });
}
