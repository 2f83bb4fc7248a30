import { UsageError } from "../errors.js";
import type { Io } from "../run/io.js";
import { type Database, databaseTrouble, isGone, openDatabase } from "./connect.js";
import { dropUsers, SILENT_SECONDS } from "./queue.js";
import { migrate, refuseOtherSchema } from "./schema.js";

/** `filling`: its answers are being added; `open`: workers ask; `paused` and `ended`: they start nothing; `gone`: it is not there. */
export type RunState = "filling" | "open" | "paused" | "ended" | "gone";

/** A run as its process and its workers see it. */
export interface BoardRun {
  readonly id: string;
  /** Tells two runs of one name apart. */
  readonly owner: string;
  /** See plan.ts. */
  readonly plan: string;
  readonly state: RunState;
  /** Why it ended, as JSON. */
  readonly why: string | null;
  readonly maxCalls: number | null;
  readonly maxUsd: number | null;
}

/** The database of workers, which was tried once: what is asked of it besides the calls (exchange.ts). */
export interface Board {
  readonly database: Database;
  /** Tries again while the database is away, until `kill` fires; says so once. Throws UsageError. */
  patiently<T>(job: () => Promise<T>): Promise<T>;
  query<T extends object>(sql: string, ...values: readonly unknown[]): Promise<readonly T[]>;
  /** The runs of this name, or of this state. */
  runs(by: { readonly id: string } | { readonly state: RunState }): Promise<readonly BoardRun[]>;
  /** Nothing begins any more. The first reason stands. */
  stop(run: string, state: "paused" | "ended", why?: string): Promise<unknown>;
  /** Frees what silent workers hold. */
  reap(run: string): Promise<unknown>;
  close(): Promise<void>;
}

/** A worker's clock may be off by so much: locks go by the clocks of the workers. */
const MOST_OFF_MS = 2_000;
const AGAIN_MS = 1_000;

/** Throws UsageError where the database, its tables or this machine's clock will not do. */
export async function openBoard(
  named: string | boolean | undefined,
  { clock, env, tell }: Pick<Io, "clock" | "env" | "tell">,
  kill: AbortSignal = new AbortController().signal,
): Promise<Board> {
  const database = await openDatabase(addressOf(named, env));
  const { shown } = database;
  const pool = database.pool(3);
  let isAway = false;
  const patiently = async <T>(job: () => Promise<T>): Promise<T> => {
    try {
      const done = await job();
      if (isAway) tell(`${shown} is back`);
      isAway = false;
      return done;
    } catch (error) {
      if (!isGone(error) || kill.aborted) throw databaseTrouble(error, shown);
      if (!isAway) tell(`${shown} is away: answers that arrive are kept, and nothing new starts`);
      isAway = true;
    }
    await clock.sleep(AGAIN_MS, kill).catch(() => undefined);
    return patiently(job);
  };
  const query = <T extends object>(sql: string, ...values: readonly unknown[]): Promise<readonly T[]> =>
    patiently(async () => (await pool.query<T>(sql, [...values])).rows);
  try {
    await refuseOtherSchema(pool);
    const before = clock.now();
    const [server] = await query<{ ms: number }>("select lamp_eval.now_ms() as ms");
    const offMs = (before + clock.now()) / 2 - server!.ms; // a function returns one row
    if (Math.abs(offMs) > MOST_OFF_MS)
      throw new UsageError(
        `--workers ${shown}: this machine's clock is ${(offMs / 1000).toFixed(1)} s off the database's; set it (NTP)`,
      );
  } catch (error) {
    await pool.end();
    throw databaseTrouble(error, shown);
  }
  const fields = `id, owner, plan, state, why, max_calls as "maxCalls", max_usd as "maxUsd"`;
  return {
    database,
    patiently,
    query,
    runs: (by) =>
      query(
        `select ${fields} from lamp_eval.run where ${"id" in by ? "id" : "state"} = $1 order by id`,
        ...Object.values(by),
      ),
    stop: (run, state, why) =>
      query("update lamp_eval.run set state = $2, why = $3 where id = $1 and state = 'open'", run, state, why),
    reap: (run) => query("select lamp_eval.reap($1, make_interval(secs => $2))", run, SILENT_SECONDS),
    close: () => pool.end(),
  };
}

function addressOf(named: string | boolean | undefined, env: Io["env"]): string {
  const address = typeof named === "string" ? named : env.LAMP_EVAL_WORKERS;
  if (address !== undefined && address !== "") return address;
  throw new UsageError(
    "--workers: no database is named; set LAMP_EVAL_WORKERS to postgres://USER@HOST/DATABASE?sslmode=verify-full",
  );
}

/** Makes the tables where there are none; `role` may then use them. Returns what was done. */
export async function migrateTables(workers: string | undefined, role: string | undefined, io: Io): Promise<string> {
  const database = await openDatabase(addressOf(workers, io.env));
  const client = database.client();
  try {
    await client.connect();
    await migrate(client, role);
    return `${database.shown}: the tables are there${role === undefined ? "" : `, ${role} may use them`}`;
  } catch (error) {
    throw databaseTrouble(error, database.shown);
  } finally {
    await client.end();
  }
}

/** Drops everything that the database holds of a run. Returns what was done. */
export async function forgetRun(workers: string | undefined, run: string, io: Io): Promise<string> {
  const board = await openBoard(workers, io);
  try {
    const was = await dropRun(board, run);
    if (was.length === 0) throw new UsageError(`--forget ${run}: the database holds no run of that name`);
    return `${run} is forgotten; its folder is as it was`;
  } finally {
    await board.close();
  }
}

/** Returns those that were there. */
export async function dropRun({ query, patiently, database }: Board, run: string): Promise<readonly object[]> {
  const was = await query("delete from lamp_eval.run where id = $1 returning id", run);
  await patiently(() => dropUsers(database, run));
  return was;
}
