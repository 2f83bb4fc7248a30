/** A line of `report --format json` for an arm: its numbers by the names of columns. */
export interface ArmRecord extends Readonly<Record<string, string | number | null | undefined>> {
  readonly method: string;
  readonly usd?: number;
  readonly p?: number;
  readonly p_holm?: number;
  readonly gain?: number;
  readonly gain_low?: number;
  readonly gain_high?: number;
  readonly accuracy?: number;
}

/** The arms in a report as JSON, without baselines and the tables of a sweep. */
export const armRecords = (json: string): ArmRecord[] =>
  (JSON.parse(json) as { tables: { rows: ArmRecord[] }[] }).tables
    .flatMap(({ rows }) => rows)
    .filter(({ arm, task }) => arm !== undefined && task !== undefined && task !== null);
