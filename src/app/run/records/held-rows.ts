import { RefusedAlike } from "../../../models/wrap/adapted.js";
import type { Rows } from "../../../run/engine-settings.js";
import type { RunRows } from "../../../run/rows.js";
import type { Figure, Row, Timing, Trace, UnitRecord } from "../../../types.js";

/**
 * Rows on their way to the file. Failed ones wait for the next answered one, or the end: where the server refuses all questions
 * alike the run stops, and those that showed it are left out, so that they are open and not failed.
 */
export class HeldRows implements Rows {
  readonly #rows: RunRows;
  readonly #seen: (row: Row) => void;
  #held: Row[] = [];

  /** `seen` is told of every row, once. */
  constructor(rows: RunRows, seen: (row: Row) => void = () => undefined) {
    this.#rows = rows;
    this.#seen = seen;
  }

  isDone(cell: string, question: string): boolean {
    return this.#rows.isDone(cell, question);
  }

  isPrepared(cell: string, unit: string): boolean {
    return this.#rows.isPrepared(cell, unit);
  }

  row(row: Row): void {
    this.#held.push(row);
    if (row.outcome.kind !== "failed" || this.#held.length > MOST_HELD) this.#write(this.#held);
    this.#seen(row);
  }

  unit(record: UnitRecord): void {
    this.#rows.unit(record);
  }

  timing(timing: Timing): void {
    this.#rows.timing(timing);
  }

  trace(trace: Trace): void {
    this.#rows.trace(trace);
  }

  figure(figure: Figure): void {
    this.#rows.figure(figure);
  }

  /** To be called at the end, with the reason of a stop. */
  end(reason: unknown): void {
    const alike = reason instanceof RefusedAlike ? reason.messages : [];
    const isAlike = ({ outcome }: Row): boolean =>
      outcome.kind === "failed" && alike.some((message) => outcome.error.endsWith(message));
    this.#write(this.#held.filter((row) => !isAlike(row)));
  }

  #write(rows: readonly Row[]): void {
    this.#held = [];
    for (const row of rows) this.#rows.row(row);
  }
}

/** More failures in a row, of many questions of users whose preparation failed, are written down. */
const MOST_HELD = 1000;
