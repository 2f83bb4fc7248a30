import type { Metric, Outcome, Pair, Row } from "../../types.js";
import { Flag, type FoldedRows, type Reading } from "./rows.js";

/**
 * Every row, in the order in which its question came first. Each reads like the row that it was made from.
 */
export const rowsOf = (rows: FoldedRows): FoldedRow[] =>
  Array.from({ length: rows.size }, (_, r) => new FoldedRow(rows, r));

/** A row whose values stand in a `FoldedRows`. They are read by name; `{ ...row }` has none of them. */
export class FoldedRow implements Row {
  readonly #rows: FoldedRows;
  readonly #number: number;

  constructor(rows: FoldedRows, number: number) {
    this.#rows = rows;
    this.#number = number;
  }

  get cell(): string {
    return this.#rows.cell(this.#number);
  }
  get user(): string {
    return this.#rows.user(this.#number);
  }
  get unit(): string {
    return this.#rows.unit(this.#number);
  }
  get question(): string {
    return this.#rows.question(this.#number);
  }
  get gold(): string | undefined {
    return this.#rows.gold(this.#number);
  }
  get position(): number | undefined {
    return this.#rows.position(this.#number);
  }
  get spend(): Row["spend"] {
    return this.#rows.spend(this.#number);
  }
  get spendUnknown(): true | undefined {
    return this.#has(Flag.spendUnknown) ? true : undefined;
  }
  get incidents(): Row["incidents"] {
    return this.#rows.incidents(this.#number);
  }
  get simulated(): boolean | undefined {
    if (this.#has(Flag.simulated)) return true;
    return this.#has(Flag.real) ? false : undefined;
  }

  get given(): Row["given"] {
    return this.#rows.given(this.#number);
  }

  /** Its texts are read when they are asked for. */
  get outcome(): Outcome {
    const [rows, number] = [this.#rows, this.#number];
    if (this.kind === "failed")
      return {
        kind: "failed",
        get error() {
          return rows.reply(number);
        },
      };
    return {
      kind: this.kind,
      get reply() {
        return rows.reply(number);
      },
      get lenient() {
        return rows.lenient(number);
      },
    };
  }

  /** `outcome.kind` without the outcome. */
  get kind(): Outcome["kind"] {
    const kind = this.#rows.flags(this.#number) & Flag.kinds;
    return kind === Flag.answered ? "answered" : kind === Flag.unparsed ? "unparsed" : "failed";
  }

  /** Whether the gold is known, without reading it. */
  get hasGold(): boolean {
    return this.#rows.hasGold(this.#number);
  }

  /** Whether both readings of a scored row are the same pair; false too where that is not known. */
  get isReadAlike(): boolean {
    return this.#rows.isReadAlike(this.#number);
  }

  /** What a metric sees of the row, where it is scored. */
  pair(reading: Reading): FoldedPair {
    return new FoldedPair(this.#rows, this.#number, reading);
  }

  /** Numbers of the users or questions of rows that were folded together, equal for equal ones; undefined of other rows. */
  static numbers(rows: readonly Row[], of: Numbered): Int32Array | undefined {
    const [first] = rows;
    if (!(first instanceof FoldedRow)) return undefined;
    const numbers = new Int32Array(rows.length);
    for (const [r, row] of rows.entries()) {
      if (!(row instanceof FoldedRow) || row.#rows !== first.#rows) return undefined;
      numbers[r] = of === "user" ? row.#rows.userNumber(row.#number) : row.#rows.questionNumber(row.#number);
    }
    return numbers;
  }

  /** Numbers of the pairs of scored rows of one task that were folded together, equal for equal pairs; undefined of other rows. */
  static pairNumbers(rows: readonly Row[], reading: Reading): Int32Array | undefined {
    const [first] = rows;
    if (!(first instanceof FoldedRow)) return undefined;
    const [all, one] = [first.#rows, first.#number];
    const numbers = new Int32Array(rows.length);
    for (let r = 0; r < numbers.length; r++) {
      const row = rows[r];
      if (!(row instanceof FoldedRow) || row.#rows !== all || !all.areOfOneTask(one, row.#number)) return undefined;
      numbers[r] = all.pairNumber(row.#number, reading);
    }
    return numbers;
  }

  #has(flag: number): boolean {
    return (this.#rows.flags(this.#number) & flag) !== 0;
  }
}

/** What rows can be told apart by. */
type Numbered = "user" | "question";

/** By row, the number of its user or question in order of first appearance, and how many there are. */
export function numbersOf(
  rows: readonly Row[],
  of: Numbered,
): { readonly numbers: Int32Array; readonly count: number } {
  const folded = FoldedRow.numbers(rows, of);
  let count = 0;
  if (folded !== undefined) {
    const known = new Int32Array(folded.reduce((most, number) => Math.max(most, number), -1) + 1).fill(-1);
    const numbers = folded.map((number) => {
      if (known[number] === -1) known[number] = count++;
      return known[number]!; // as long as the largest number
    });
    return { numbers, count };
  }
  const known = new Map<string, number>();
  const numbers = Int32Array.from(rows, (row) => {
    const number = known.get(row[of]) ?? count++;
    known.set(row[of], number);
    return number;
  });
  return { numbers, count };
}

/** A pair that knows what it adds to a metric, so that nobody needs its texts. */
class FoldedPair implements Pair {
  readonly #rows: FoldedRows;
  readonly #number: number;
  readonly #reading: Reading;

  constructor(rows: FoldedRows, number: number, reading: Reading) {
    this.#rows = rows;
    this.#number = number;
    this.#reading = reading;
  }

  get prediction(): string {
    return this.#rows.pair(this.#number, this.#reading).prediction;
  }
  get gold(): string {
    return this.#rows.gold(this.#number) ?? "";
  }
  get given(): Pair["given"] {
    return this.#rows.given(this.#number);
  }

  addTo(metric: Metric, sums: Float64Array, offset: number): void {
    this.#rows.addScore(this.#number, this.#reading, metric, sums, offset);
  }
}

/** The metric, which of folded pairs takes what is known already. Its numbers are the same to the last bit. */
export const foldedMetric = (metric: Metric): Metric => ({
  name: metric.name,
  title: metric.title,
  better: metric.better,
  source: metric.source,
  width: metric.width,
  ...(metric.most === undefined ? {} : { most: metric.most }),
  ...(metric.given === undefined ? {} : { given: metric.given }),
  ...(metric.labels === undefined ? {} : { labels: metric.labels }),
  value: (sums, count) => metric.value(sums, count),
  add(pair, sums, offset = 0) {
    if (pair instanceof FoldedPair) pair.addTo(metric, sums, offset);
    else metric.add(pair, sums, offset);
  },
});
