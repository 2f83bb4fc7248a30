import type { OptionValue } from "../types/index.js";
import { CONTROL } from "./controls.js";
import { groupBy } from "./grouped.js";
import { headingMark } from "./simulated.js";
import { type Column, type ColumnOf, rowsOfItems } from "./table.js";
import { formatCost, formatScore } from "./tables/format.js";
import { renderText } from "./tables/text.js";

/** What a check of an arm came to, the lowest first. */
export const levels = ["refused", "self-reported", "scores only", "complete"] as const;
export type Level = (typeof levels)[number];

export const SENTENCES: Readonly<Record<Level, string>> = {
  complete: "Numbers follow from the replies. The replies are the publisher's word.",
  "scores only": "Scores follow from the answers; how these arose was not checked.",
  "self-reported": "Nobody checked this.",
  refused: "A check failed.",
};

/** What no check finds: in every file, in what is printed, and in docs/EVIDENCE.md. */
export const LIMITS =
  "No check finds invented replies with all else computed again, the best of several runs, or another model's replies.";

/** The pasts that an arm is compared with before its gain is called personalization. */
const NEEDED = ["other-user", "none"] as const;

/** A cell's settings, as far as a control may not differ in them; `data` is what the questions and pasts are. */
export interface ControlledArm {
  readonly task: string;
  readonly method: string;
  readonly model: string;
  readonly seed: number;
  readonly options: Readonly<Record<string, OptionValue>>;
  readonly data: string;
}

/** The controls that an arm lacks among these arms; none of an arm that is itself a control. */
export function absentControls(arm: ControlledArm, arms: readonly ControlledArm[]): string[] {
  if (!["right", undefined].includes(arm.options[CONTROL] as string | undefined)) return [];
  return NEEDED.filter((control) => !arms.some((other) => other.options[CONTROL] === control && isPeer(arm, other)));
}

/** Another user's past comes with settings of the pool of others. */
function isPeer(arm: ControlledArm, other: ControlledArm): boolean {
  const names = new Set([...Object.keys(arm.options), ...Object.keys(other.options)]);
  const apart = [...names].filter((name) => arm.options[name] !== other.options[name]);
  return (
    (["task", "method", "model", "seed", "data"] as const).every((key) => arm[key] === other[key]) &&
    apart.every((name) => name === CONTROL || (name.startsWith("others.") && arm.options[name] === undefined))
  );
}

/** What is said of arms that lack controls, a line for each set of them. */
export function notShown(arms: readonly Pick<CheckedArm, "name" | "absentControls">[]): string[] {
  const lacking = arms.filter(({ absentControls: absent }) => absent.length > 0);
  const groups = groupBy(lacking, ({ absentControls: absent }) =>
    absent.map((one) => PASTS[one] ?? one).join(", none with "),
  );
  return [...groups].map(
    ([absent, group]) =>
      `personalization not shown (no arm with ${absent}): ${group.map(({ name }) => name).join(", ")}`,
  );
}

const PASTS: Readonly<Record<string, string>> = { "other-user": "another user's past", none: "no past" };

/** An arm of a file of evidence, as it was checked. Numbers are the claimed ones. */
export interface CheckedArm {
  /** Task, method, and the settings that tell it from others. */
  readonly name: string;
  readonly model: string;
  readonly cells: readonly string[];
  readonly level: Level;
  /** What failed, or why the level is no higher. */
  readonly reasons: readonly string[];
  readonly absentControls: readonly string[];
  /** By the headline metric. Absent: none is claimed. */
  readonly score?: number | undefined;
  readonly metric?: string | undefined;
  readonly interval?: { readonly low: number; readonly high: number } | undefined;
  readonly users: number;
  /** Of which data, and how much of them: `lamp3 on demo: 3 of 24 users, 11 of 79 questions`. */
  readonly of: string;
  readonly questions: number;
  readonly failed: number;
  readonly usd?: number | undefined;
  readonly usdAtMost?: true | undefined;
  readonly simulated: boolean;
}

export interface CheckedEvidence {
  /** SHA-256 over its lines. Absent: the file is damaged. */
  readonly id?: string;
  /** The lowest of its arms'. */
  readonly level: Level;
  readonly sentence: string;
  readonly arms: readonly CheckedArm[];
  /** Of the file as a whole, a line each. */
  readonly reasons: readonly string[];
  readonly limits: string;
}

export const lowest = (of: readonly { readonly level: Level }[]): Level =>
  levels.find((level) => of.some((one) => one.level === level)) ?? "refused";

export const isBelow = (level: Level, wanted: Level): boolean => levels.indexOf(level) < levels.indexOf(wanted);

/** How many reasons of one arm are printed. */
const LISTED = 5;

const COUNT: Column = { title: "n", format: String };

export function renderEvidence({ id, level, sentence, arms, reasons, limits }: CheckedEvidence): string {
  const columns: ColumnOf<CheckedArm>[] = [
    { title: "arm", cell: ({ name }) => name },
    { title: "model", cell: ({ model }) => model },
    { title: "metric", cell: ({ metric }) => metric },
    {
      title: "score",
      format: formatScore,
      interval: true,
      cell: ({ score, interval }) => ({ value: score, interval }),
    },
    { ...COUNT, cell: ({ questions }) => questions },
    { title: "users", format: String, cell: ({ users }) => users },
    ...(arms.some(({ failed }) => failed > 0)
      ? [{ title: "failed", format: String, cell: ({ failed }: CheckedArm) => failed }]
      : []),
    {
      title: "cost",
      align: "right",
      cell: ({ usd, usdAtMost }) => formatCost({ usd, ...(usdAtMost && { usdAtMost }) }),
    },
    { title: "level", cell: (arm) => arm.level },
  ];
  const said = arms.flatMap(({ name, level: its, reasons: why }) => {
    const more = why.length > LISTED ? [`... and ${why.length - LISTED} more`] : [];
    return [...why.slice(0, LISTED), ...more].map((reason) => ({ name, line: `${its}: ${reason}` }));
  });
  const whys = [...groupBy(said, ({ line }) => line)].map(
    ([line, group]) => `${group.map(({ name }) => name).join(", ")}: ${line}`,
  );
  const table = {
    title: `evidence ${id?.slice(0, 12) ?? ""}${headingMark(arms)}`,
    ...rowsOfItems(columns, arms),
    notes: [...new Set(arms.map(({ of }) => of)), ...whys, ...notShown(arms)],
  };
  return [...(arms.length === 0 ? [] : [renderText(table), ""]), ...reasons, `${level}: ${sentence}`, limits].join(
    "\n",
  );
}
