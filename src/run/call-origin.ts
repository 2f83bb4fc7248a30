import type { PhaseAt } from "../types.js";

/** What a call was made for. */
export interface CallOrigin {
  readonly cell: string;
  /** Empty for what all units of a cell share. */
  readonly unit: string;
  /** Absent: the preparation of the unit. */
  readonly question?: string;
  readonly phase: PhaseAt;
}
