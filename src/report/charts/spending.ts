import type { Row, Spend, UnitRecord } from "../../types.js";
import type { Arm } from "./arms.js";

/** What one question costs in an arm, preparation of users and shared work spread over the questions. */
export interface Cost {
  readonly tokens: number;
  /** US dollars by list price; undefined where no price is known. */
  readonly usd: number | undefined;
}

/** Undefined where no question was asked, or what a question cost is not known. */
export function costPerQuestion({ summary, rows }: Arm, units: readonly UnitRecord[]): Cost | undefined {
  if (rows.length === 0 || summary.tokensPerQuery === undefined) return undefined;
  const prepared = units.filter(({ cell }) => summary.cells.includes(cell));
  const tokens = [...rows, ...prepared].reduce((sum, { spend }: Row | UnitRecord) => sum + tokensOf(spend), 0);
  return { tokens: tokens / rows.length, usd: summary.usd === undefined ? undefined : summary.usd / rows.length };
}

const tokensOf = (spend: Spend): number => Object.values(spend).reduce((sum, phase) => sum + phase.in + phase.out, 0);
