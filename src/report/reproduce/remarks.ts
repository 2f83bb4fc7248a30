import { hasNoAlignment, isFailedAlignment } from "../../results/alignment.js";
import { groupBy } from "../../results/grouped.js";
import type { OptionValue } from "../../types/index.js";
import type { PaperTable } from "../papers/paper.js";
import { controlOf } from "../tables/remarks.js";
import type { OwnArm } from "./own-arm.js";

/** How many questions stand behind a value of ours, and behind the paper's. */
interface CountedLine {
  readonly task: string;
  readonly count: number | undefined;
  readonly paperCount: number | undefined;
}

/** Says why own runs and a published table may differ. */
export function remarksOn(table: PaperTable, arms: readonly OwnArm[], lines: readonly CountedLine[]): string[] {
  const models = [...new Set(arms.map(({ cell }) => cell.model))].join(", ");
  const others = lines.filter(
    ({ count, paperCount }) => count !== undefined && paperCount !== undefined && count !== paperCount,
  );
  const remarks = [
    table.model == null
      ? `ours: ${models}; the source names no model`
      : `the paper's model: ${table.model}; ours: ${models}`,
    ...arms.flatMap(unknownSettings),
    ...arms.flatMap((arm) => otherSettings(table, arm)),
    ...arms.flatMap(splitRemark),
    ...arms.flatMap((arm) => failedParts(arm).map(({ text }) => text)),
    ...arms.flatMap(leakRemarks),
    ...arms.filter(({ finished }) => !finished).map(({ run }) => `PARTIAL: ${run} has not ended`),
    ...others.map(
      (line) =>
        `${line.task}: other test set: n=${line.count}, the paper's n=${line.paperCount}${table.sizes[line.task]?.stated === true ? "" : " (derived)"}`,
    ),
  ];
  return [...new Set(remarks)];
}

/** By the files' names, which tell more than the setting: the papers have test splits. */
function splitRemark({ cell, data }: OwnArm): string[] {
  const [split] = data.files.flatMap((file) => /^(train|dev)_/.exec(file)?.[1] ?? []);
  return split === undefined ? [] : [`${cell.task}: the ${split} split of ${data.name}, not a test set`];
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
  { settings, preset, presetOf, varied, rows, columns }: PaperTable,
  { cell, settings: own }: OwnArm,
): string[] {
  const pinned = presetOf?.(cell.task) ?? {};
  const byRow = [...rows, ...columns].flatMap(({ arm }) =>
    arm?.method === undefined || arm.method === cell.method ? Object.keys(arm?.options ?? {}) : [],
  );
  const told = [...TOLD_ELSEWHERE, IMPORTED, ...varied, ...byRow];
  const others = Object.entries(own).flatMap(([name, { value, usual }]) => {
    const [wanted, whose] =
      settings[name] !== undefined
        ? [settings[name], "paper"]
        : pinned[name] !== undefined && !varied.includes(name)
          ? [pinned[name], `preset ${preset}`]
          : [told.includes(name) ? value : usual, "default"];
    if (wanted === value) return [];
    return [`${name}=${shown(value)} (${whose}${wanted === undefined ? " not known here" : `: ${shown(wanted)}`})`];
  });
  return others.length === 0 ? [] : [`other settings: ${cell.method} on ${cell.task} ran with ${others.join(", ")}`];
}

const shown = (value: OptionValue): string => (value === "" ? '""' : String(value));

/** Options that lines of their own tell of, or that leave an arm out. */
const TOLD_ELSEWHERE = ["data.split", "history.visible", "others.visible", "history.control"];

/** The id of imported predictions: no setting. */
const IMPORTED = "import.files";

/** Settings of ours under which a method may see what a question must not know. */
const OPEN: Readonly<Record<string, OptionValue>> = { "history.visible": "as-shipped", "others.visible": "all" };

const leakRemarks = ({ run, cell }: OwnArm): string[] =>
  Object.entries(OPEN)
    .filter(([name, value]) => cell.options[name] === value)
    .map(([name, value]) => `leak suspected in ours: ${run} ran with ${name}=${value}`);

/** Names arms that had another history than the user's own, a line each run and control: they are no row of a paper. */
export const otherPasts = (arms: readonly OwnArm[]): string[] =>
  [...groupBy(arms, ({ run, cell }) => `${run}: \t${controlOf(cell)}`)].map(([key, group]) => {
    const [run, control] = key.split("\t");
    const names = new Set(group.map(({ cell }) => `${cell.method} on ${cell.task}`));
    return `${run}${[...names].join(", ")} ran with history.control=${control}, not the users' own past`;
  });

/** Incidents that say that a method went without a part of it. */
const PARTS: Readonly<Record<string, (incident: string) => boolean>> = {
  preparation: (incident) => incident === "preparation-failed",
  alignment: isFailedAlignment,
  summary: (incident) => incident === "summary-empty",
  memory: (incident) => incident.startsWith("fallback="),
};

/** Says what of an arm's method failed; `mostly`: for more than half, so that what the arm measured is not the method. */
export function failedParts({
  cell,
  run,
  summary,
  rows,
  units,
}: OwnArm): { readonly text: string; readonly mostly: boolean }[] {
  const { questions, failed, unparsed } = summary.counts;
  const found = (text: string, count: number, of: number, always = false) =>
    count === 0 || (!always && 2 * count <= of)
      ? []
      : [{ text: `${cell.method} on ${cell.task} (${run}): ${text}`, mostly: 2 * count > of }];
  const users = units.filter(({ shared }) => shared !== true);
  return [
    ...found(`${failed} of ${questions} answers failed`, failed, questions),
    ...found(`${unparsed} of ${questions} answers could not be read`, unparsed, questions),
    ...Object.entries(PARTS).flatMap(([part, isOf]) =>
      ([["users", users] as const, ["questions", rows] as const] as const).flatMap(([what, records]) => {
        const isAlignment = isOf === isFailedAlignment;
        const broken = records.filter((record) =>
          isAlignment ? hasNoAlignment(record, cell.options) : Object.keys(record.incidents).some(isOf),
        );
        const counts = new Map<string, number>();
        for (const [incident, count] of broken.flatMap(({ incidents }) => Object.entries(incidents)))
          if (isOf(incident)) counts.set(incident, (counts.get(incident) ?? 0) + count);
        const told = [...counts].map(([incident, count]) => `${incident} ${count}`).join(", ");
        const text = `${part} failed for ${broken.length} of ${records.length} ${what} (${told})`;
        return found(text, broken.length, records.length, isAlignment);
      }),
    ),
  ];
}
