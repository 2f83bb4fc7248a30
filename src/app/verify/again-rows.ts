import { isDeepStrictEqual } from "node:util";
import type { RowInFile } from "../../report/verify.js";
import type { Rows } from "../../run/engine-settings.js";
import { originKey, runFiles } from "../../run/rows.js";
import type { Row, UnitRecord } from "../../types.js";

/** A record of a unit, and where it stands in its file. */
interface UnitInFile {
  readonly record: UnitRecord;
  readonly where: string;
}

/** What was made again, compared with what stands in the folder as it arrives. */
export class RowsAgain implements Rows {
  readonly #rows: ReadonlyMap<string, RowInFile>;
  readonly #units: ReadonlyMap<string, UnitInFile>;
  readonly #finished: boolean;
  readonly #unanswered = new Map<string, string[]>();
  readonly #seen = new Set<string>();
  readonly #problems = new Map<string, string>();
  /** Cells whose rows are left out of the comparison. */
  readonly #left = new Set<string>();

  constructor(rows: readonly RowInFile[], units: readonly UnitInFile[], finished: boolean) {
    this.#rows = new Map(rows.map((one) => [originKey(one.row), one]));
    this.#units = new Map(units.map((one) => [originKey(one.record), one]));
    this.#finished = finished;
  }

  /** Of a run that has not ended, only what stands there is made again. */
  isDone(cell: string, question: string): boolean {
    return !this.#finished && !this.#wanted.has(`${cell}\t${question}`);
  }

  isPrepared(cell: string, unit: string): boolean {
    return !this.#finished && !this.#units.has(originKey({ cell, unit }));
  }

  /** A request that has no stored reply, and none is recorded as failed. */
  unanswered(origin: { cell: string; unit: string; question?: string }, request: string): void {
    const key = originKey(origin);
    this.#unanswered.set(key, [...(this.#unanswered.get(key) ?? []), request]);
  }

  leaveOut(cell: string): void {
    this.#left.add(cell);
  }

  row(fresh: Row): void {
    const key = originKey(fresh);
    const stored = this.#rows.get(key);
    this.#seen.add(key);
    if (stored === undefined) return; // completeness says so
    const what = `${stored.where}: question ${fresh.question}`;
    this.#compare(key, what, partsOf(stored.row), partsOf(fresh));
  }

  unit(fresh: UnitRecord): void {
    const key = originKey(fresh);
    const stored = this.#units.get(key);
    this.#seen.add(`unit ${key}`);
    if (stored !== undefined)
      this.#compare(key, `${stored.where}: ${fresh.unit}`, partsOf(stored.record), partsOf(fresh));
    else if (this.#finished) this.#problems.set(key, `${runFiles.units}: no record of ${fresh.unit} in ${fresh.cell}`);
  }

  timing(): void {}

  trace(): void {}

  figure(): void {}

  /** In file order. `cells`: those that were made again. */
  problems(cells: ReadonlySet<string>): string[] {
    const found = [...this.#problems].filter(([key]) => !this.#left.has(cellOf(key))).map(([, problem]) => problem);
    const extra = [...this.#units].flatMap(([key, { record, where }]) =>
      this.#finished && cells.has(record.cell) && !this.#left.has(record.cell) && !this.#seen.has(`unit ${key}`)
        ? [`${where}: ${record.unit}: nothing in the run makes this record`]
        : [],
    );
    return [...found, ...extra].sort(inFileOrder);
  }

  /** How many rows were compared. */
  get compared(): number {
    let count = 0;
    for (const key of this.#rows.keys()) if (this.#seen.has(key) && !this.#left.has(cellOf(key))) count += 1;
    return count;
  }

  get #wanted(): ReadonlySet<string> {
    this.#wantedOnce ??= new Set([...this.#rows.values()].map(({ row }) => `${row.cell}\t${row.question}`));
    return this.#wantedOnce;
  }
  #wantedOnce: ReadonlySet<string> | undefined;

  #compare(key: string, what: string, stored: Parts, fresh: Parts): void {
    const now: Parts = JSON.parse(JSON.stringify(fresh)); // as a file keeps it
    const names = [...new Set([...Object.keys(stored), ...Object.keys(now)])];
    const name = names.find((one) => !isDeepStrictEqual(stored[one], now[one]));
    if (name === undefined) return;
    const lacking = this.#unanswered.get(key) ?? [];
    const why = lacking.length === 0 ? "" : ` (${runFiles.responses}: no reply to request ${lacking.join(", ")})`;
    this.#problems.set(
      key,
      `${what}: ${name} is ${shown(stored[name])}, the stored replies give ${shown(now[name])}${why}`,
    );
  }
}

type Parts = Readonly<Record<string, unknown>>;

/** Without the line's own check; golds are compared with the data, by themselves. */
function partsOf(record: Row | UnitRecord): Parts {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== "#" && name !== "gold"));
}

const cellOf = (key: string): string => key.slice(0, key.indexOf("\t"));

const LONGEST = 120;

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "absent";
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text;
};

const lineOf = (problem: string): number => Number(/ line (\d+):/.exec(problem)?.[1] ?? 0);

const inFileOrder = (a: string, b: string): number => {
  const [fileA = "", fileB = ""] = [a.split(" ", 1)[0], b.split(" ", 1)[0]];
  return fileA === fileB ? lineOf(a) - lineOf(b) : fileA < fileB ? -1 : 1;
};
