import type { OptionValue } from "../../types.js";
import { failedParts } from "./failed-parts.js";
import type { OwnArm, PaperTable } from "./paper-tables.js";

/** How many questions stand behind a value of ours, and behind the paper's. */
interface CountedLine {
  readonly task: string;
  readonly count: number | undefined;
  readonly paperCount: number | undefined;
}

/**
 * Why own runs and a published table may differ: model, data, Wikipedia, settings, histories that show too much, parts of methods that
 * failed, unfinished runs, other test sets.
 */
export function remarksOn(table: PaperTable, arms: readonly OwnArm[], lines: readonly CountedLine[]): string[] {
  const unique = (names: readonly string[]) => [...new Set(names)];
  const models = unique(arms.map(({ cell }) => cell.model));
  return [
    ...(table.model === undefined
      ? [`ours: ${models.join(", ")}; the source names no model`]
      : [`the paper's model: ${table.model}; ours: ${models.join(", ")}`]),
    ...unique(arms.map(dataRemark)),
    ...unique(arms.flatMap(wikipediaRemark)),
    ...unique(arms.flatMap(unknownSettings)),
    ...unique(arms.flatMap((arm) => otherSettings(table, arm))),
    ...unique(arms.flatMap(({ run, data }) => (data.asked ?? []).map((how) => `${run}: ${how}`))),
    ...unique(arms.flatMap((arm) => failedParts(arm).map(({ text }) => text))),
    ...unique(arms.flatMap(leakRemarks)),
    ...unique(arms.filter(({ finished }) => !finished).map(({ run }) => `PARTIAL: ${run} has not ended`)),
    ...unique(lines.flatMap(countRemark)),
  ];
}

/** `data: lamp3 mine (dev_questions.json, dev_outputs.json): split dev, 28 users, 28 questions`. */
function dataRemark({ cell, data }: OwnArm): string {
  const files = data.files.length === 0 ? "" : ` (${data.files.join(", ")})`;
  const counts = Object.entries(data.facts).map(([what, count]) => `${count} ${what}`);
  return `data: ${cell.task} ${data.name}${files}: ${[splitOf(data.files, cell.options), ...counts].join(", ")}`;
}

/** By the files' names, which tell more than the setting. */
function splitOf(files: readonly string[], options: OwnArm["cell"]["options"]): string {
  const named = files.flatMap((file) => /^(train|dev|test)_/.exec(file)?.[1] ?? []);
  const [split] = named.filter((name) => name !== "train").concat(named);
  return split === undefined
    ? `split not named by the files (data.split=${options["data.split"] ?? "auto"})`
    : `split ${split}`;
}

function wikipediaRemark({ cell, data }: OwnArm): string[] {
  const mode = cell.options["wiki.mode"];
  return mode === undefined ? [] : [data.wikipedia ?? `wikipedia: ${mode}`];
}

/** Imported predictions tell nothing of what made them. */
const unknownSettings = ({ cell, settings }: OwnArm): string[] =>
  settings[IMPORTED] === undefined
    ? []
    : [
        `settings unknown: ${cell.method} on ${cell.task} was imported; its model, prompt, pasts and all else that made its answers are not known here`,
      ];

/** In a line, every setting that is not the paper's, where that is silent not its preset's, and where both are not the default. */
function otherSettings({ settings, preset, varied = [], rows }: PaperTable, { cell, settings: own }: OwnArm): string[] {
  const pinned: Readonly<Record<string, OptionValue>> = { ...preset?.set, ...preset?.perTask[cell.task] };
  const wantedByRow = rows.flatMap(({ arm }) => (arm.method === cell.method ? Object.keys(arm.options ?? {}) : []));
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
const TOLD_ELSEWHERE = ["data.split", "wiki.mode", "history.visible", "others.visible", "history.control"];

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
