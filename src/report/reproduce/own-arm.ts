import type { Interval } from "../../results/inference.js";
import type { Choice } from "../../results/selections.js";
import type { Summary } from "../../results/summary.js";
import type { Cell, OptionValue, Row, UnitRecord } from "../../types/index.js";
import type { PairVerdict } from "../judgements/win-rates.js";

/** One arm of an own run, all repeats together. */
export interface OwnArm {
  /** The run as typed. */
  readonly run: string;
  readonly finished: boolean;
  readonly cell: Cell;
  /** By name, what it ran with, and the program's default where one is known. */
  readonly settings: Readonly<Record<string, { readonly value: OptionValue; readonly usual?: OptionValue }>>;
  readonly summary: Summary;
  readonly rows: readonly Row[];
  readonly units: readonly Pick<UnitRecord, "incidents" | "shared">[];
  readonly data: { readonly name: string; readonly files: readonly string[] };
  /** Mean score of the first judge of its replies. */
  readonly judged?: { readonly mean: number; readonly interval: Interval | undefined } | undefined;
  /** What it chose for questions that people labelled. */
  readonly choices?: readonly Choice[] | undefined;
  /** Verdicts on its answers against another arm's, by the name of that arm. */
  readonly verdicts?: Readonly<Record<string, readonly PairVerdict[]>>;
  /** First and last persona of every user; empty where the method keeps none. */
  readonly personas: readonly { readonly text: string; readonly initial: string }[];
}
