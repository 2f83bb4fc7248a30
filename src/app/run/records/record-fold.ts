import { join } from "node:path";
import { type FoldedRow, rowsOf } from "../../../report/fold/row.js";
import type { FoldedRows, RowSpan } from "../../../report/fold/rows.js";
import { FoldedUnits, unitsOf } from "../../../report/fold/units.js";
import { stateOf } from "../../../run/journal/sound-files.js";
import { type RecordTaker, runFiles } from "../../../run/run-rows.js";
import type { Row, UnitRecord } from "../../../types.js";
import { type FoldedPart, noRows } from "../../common/folded-rows.js";

/**
 * The rows and units of a run, folded as they are read or appended, so that its tables need not read them again. Given up where they
 * are many, where one was done twice, and where the files are changed.
 */
export class RecordFold implements RecordTaker {
  readonly #rows: Fold<FoldedRows>;
  readonly #units: Fold<FoldedUnits>;

  constructor(folder: string, part: FoldedPart) {
    this.#rows = new Fold(join(folder, runFiles.rows), (path) => noRows(path, part));
    this.#units = new Fold(join(folder, runFiles.units), () => new FoldedUnits());
  }

  begin(file: string): void {
    if (file === runFiles.rows) this.#rows.begin();
    if (file === runFiles.units) this.#units.begin();
  }

  row(row: Row, span: RowSpan): void {
    this.#rows.next()?.add(row, span);
  }

  unit(record: UnitRecord): void {
    this.#units.next()?.add(record);
  }

  end(file: string, order?: readonly number[]): void {
    if (file === runFiles.rows) this.#rows.end(order)?.arrange(order);
    if (file === runFiles.units) this.#units.end(order);
  }

  /** In the order of the file; undefined where they are to be read. */
  rows(): FoldedRow[] | undefined {
    const known = this.#rows.known();
    return known === undefined ? undefined : rowsOf(known.all, known.order);
  }

  /** The same. */
  units(): UnitRecord[] | undefined {
    const known = this.#units.known();
    return known === undefined ? undefined : unitsOf(known.all, known.order);
  }
}

const MOST_RECORDS = 1 << 14;

/** Records of one file. */
class Fold<T extends { readonly size: number }> {
  readonly #path: string;
  readonly #make: (path: string) => T;
  #all: T | undefined;
  #taken = 0;
  /** The file before it was read. */
  #begun: string | undefined;
  /** The file whose records these are. */
  #state: string | undefined;
  #order: readonly number[] | undefined;

  constructor(path: string, make: (path: string) => T) {
    this.#path = path;
    this.#make = make;
  }

  begin(): void {
    this.#all = this.#make(this.#path);
    this.#taken = 0;
    this.#begun = stateOf(this.#path);
    this.#state = undefined;
  }

  /** What takes the next record; undefined where there were too many. */
  next(): T | undefined {
    this.#taken += 1;
    if (this.#taken > MOST_RECORDS) this.#all = undefined;
    return this.#all;
  }

  /**
   * Undefined where not every record taken is the only one of its key. With an `order` the file was just written in it from what was
   * taken; without one it must still be the file that was read.
   */
  end(order: readonly number[] | undefined): T | undefined {
    if (this.#all?.size !== this.#taken) this.#all = undefined;
    this.#state = order === undefined ? this.#begun : stateOf(this.#path);
    this.#order = order;
    return this.#all;
  }

  known(): { readonly all: T; readonly order: readonly number[] | undefined } | undefined {
    if (this.#all === undefined || this.#state === undefined || this.#state !== stateOf(this.#path)) return undefined;
    return { all: this.#all, order: this.#order };
  }
}
