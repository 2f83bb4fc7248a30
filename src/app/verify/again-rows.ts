import { isDeepStrictEqual } from "node:util";
import type { Placed } from "../../report/verify.js";
import type { Rows } from "../../run/engine-settings.js";
import { originKey, runFiles } from "../../run/rows.js";
import type { Row, Trace, UnitRecord } from "../../types/index.js";

/** A stored record, and the same made again once it arrives. */
interface Pair {
  readonly what: string;
  readonly stored: Row | UnitRecord;
  fresh?: Row | UnitRecord;
}

/** What was made again, compared with what is stored. */
export class RowsAgain implements Rows {
  /** In file order. */
  readonly #pairs = new Map<string, Pair>();
  readonly #questions = new Set<string>();
  readonly #finished: boolean;
  readonly #unanswered = new Map<string, string[]>();
  readonly #unrecorded: UnitRecord[] = [];
  readonly #requests = new Map<string, string[]>();

  constructor(rows: readonly Placed<Row>[], units: readonly Placed<UnitRecord>[], finished: boolean) {
    for (const { record, where } of rows) {
      this.#pairs.set(originKey(record), { what: `${where}: question ${record.question}`, stored: record });
      this.#questions.add(`${record.cell}\t${record.question}`);
    }
    for (const { record, where } of units)
      this.#pairs.set(originKey(record), { what: `${where}: ${record.unit}`, stored: record });
    this.#finished = finished;
  }

  /** Of a run that has not ended, only what stands there is made again. */
  isDone(cell: string, question: string): boolean {
    return !this.#finished && !this.#questions.has(`${cell}\t${question}`);
  }

  isPrepared(cell: string, unit: string): boolean {
    return !this.#finished && !this.#pairs.has(originKey({ cell, unit }));
  }

  /** A request that has no stored reply, and none is recorded as failed. */
  unanswered(origin: { cell: string; unit: string; question?: string }, request: string): void {
    const key = originKey(origin);
    this.#unanswered.set(key, [...(this.#unanswered.get(key) ?? []), request]);
  }

  row(fresh: Row): void {
    const pair = this.#pairs.get(originKey(fresh));
    if (pair !== undefined) pair.fresh = fresh; // completeness says what is missing
  }

  unit(fresh: UnitRecord): void {
    const pair = this.#pairs.get(originKey(fresh));
    if (pair !== undefined) pair.fresh = fresh;
    else if (this.#finished) this.#unrecorded.push(fresh);
  }

  trace({ cell, requests }: Trace): void {
    const ofCell = this.#requests.get(cell) ?? [];
    this.#requests.set(cell, ofCell);
    ofCell.push(...requests);
  }

  timing(): void {}

  /** First digits of the keys of all requests that a cell made, sorted, each as often as it was made. */
  requestsOf(cell: string): readonly string[] {
    return (this.#requests.get(cell) ?? []).sort();
  }

  /** How many rows of these cells were made again, and what differs in them and their units. */
  compare(isWanted: (cell: string) => boolean): { readonly compared: number; readonly problems: string[] } {
    const made = [...this.#pairs].filter(([, { stored, fresh }]) => fresh !== undefined && isWanted(stored.cell));
    const gone = this.#unrecorded.filter(({ cell }) => isWanted(cell));
    return {
      compared: made.filter(([, { stored }]) => "question" in stored).length,
      problems: [
        ...made.flatMap(([key, pair]) => this.#difference(key, pair)),
        ...gone.map(({ unit, cell }) => `${runFiles.units}: no record of ${unit} in ${cell}`),
      ],
    };
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
