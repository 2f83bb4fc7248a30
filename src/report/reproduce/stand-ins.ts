import { UsageError } from "../../errors.js";
import { choices, suggest } from "../../registry/registry.js";
import type { Cell } from "../../types/index.js";
import type { OwnArm, PaperRow, PaperTable } from "../papers/paper.js";

/** `PersonaAgent=mine`: arms of the method `mine` stand where the paper has PersonaAgent. */
export interface StandIn {
  /** As the paper prints it. */
  readonly method: string;
  /** As the run names it. */
  readonly own: string;
}

/**
 * The table with other own methods beside some rows, and in the claims on these. What stood there before does not any
 * longer, so that a line and a claim are about one method. Throws UsageError on methods that the table or the runs lack.
 */
export function withStandIns(table: PaperTable, standIns: readonly StandIn[], arms: readonly OwnArm[]): PaperTable {
  if (standIns.length === 0) return table;
  const ownOf = new Map(
    standIns.map(({ method, own }) => [rowNamed(method, table), presentName(method, own, arms)] as const),
  );
  const rows = table.rows.map((row) => {
    const name = ownOf.get(row);
    return name === undefined ? row : { ...row, arm: { method: name } };
  });
  const claims = table.claims.map((claim) => ({
    ...claim,
    check: (given: readonly OwnArm[]) => claim.check(inPlace(given, ownOf)),
  }));
  const remarks = [...ownOf].map(([row, name]) =>
    table.claims.length === 0
      ? `${name} stands for ${row.method} (--as)`
      : `${name} stands for ${row.method} (--as); in the claims it is called ${row.arm?.method}`,
  );
  return { ...table, rows, claims, notes: [...remarks, ...table.notes] };
}

function rowNamed(method: string, { name, rows }: PaperTable): PaperRow {
  const row = rows.find((one) => one.method.toLowerCase() === method.toLowerCase());
  if (row !== undefined) return row;
  const known = [...new Set(rows.map((one) => one.method))];
  const has = known.length === 0 ? "it has no rows" : `its methods: ${known.join(", ")}`;
  throw new UsageError(`--as ${method}: not in ${name}${suggest(method, known)}; ${has}`);
}

function presentName(method: string, name: string, arms: readonly OwnArm[]): string {
  const known = [...new Set(arms.map(({ cell }) => cell.method))];
  if (known.includes(name)) return name;
  throw new UsageError(`--as ${method}=${name}: no method of that name in the runs${choices(name, known, "theirs")}`);
}

/** The arms as the claims know them: stand-ins under the replaced method's name and options, the replaced ones left out. */
function inPlace(arms: readonly OwnArm[], ownOf: ReadonlyMap<PaperRow, string>): OwnArm[] {
  const replaced = new Set([...ownOf.keys()].map(({ arm }) => arm?.method));
  const rowOf = new Map([...ownOf].map(([row, name]) => [name, row]));
  return arms.flatMap((arm) => {
    const pattern = rowOf.get(arm.cell.method)?.arm;
    if (pattern === undefined) return replaced.has(arm.cell.method) ? [] : [arm];
    const options = Object.entries(pattern.options ?? {}).filter(([, value]) => !(value instanceof RegExp));
    const cell = {
      ...arm.cell,
      method: pattern.method ?? arm.cell.method,
      options: { ...arm.cell.options, ...(Object.fromEntries(options) as Cell["options"]) }, // no patterns are left
    };
    return [{ ...arm, cell }];
  });
}
