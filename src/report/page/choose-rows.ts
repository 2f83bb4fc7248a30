import { scoreAll } from "../../metrics/score-all.js";
import { seeded } from "../../random/seeded.js";
import { isMean } from "../../statistics/mean-metric.js";
import type { Cell, Row, Task } from "../../types.js";
import { signOf } from "../compare/question-test.js";
import { groupBy } from "../grouped.js";
import { isScored, kindOf, pairOf } from "../pairs.js";

/** What bounds the list of answers. */
export interface Limits {
  /** Up to so many rows, all of them are in it, and more are filled up to as many. */
  readonly whole: number;
  /** The size of a list that has not all rows. */
  readonly bytes: number;
  /** Rows of the rest that are in it however many failed or flipped. */
  readonly sample: number;
}

export const pageLimits: Limits = { whole: 20_000, bytes: 60_000_000, sample: 5000 };

interface Choice {
  readonly cells: readonly Cell[];
  readonly task: (name: string) => Task;
  readonly rows: readonly Row[];
  /** The method that flipped rows differ from; of a task that it did not answer the first one that did. */
  readonly against: string;
  readonly seed: number;
  readonly limits: Limits;
}

/** How many rows of a kind the page has. */
export interface Share {
  readonly shown: number;
  readonly all: number;
}

/** What a page that has not all rows shows. */
export interface Shares {
  readonly failed: Share;
  /** Answers whose score is another than that of the method named to the same question, and that method's. */
  readonly flipped: Share;
  readonly others: Share;
  readonly against: string;
  readonly seed: number;
}

/** Rows for a page in the order in which they are wanted: as many of the first as fit. */
interface Candidates {
  readonly rows: readonly Row[];
  readonly sharesOf: (count: number) => Shares;
}

/**
 * Some of the rest, then all that failed, all that flipped, and more of the rest up to the number of rows that are shown whole;
 * within each kind in an order drawn by the seed.
 */
export function candidates(choice: Choice): Candidates {
  const { rows, against, seed, limits } = choice;
  const flips = flippedRows(choice);
  const draw = (kind: string, of: readonly Row[], count: number): Row[] =>
    seeded(`page ${seed}`).fork(kind).sample(of, count);
  const failed = rows.filter((row) => kindOf(row) === "failed");
  const flipped = rows.filter((row) => kindOf(row) !== "failed" && flips.has(row));
  const others = rows.filter((row) => kindOf(row) !== "failed" && !flips.has(row));
  const wanted = Math.max(limits.sample, limits.whole - failed.length - flipped.length);
  const sample = draw("others", others, wanted);
  const first = Math.min(limits.sample, sample.length);
  const kinds = [
    { kind: "others", of: sample.slice(0, first) },
    { kind: "failed", of: draw("failed", failed, failed.length) },
    { kind: "flipped", of: draw("flipped", flipped, flipped.length) },
    { kind: "others", of: sample.slice(first) },
  ] as const;
  return {
    rows: kinds.flatMap(({ of }) => of),
    sharesOf(count) {
      const shown = { failed: 0, flipped: 0, others: 0 };
      let left = count;
      for (const { kind, of } of kinds) {
        shown[kind] += Math.min(left, of.length);
        left -= Math.min(left, of.length);
      }
      return {
        failed: { shown: shown.failed, all: failed.length },
        flipped: { shown: shown.flipped, all: flipped.length },
        others: { shown: shown.others, all: others.length },
        against,
        seed,
      };
    },
  };
}

/**
 * As many of the candidates as `sizeOf` says to fit into `most`. It is asked a few times, with numbers that come nearer: the
 * answer fits, and is not much smaller than it could be.
 */
export function fitting<T extends { readonly size: number }>(
  count: number,
  most: number,
  make: (count: number) => T,
): { readonly count: number; readonly made: T } {
  let shown = Math.min(count, FIRST_TRY);
  let made = make(shown);
  for (let round = 0; round < ROUNDS; round++) {
    const fits = made.size <= most;
    if (shown === 0 || (fits && (shown === count || made.size > ENOUGH * most))) break;
    const next = Math.min(count, Math.floor((shown * most * GOAL) / made.size));
    if (fits && next <= shown) break;
    shown = next;
    made = make(shown);
  }
  while (made.size > most && shown > 0) {
    shown = Math.floor(shown * 0.9);
    made = make(shown);
  }
  return { count: shown, made };
}

const FIRST_TRY = 20_000;
const ROUNDS = 4;
const ENOUGH = 0.9;
const GOAL = 0.97;

/** The rows that flipped, of either side. */
function flippedRows({ cells, task, rows, against }: Choice): ReadonlySet<Row> {
  const flips = new Set<Row>();
  const peers = groupBy(cells, (cell) => `${cell.task}\t${cell.dataset}\t${cell.repeat}`);
  for (const ofTask of peers.values()) {
    const known = task(ofTask[0]!.task); // groups are never empty
    const metric = known.kind === "text" ? undefined : known.metrics.find(isMean);
    const reference = ofTask.find(({ method }) => method === against) ?? ofTask[0];
    if (metric === undefined || reference === undefined) continue;
    const ids = new Set(ofTask.map(({ id }) => id));
    const scored = rows.filter((row) => ids.has(row.cell)).filter(isScored);
    const value = (row: (typeof scored)[number]): number => scoreAll(metric, [pairOf(row)]);
    const plain = new Map<string, { readonly row: Row; readonly value: number }>();
    for (const row of scored) if (row.cell === reference.id) plain.set(row.question, { row, value: value(row) });
    for (const row of scored) {
      const other = plain.get(row.question);
      if (other === undefined || signOf(value(row) - other.value) === 0) continue;
      flips.add(row).add(other.row);
    }
  }
  return flips;
}
