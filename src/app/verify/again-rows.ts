import { isDeepStrictEqual } from "node:util";
import type { RowInFile } from "../../report/verify.js";
import type { Rows } from "../../run/engine-settings.js";
import { originKey, runFiles } from "../../run/rows.js";
import type { Row, UnitRecord } from "../../types/index.js";

/** A record of a unit, and where it stands in its file. */
interface UnitInFile {
  readonly record: UnitRecord;
  readonly where: string;
}

/** What stands in a folder, and the same made again as it arrives. */
interface Pair {
  readonly what: string;
  readonly cell: string;
  readonly stored: Row | UnitRecord;
  fresh?: Row | UnitRecord;
}

/** What was made again, compared with what stands in the folder. */
export class RowsAgain implements Rows {
  /** In file order. */
  readonly #rows: ReadonlyMap<string, Pair>;
  readonly #units: ReadonlyMap<string, Pair>;
  readonly #finished: boolean;
  readonly #unanswered = new Map<string, string[]>();
  readonly #unrecorded = new Map<string, UnitRecord>();

  constructor(rows: readonly RowInFile[], units: readonly UnitInFile[], finished: boolean) {
    this.#rows = new Map(
      rows.map(({ row, where }) => [
        originKey(row),
        { what: `${where}: question ${row.question}`, cell: row.cell, stored: row },
      ]),
    );
    this.#units = new Map(
      units.map(({ record, where }) => [
        originKey(record),
        { what: `${where}: ${record.unit}`, cell: record.cell, stored: record },
      ]),
    );
    this.#finished = finished;
    this.#questions = new Set(rows.map(({ row }) => `${row.cell}\t${row.question}`));
  }
  readonly #questions: ReadonlySet<string>;

  /** Of a run that has not ended, only what stands there is made again. */
  isDone(cell: string, question: string): boolean {
    return !this.#finished && !this.#questions.has(`${cell}\t${question}`);
  }

  isPrepared(cell: string, unit: string): boolean {
    return !this.#finished && !this.#units.has(originKey({ cell, unit }));
  }

  /** A request that has no stored reply, and none is recorded as failed. */
  unanswered(origin: { cell: string; unit: string; question?: string }, request: string): void {
    const key = originKey(origin);
    this.#unanswered.set(key, [...(this.#unanswered.get(key) ?? []), request]);
  }

  row(fresh: Row): void {
    const pair = this.#rows.get(originKey(fresh));
    if (pair !== undefined) pair.fresh = fresh; // completeness says what is missing
  }

  unit(fresh: UnitRecord): void {
    const pair = this.#units.get(originKey(fresh));
    if (pair !== undefined) pair.fresh = fresh;
    else if (this.#finished) this.#unrecorded.set(originKey(fresh), fresh);
  }

  timing(): void {}

  trace(): void {}

  figure(): void {}

  /** How many rows were compared, and what differs. `left`: cells that are not compared. */
  compare(left: { has(cell: string): boolean }): { readonly compared: number; readonly problems: string[] } {
    const isMade = ([, { cell, fresh }]: [string, Pair]): boolean => fresh !== undefined && !left.has(cell);
    const rows = [...this.#rows].filter(isMade);
    const problems = [...rows, ...[...this.#units].filter(isMade)].flatMap(([key, pair]) =>
      this.#difference(key, pair),
    );
    const gone = [...this.#unrecorded.values()].filter(({ cell }) => !left.has(cell));
    const unrecorded = gone.map(({ unit, cell }) => `${runFiles.units}: no record of ${unit} in ${cell}`);
    return { compared: rows.length, problems: [...problems, ...unrecorded] };
  }

  #difference(key: string, { what, stored, fresh }: Pair): string[] {
    const [old, now] = [partsOf(stored), partsOf(JSON.parse(JSON.stringify(fresh)))]; // as a file keeps it
    const name = [...new Set([...Object.keys(old), ...Object.keys(now)])].find(
      (one) => !isDeepStrictEqual(old[one], now[one]),
    );
    if (name === undefined) return [];
    const lacking = this.#unanswered.get(key) ?? [];
    const why = lacking.length === 0 ? "" : ` (${runFiles.responses}: no reply to request ${lacking.join(", ")})`;
    return [`${what}: ${name} is ${shown(old[name])}, the stored replies give ${shown(now[name])}${why}`];
  }
}

/** Without the line's own check; golds are compared with the data, by themselves. */
function partsOf(record: Row | UnitRecord): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== "#" && name !== "gold"));
}

const LONGEST = 120;

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "absent";
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text;
};
