import { methodLabel } from "../results/arms.js";
import type { Comparison } from "../results/compare.js";
import { type ArmMaterial, comparedPairs, gainEstimate, inFamilies, markedP, pLegend } from "../results/gains.js";
import { groupBy } from "../results/grouped.js";
import type { Summary } from "../results/summary.js";
import type { OptionValue } from "../types/index.js";
import { type Cell, type Column, type Table, textOf } from "./table.js";
import { sampleSize } from "./tables/arm-columns.js";
import { formatGain, formatP, formatScore } from "./tables/format.js";

/** An arm of a sweep over controls of the past. */
interface ControlArm {
  readonly summary: Summary;
  readonly axes: Readonly<Record<string, OptionValue>>;
}

/** The knob whose values are the controls. */
const CONTROL = "history.control";

/**
 * Each method with the right past and with each other one, and what of its gain is whose. `undefinedFor`: controls that mean
 * nothing here, and why. The family: the own history against each other one.
 */
export function controlTable(
  arms: readonly ControlArm[],
  undefinedFor: readonly { readonly value: OptionValue; readonly reason: string }[],
  material: ArmMaterial,
): Table {
  const groups = groupsOf(arms);
  const pairs = groups.flatMap((group) =>
    QUESTIONS.flatMap((question) => {
      const [reference, arm] = [group.get(question.worse), group.get(question.better)];
      return reference === undefined || arm === undefined ? [] : [{ ...question, group, arm, reference }];
    }),
  );
  const compared = comparedPairs(pairs, material);
  const found: readonly Test[] = [
    ...inFamilies(compared.filter(({ better }) => better === "right")),
    ...compared.filter(({ better }) => better !== "right"),
  ];
  const rows = groups.flatMap((group) =>
    CONTROLS.flatMap((control): Cell[][] => {
      const summary = group.get(control);
      const why = undefinedFor.find(({ value }) => value === control);
      if (summary !== undefined) {
        const test = found.find((one) => one.group === group && one.better === "right" && one.worse === control);
        return [rowOf(summary, control, test?.comparison)];
      }
      const method = group.values().next().value?.method ?? "";
      return why === undefined ? [] : [[method, control, `n/a: ${why.reason}`]];
    }),
  );
  return {
    keys: 2,
    columns: [
      { title: "method" },
      { title: "past" },
      { title: arms[0]?.summary.metrics[0]?.name ?? "score", format: formatScore, interval: true },
      GAIN,
      { key: "p", title: "p", format: formatP },
      { title: "W/T/L", align: "right" },
      { title: "n", align: "right" },
    ],
    rows,
    notes: groups.flatMap((group) => readings(found.filter((one) => one.group === group))),
    legend: [
      LEGEND,
      ...pLegend(
        (arm) => found.find((test) => test.arm === arm)?.comparison,
        found.map(({ arm }) => arm),
      ),
    ],
  };
}

const GAIN: Column = { key: "gain", title: "gain of right", format: formatGain, interval: true };

type Group = ReadonlyMap<string, Summary>;

/** In the order of the table. */
const CONTROLS = ["right", "other-user", "shuffled", "deranged", "none", "reversed"];

interface Test {
  readonly arm: Summary;
  readonly group: Group;
  readonly better: string;
  readonly worse: string;
  readonly what: string;
  readonly comparison: Comparison;
}

/** What each difference between two pasts is the worth of, as docs/STATISTICS.md has it. */
const QUESTIONS: readonly {
  readonly better: string;
  readonly worse: string;
  readonly what: `${string} (${string} against ${string})`;
}[] = [
  { better: "right", worse: "none", what: "the past (right against none)" },
  { better: "other-user", worse: "none", what: "any past: more text and labels (other-user against none)" },
  { better: "right", worse: "other-user", what: "the person (right against other-user)" },
  { better: "right", worse: "shuffled", what: "which label goes with which text (right against shuffled)" },
  { better: "right", worse: "deranged", what: "right labels rather than wrong ones (right against deranged)" },
  {
    better: "shuffled", // links of one label's texts stay right by chance, most where labels are skewed
    worse: "deranged",
    what: "the label prior, and links left right (shuffled against deranged)",
  },
  { better: "right", worse: "reversed", what: "the order (right against reversed)" },
];

const LEGEND =
  "right: the user's own past; other-user: another user's, of like length; shuffled: own texts, own labels dealt out anew; deranged: every label another one; none: no past; reversed: in reversed order. W/T/L: users for whom the right past is better, equal, worse";

/** Arms that differ in nothing but the control. */
function groupsOf(arms: readonly ControlArm[]): Group[] {
  const controlled = arms.filter(({ axes }) => axes[CONTROL] !== undefined);
  const groups = groupBy(controlled, ({ summary, axes: { [CONTROL]: _, ...others } }) =>
    JSON.stringify([summary.method, summary.model, others]),
  );
  return [...groups.values()].map(
    (group) => new Map(group.map(({ summary, axes }) => [String(axes[CONTROL]), summary])),
  );
}

function rowOf(summary: Summary, control: string, comparison: Comparison | undefined): Cell[] {
  const [headline] = summary.metrics;
  const metric = comparison?.metrics[0];
  return [
    methodLabel(summary),
    control,
    { value: headline?.strict, interval: headline?.interval },
    gainEstimate(comparison),
    markedP(comparison),
    metric && `${metric.perUser.wins}/${metric.perUser.ties}/${metric.perUser.losses}`,
    sampleSize(summary),
  ];
}

/** A line for each question, and one more where a spoilt past did better than the right one. */
function readings(tests: readonly Test[]): string[] {
  return tests.flatMap(({ group, better, worse, what, comparison }) => {
    const [metric] = comparison.metrics;
    const gain = gainEstimate(comparison);
    if (metric === undefined || gain?.value === undefined) return [];
    const name = group.get(better)?.method ?? "";
    const shown = `p ${formatP(metric.p)}${markedP(comparison)?.mark ?? ""}`;
    const isOdd = better === "right" && gain.value < 0 && worse !== "none" && worse !== "reversed";
    return [
      `${name}: ${what}: ${textOf(gain, GAIN)}, ${shown}`,
      ...(isOdd
        ? [`${name}: the ${worse} past did BETTER than the right one, by ${formatScore(-gain.value)} (${shown})`]
        : []),
    ];
  });
}
