import type { StoredNote } from "../notes/note.js";
import type { RowFacts } from "./data.js";
import type { PhaseAt, Usage } from "./models.js";
import type { OptionValue } from "./options.js";

/** The kind of a sweep: how its arms are compared. */
export type SweepKind = "ablation" | "scaling" | "backbones" | "grid" | "controls";

/** The axes along which the arms of a run vary. `method` and `model` are axes of an ablation and of backbones. */
export interface SweepFacts {
  readonly kind: SweepKind;
  readonly axes: readonly {
    readonly option: string;
    readonly values: readonly OptionValue[];
    /** The value of the axis while another axis varies (scaling); the full method (ablation). */
    readonly base?: OptionValue | undefined;
  }[];
  /** Values that mean nothing on a task, and why: there is no arm of them. Absent: none. */
  readonly undefinedFor?:
    | readonly { readonly task: string; readonly value: OptionValue; readonly reason: string }[]
    | undefined;
}

/** One repeat of an arm: all that can change a reply. */
export interface ArmSpec {
  /** Short content hash of all other fields. */
  readonly id: string;
  readonly task: string;
  readonly dataset: string;
  readonly method: string;
  readonly model: string;
  /** Complete, defaults included. */
  readonly options: Readonly<Record<string, OptionValue>>;
  readonly seed: number;
  /** 0-based repeat. */
  readonly repeat: number;
}

export type Outcome =
  /** The official reading accepts the reply. `lenient` is what the forgiving reading found, where it found anything. */
  | { readonly kind: "answered"; readonly reply: string; readonly lenient?: string | undefined }
  | { readonly kind: "unparsed"; readonly reply: string; readonly lenient?: string | undefined }
  | { readonly kind: "failed"; readonly error: string };

/** Tokens as prices tell them apart. */
export type TokenCounts = Pick<Usage, "in" | "out" | "cacheRead" | "cacheWrite" | "cacheWrite1h">;

export interface PhaseTotals {
  readonly calls: number;
  readonly in: number;
  readonly out: number;
  /** Parts of `in`. Absent: none. */
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly cacheWrite1h?: number;
  /** Calls of more than 30,000 prompt tokens, one by one, where there are several calls: prices may go by the length of a call. */
  readonly long?: readonly TokenCounts[];
  /** The part that the provider itself has billed; such calls are in no `long`. */
  readonly billed?: Pick<PhaseTotals, "calls" | keyof TokenCounts> & { readonly usd: number };
  /** The part that was asked in batches, with its own long calls, which are in no other `long`. */
  readonly batch?: Pick<PhaseTotals, "calls" | "long" | keyof TokenCounts>;
}

export type Spend = Readonly<Record<PhaseAt, PhaseTotals>>;

/** One answered, unparsed or failed question. No timings here: rows compare byte for byte. */
export interface Row extends RowFacts {
  readonly arm: string;
  /** Those of the arm, for people who read the file. */
  readonly task?: string;
  readonly method?: string;
  readonly user: string;
  readonly unit: string;
  readonly question: string;
  /** Text of the question (`Question.content`), for people. */
  readonly content?: string;
  /** Absent when the data have no gold: counted, never scored. */
  readonly gold?: string | undefined;
  /** What judges said of the answer, by metric: joined when a run is read, in no file. */
  readonly verdicts?: Readonly<Record<string, number>>;
  readonly outcome: Outcome;
  /** Number of the question in the user's stream, from 1 (`--online`, and dialogues). */
  readonly position?: number | undefined;
  readonly spend: Spend;
  /** True where calls may be missing (imported predictions, programs of the user's): `spend` is a lower bound. */
  readonly spendUnknown?: true | undefined;
  readonly incidents: Readonly<Record<string, number>>;
  readonly simulated?: boolean | undefined;
}

/** The preparation of one unit (summaries, alignment), or of one value that all units of the arm share. */
export interface UnitRecord {
  readonly arm: string;
  /** Empty for a shared value. */
  readonly user: string;
  /** `shared/KEY` for a shared value. */
  readonly unit: string;
  readonly shared?: true | undefined;
  readonly historySize: number;
  readonly spend: Spend;
  readonly spendUnknown?: true | undefined;
  readonly incidents: Readonly<Record<string, number>>;
  readonly simulated?: boolean | undefined;
}

/** Time that the calls of a piece of work took, where this run made them. */
export interface Timing {
  readonly arm: string;
  readonly unit: string;
  /** Absent: the preparation of the unit. */
  readonly question?: string | undefined;
  readonly ms: number;
}

/** The trajectory of one question, or of the preparation of one unit. */
export interface Trace {
  readonly arm: string;
  readonly unit: string;
  readonly question?: string;
  /** Content ids (16 hex digits) of the requests made, sorted, each as often as it was answered, once where it never was. */
  readonly requests: readonly string[];
  readonly notes: readonly StoredNote[];
}

/** A line of `rows.jsonl`. Lines are sorted by arm, unit and question; what prepared a user stands before its questions. */
export type RowLine = (Row & { readonly kind: "question" }) | (UnitRecord & { readonly kind: "user" | "shared" });
