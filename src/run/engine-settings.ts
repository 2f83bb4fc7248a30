import type { Embedder, Model, Row, Trace, UnitRecord } from "../types/index.js";
import type { ArmContext, CallOrigin, ToolOf } from "./kit.js";
import type { Arm } from "./plan/types.js";
import type { Waits } from "./waits.js";

/**
 * Incident of a question whose gold did not enter memory, because a call of the learning failed. The questions behind it saw
 * less than they should: the user's stream is done again from there when the run is taken up again.
 */
export const learningFailed = "learning-failed";

/** Where the engine puts what it produces. */
export interface Rows {
  row(row: Row): void;
  unit(record: UnitRecord): void;
  trace(trace: Trace): void;
}

export interface Equipment {
  readonly model: Model;
  /** The models that the arm names besides. Absent: none. */
  readonly further?: ArmContext["further"];
  readonly embedder: Embedder;
  /** Undefined: the parameter is not sent. */
  readonly temperature: number | undefined;
}

export interface EngineSettings {
  readonly arms: readonly Arm[];
  /** What an arm works with. Arms with equal requests share their calls where they share a model with a store. */
  readonly equip: (arm: Arm) => Equipment;
  readonly tool: ToolOf;
  /** Units, and questions, in work at once; where it is by arm, for those of each `of` apart. The model's own limiter bounds the calls. */
  readonly concurrency: number | ((arm: Arm) => Width);
  /** How much of the caps is used, from 0 to 1; undefined: there is none. Absent: nobody looks. */
  readonly used?: () => number | undefined;
  /** Most seconds that a method may stay without an end and without a call. Absent: 300. */
  readonly deadlineSeconds?: number | undefined;
  /** Counts who waits for replies. Absent: nobody asks. */
  readonly waits?: Waits;
  /** Prequential mode: a user's questions in order, and after each its gold enters what the method remembers. */
  readonly online?: boolean;
  readonly rows: Rows;
  /** Answers of programs. Absent: each is asked anew. */
  readonly programs?: ArmContext["programs"];
  /** Texts of the files that options name. Absent: none are named. */
  readonly files?: ReadonlyMap<string, string>;
  /** Fires when no new call may start: calls in flight are finished and stored. */
  readonly stop: AbortController;
  /** Fires when calls in flight are dropped too. */
  readonly kill: AbortSignal;
  /** Told of every row, once it is written. */
  readonly onRow?: (row: Row) => void;
  /** Gives the error of a failed call another text, from what the call was made for. */
  readonly explain?: (error: unknown, asked: CallOrigin) => Error | undefined;
  /** Called with every request before it is sent; the function it returns is called with the reply. */
  readonly onAsk?: ArmContext["onAsk"];
}

/** How many units are in work at once for the arms of one model. */
export interface Width {
  readonly of: string;
  readonly width: number;
}
