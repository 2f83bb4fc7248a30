import type { Interval } from "../../results/inference.js";
import type { Choice } from "../../results/selections.js";
import type { Summary } from "../../results/summary.js";
import type { Cell, Judgement, OptionValue, Row, UnitRecord } from "../../types/index.js";
import { type ArmPick, matches } from "./paper.js";

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
  /** Mean score of the first judge of its replies, and its verdicts by the turn of the dialogue. */
  readonly judged?:
    | {
        readonly mean: number;
        readonly interval: Interval | undefined;
        readonly verdicts: readonly { readonly turn: number | undefined; readonly value: number }[];
      }
    | undefined;
  /** What it chose for questions that people labelled. */
  readonly choices?: readonly Choice[] | undefined;
  /** Verdicts on its answers against other arms'. */
  readonly verdicts?: readonly { readonly against: Cell; readonly verdicts: readonly Judgement[] }[];
  /** First and last persona of every user; empty where the method keeps none. */
  readonly personas: readonly { readonly text: string; readonly initial: string }[];
}

/** Returns whether a cell is of the method and has the options. */
export const isArm = ({ method, options = {} }: ArmPick, cell: Cell): boolean =>
  (method === undefined || cell.method === method) &&
  Object.entries(options).every(([name, value]) => matches(value, cell.options[name]));
