import type { Arm } from "../plan/types.js";
import type { StoredRun } from "../record/stored-run.js";
import { modelOf } from "../registry/further-models.js";
import type { Row, Usage } from "../types/index.js";
import { addLoads, type Load, NO_CALLS, scaleLoad } from "./load.js";

/** A run whose programs show what they call. */
export type EarlierRun = Pick<StoredRun, "arm" | "rows" | "units">;

interface Inputs {
  readonly runs?: readonly EarlierRun[];
  readonly price: (model: string, usage: Usage) => number | undefined;
}

/** Returns the phases of a program, which has no plan: what it called in earlier runs, else NaN. */
export function phasesOfProgram({ spec, loaded }: Arm, { runs = [], price }: Inputs) {
  const isSame = (run: (typeof runs)[number]) => (record: Pick<Row, "arm" | "spend" | "spendUnknown">) =>
    run.arm(record.arm)?.method === spec.method && record.spendUnknown !== true;
  const users = runs.flatMap((run) => run.units.filter(isSame(run)));
  const questions = runs.flatMap((run) => run.rows.filter(isSame(run)));
  const phases = new Map<string, Load>();
  for (const [records, planned] of [[users, [...loaded.units].length] as const, [questions, loaded.questions] as const])
    for (const [phase, { calls, in: tokensIn, out: tokensOut }] of records.flatMap(({ spend }) =>
      Object.entries(spend),
    )) {
      const usd = price(modelOf(phase, spec), { in: tokensIn, out: tokensOut });
      const load = scaleLoad({ calls, tokensIn, tokensOut, usd }, planned / records.length);
      phases.set(phase, addLoads(phases.get(phase) ?? NO_CALLS, load));
    }
  const unknown = { calls: Number.NaN, tokensIn: Number.NaN, tokensOut: Number.NaN, usd: undefined };
  if (phases.size === 0) phases.set("not known", unknown);
  return [...phases].map(([phase, expected]) => {
    const { calls: callsHigh, ...most } = unknown;
    return { phase, callsLow: 0, callsHigh, ...most, expected, repeated: NO_CALLS };
  });
}
