import { UsageError } from "../../errors.js";
import { choices, suggest } from "../../registry/registry.js";
import type { PaperTable } from "../papers/paper.js";
import type { OwnArm } from "./own-arm.js";

/** `PersonaAgent=mine`: arms of the method `mine` stand where the paper has PersonaAgent. */
export interface StandIn {
  /** As the paper prints it. */
  readonly method: string;
  /** As the run names it. */
  readonly own: string;
}

/** Puts another own method beside the rows of a label, and into the claims. Throws UsageError on a name that the table or the runs lack. */
export function withStandIn(table: PaperTable, { method, own }: StandIn, arms: readonly OwnArm[]): PaperTable {
  const labels = [...new Set(table.rows.map(({ label }) => label))];
  const label = labels.find((one) => one.toLowerCase() === method.toLowerCase());
  const has = labels.length === 0 ? "it has no rows" : `its methods: ${labels.join(", ")}`;
  if (label === undefined)
    throw new UsageError(`--as ${method}: not in ${table.name}${suggest(method, labels)}; ${has}`);
  const known = [...new Set(arms.map(({ cell }) => cell.method))];
  if (!known.includes(own))
    throw new UsageError(`--as ${method}=${own}: no method of that name in the runs${choices(own, known, "theirs")}`);
  const replaced = table.rows.flatMap((row) => (row.label === label ? (row.arm?.method ?? []) : []));
  const renamed = <T extends { methods?: string[] | undefined }>(side: T): T => ({
    ...side,
    methods: side.methods?.map((one) => (replaced.includes(one) ? own : one)),
  });
  return {
    ...table,
    rows: table.rows.map((row) => (row.label === label ? { ...row, arm: { method: own } } : row)),
    claims: table.claims.map((one) => ({ ...one, better: renamed(one.better), than: renamed(one.than) })),
    notes: [`${own} stands for ${label} (--as)`, ...table.notes],
  };
}
