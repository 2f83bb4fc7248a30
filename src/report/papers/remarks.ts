import { controlOf } from "../../results/arms.js";
import { groupBy } from "../../results/grouped.js";
import { hasNoAlignment } from "../../results/lacks.js";
import type { OptionValue, Row } from "../../types/index.js";
import type { OwnArm } from "./own-arm.js";
import type { PaperTable } from "./paper.js";

/** How many questions stand behind a value of ours, and behind the paper's. */
interface CountedLine {
  readonly task: string;
  readonly count: number | undefined;
  readonly paperCount: number | undefined;
}

/** Says why own runs and a published table may differ. */
export function remarksOn(table: PaperTable, arms: readonly OwnArm[], lines: readonly CountedLine[]): string[] {
  const models = [...new Set(arms.map(({ cell }) => cell.model))].join(", ");
  const remarks = [
    `the paper's model: ${table.model ?? "not named"}; ours: ${models}`,
    ...arms.flatMap((arm) => [
      ...otherSettings(table, arm),
      ...splitRemark(arm),
      ...failedParts(arm).map(({ text }) => text),
      ...(arm.finished ? [] : [`PARTIAL: ${arm.run} has not ended`]),
    ]),
    ...lines.flatMap(({ task, count, paperCount }) =>
      count === undefined || paperCount === undefined || count === paperCount
        ? []
        : [
            `${task}: other test set: n=${count}, the paper's n=${paperCount}${table.sizeOf(task).origin === "stated" ? "" : " (derived)"}`,
          ],
    ),
  ];
  return [...new Set(remarks)];
}

/** By the files' names, which tell more than the setting: the papers have test splits. */
function splitRemark({ cell, data }: OwnArm): string[] {
  const [split] = data.files.flatMap((file) => /^(train|dev)_/.exec(file)?.[1] ?? []);
  return split === undefined ? [] : [`${cell.task}: the ${split} split of ${data.name}, not a test set`];
}

/** The id of imported predictions: no setting. */
const IMPORTED = "import.files";

/** In a line, every setting that is not the paper's, where that is silent not its preset's, and where both are not the default. */
function otherSettings(
  { settings, preset, presetOf, rows, columns }: PaperTable,
  { cell, settings: own }: OwnArm,
): string[] {
  if (own[IMPORTED] !== undefined)
    return [`settings unknown: ${cell.method} on ${cell.task} was imported; what made its answers is not known here`];
  const pinned = presetOf?.(cell.task) ?? {};
  const byRow = [...rows, ...columns].flatMap(({ arm }) =>
    arm?.method === undefined || arm.method === cell.method ? Object.keys(arm?.options ?? {}) : [],
  );
  const told = ["data.split", ...byRow];
  const others = Object.entries(own).flatMap(([name, { value, usual }]) => {
    const [wanted, whose] =
      settings[name] !== undefined
        ? [settings[name], "paper"]
        : pinned[name] !== undefined && !byRow.includes(name)
          ? [pinned[name], `preset ${preset}`]
          : [told.includes(name) ? value : usual, "default"];
    if (wanted === value) return [];
    return [`${name}=${shown(value)} (${whose}${wanted === undefined ? " not known here" : `: ${shown(wanted)}`})`];
  });
  return others.length === 0 ? [] : [`other settings: ${cell.method} on ${cell.task} ran with ${others.join(", ")}`];
}

const shown = (value: OptionValue): string => (value === "" ? '""' : String(value));

/** Names arms that had another history than the user's own, a line each run and control: they are no row of a paper. */
export const otherHistories = (arms: readonly OwnArm[]): string[] =>
  [...groupBy(arms, ({ run, cell }) => `${run}: \t${controlOf(cell)}`)].map(([key, group]) => {
    const [run, control] = key.split("\t");
    const names = new Set(group.map(({ cell }) => `${cell.method} on ${cell.task}`));
    return `${run}${[...names].join(", ")} ran with history.control=${control}, not the users' own history`;
  });

/** Incidents that say that a method went without a part of it. */
const WITHOUT_PART = /^(?:preparation-failed|summary-empty|fallback=.*)$/;

/** Says what of an arm's method failed; `mostly`: for more than half, so that what the arm measured is not the method. */
export function failedParts({ cell, run, summary, rows, units }: OwnArm) {
  const { questions, failed, unparsed } = summary.counts;
  const users = units.filter(({ shared }) => shared !== true);
  const isWithout = ({ incidents }: Pick<Row, "incidents">) =>
    Object.keys(incidents).some((name) => WITHOUT_PART.test(name));
  const counted = (what: string, records: readonly Pick<Row, "incidents">[]) => [
    {
      what: `${what} have no alignment`,
      count: records.filter((one) => hasNoAlignment(one, cell.options)).length,
      of: records.length,
    },
    { what: `${what} went without a part of the method`, count: records.filter(isWithout).length, of: records.length },
  ];
  return [
    { what: "answers failed", count: failed, of: questions },
    { what: "answers could not be read", count: unparsed, of: questions },
    ...counted("users", users),
    ...counted("questions", rows),
  ].flatMap(({ what, count, of }) => {
    const mostly = 2 * count > of;
    if (count === 0 || !(mostly || what.endsWith("alignment"))) return [];
    return [{ text: `${cell.method} on ${cell.task} (${run}): ${count} of ${of} ${what}`, mostly }];
  });
}
