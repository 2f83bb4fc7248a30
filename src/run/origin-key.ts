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
