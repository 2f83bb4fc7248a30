import { armLabel, variantOf } from "../../results/arms.js";
import { groupBy } from "../../results/grouped.js";
import { countOf } from "../../text/count.js";
import type { Cell } from "../../types/index.js";
import type { JudgedRun, Judgement } from "./judgement.js";
import { countedAs } from "./scores.js";
import { ruleOf } from "./text.js";

/** How far two judges agree on which of two methods answered better. */
export interface Agreement {
  readonly judges: readonly [string, string];
  /** Pairs of replies to one question that both judged, and those of them on which both say the same: better, worse or equal. */
  readonly pairs: number;
  readonly same: number;
  /** Pairs of methods that the two put in opposite orders, by the mean over the questions of both; first the one that the first judge prefers. */
  readonly reversed: readonly { readonly task: string; readonly methods: readonly [string, string] }[];
}

/** Returns the agreement of each two judges of one run. */
export const agreementsOf = (judges: readonly (JudgedRun & { readonly cells: readonly Cell[] })[]): Agreement[] => {
  const read = judges.map((one) => ({
    name: `${one.facts.judge} (${one.facts.model})`,
    gains: gainsOf(one, one.cells),
  }));
  return read.flatMap((one, at) => read.slice(at + 1).map((other) => agreementOf(one, other)));
};

/** How much better a judge finds one arm's reply than another's. */
interface Gain {
  readonly task: string;
  readonly methods: readonly [string, string];
  readonly value: number;
}

interface Read {
  readonly name: string;
  /** By question and the two cells. */
  readonly gains: ReadonlyMap<string, Gain>;
}

function agreementOf(one: Read, other: Read): Agreement {
  const both = [...one.gains].flatMap(([key, gain]) => {
    const value = other.gains.get(key)?.value;
    return value === undefined ? [] : [{ ...gain, other: value }];
  });
  const reversed = [...groupBy(both, ({ task, methods }) => JSON.stringify([task, methods])).values()].flatMap((of) => {
    const sum = (value: (gain: (typeof of)[number]) => number) => of.reduce((total, gain) => total + value(gain), 0);
    const [first, second] = [sum(({ value }) => value), sum((gain) => gain.other)];
    const { task, methods } = of[0]!; // no group is empty
    if (first * second >= 0) return [];
    return [{ task, methods: first > 0 ? methods : ([methods[1], methods[0]] as const) }];
  });
  return {
    judges: [one.name, other.name],
    pairs: both.length,
    same: both.filter(({ value, other: theirs }) => Math.sign(value) === Math.sign(theirs)).length,
    reversed,
  };
}

/** Of a comparison a verdict that turns with the order of the replies counts as no preference. */
function gainsOf({ facts, judgements }: JudgedRun, cells: readonly Cell[]): Map<string, Gain> {
  const label = (cell: Cell) => armLabel({ method: cell.method, variant: variantOf(cell, cells) });
  const gains = new Map<string, Gain>();
  for (const [question, said] of groupBy(judgements, (one) => one.question)) {
    const values = new Map(said.map((one) => [placeOf(one), countedAs(one, ruleOf(facts))]));
    for (const [at, a] of cells.entries())
      for (const b of cells.slice(at + 1)) {
        if (a.task !== b.task || a.repeat !== b.repeat || a.model !== b.model) continue;
        const value = gainOf(values, a.id, b.id);
        if (value === undefined) continue;
        gains.set([question, a.id, b.id].join("\t"), { task: a.task, methods: [label(a), label(b)], value });
      }
  }
  return gains;
}

/** Which showing of a question a judgement is of. */
const placeOf = ({ cell, against }: Pick<Judgement, "cell" | "against">): string =>
  [cell, ...(against === undefined ? [] : [against.cell, against.shownFirst])].join("\t");

/** How much better arm `a` was found than arm `b`; undefined where one was not judged. */
function gainOf(values: ReadonlyMap<string, number | undefined>, a: string, b: string): number | undefined {
  const [one, other] = [values.get(a), values.get(b)];
  if (one !== undefined && other !== undefined) return one - other;
  const compared = (own: string, theirs: string): number | undefined => {
    const [first, second] = [false, true].map((shownFirst) =>
      values.get(placeOf({ cell: own, against: { cell: theirs, shownFirst } })),
    );
    if (first === undefined || second === undefined) return undefined;
    return first === -second ? first : 0;
  };
  const turned = compared(b, a);
  return compared(a, b) ?? (turned === undefined ? undefined : -turned);
}

/** Returns a paragraph for each two judges. */
export const agreementText = (agreements: readonly Agreement[]): string =>
  agreements
    .map(({ judges, pairs, same, reversed }) =>
      [
        `${judges.join(" and ")}: the same verdict on ${same} of ${countOf(pairs, "pair")} of replies${pairs === 0 ? "" : ` (${Math.round((100 * same) / pairs)} %)`}`,
        ...(pairs > 0 && reversed.length === 0 ? ["  no two methods are in opposite orders"] : []),
        ...reversed.map(
          ({ task, methods: [better, worse] }) =>
            `  the order differs on ${task}: ${judges[0]} puts ${better} above ${worse}, ${judges[1]} below`,
        ),
      ].join("\n"),
    )
    .join("\n");
