import type { Pair } from "../../../src/types/index.js";

/** The answers of one user in two arms. */
export interface PairedUser {
  readonly a: readonly Pair[];
  readonly b: readonly Pair[];
}

/** How often something happened in the samples of a cell. */
export interface Rate {
  readonly what: string;
  readonly hits: number;
  readonly of: number;
  /** Promised: a share of at most, of at least so much. Neither: printed only. */
  readonly most?: number;
  readonly least?: number;
}

/** One process at one size: what is simulated in one go. */
export interface Cell {
  readonly part: string;
  readonly name: string;
  /** What is drawn follows from the name and the number of the sample: a cell is the same wherever it is run. */
  run(samples: number): Rate[];
}

export const ALPHA = 0.05;

/** Three standard errors of a share. */
export const errorOf = (share: number, samples: number): number => 3 * Math.sqrt((share * (1 - share)) / samples);

/** Whether a promise is broken by more than three standard errors. */
export const isBroken = ({ hits, of, most, least }: Rate): boolean =>
  (most !== undefined && hits / of > most + errorOf(most, of) + ROUNDING) ||
  (least !== undefined && hits / of < least - errorOf(least, of) - ROUNDING);

/** Counts what happens over samples. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(what: string, happened: boolean): void {
    this.#counts.set(what, this.of(what) + (happened ? 1 : 0));
  }

  of(what: string): number {
    return this.#counts.get(what) ?? 0;
  }
}

const ROUNDING = 1e-12;
