/** How the engine names the units of shared values. */
const SHARED = "shared/";

/** Whether a record belongs to what all units of its cell share. */
export const isShared = ({ unit }: { readonly unit: string }): boolean => unit.startsWith(SHARED);

/** One key for a question of a unit in a cell, or, without a question, for the unit's preparation. */
export const originKey = ({
  cell,
  unit,
  question,
}: {
  readonly cell: string;
  readonly unit: string;
  readonly question?: string | undefined;
}): string => `${cell}\t${unit}\t${question ?? ""}`;
