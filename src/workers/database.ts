import { UnreachableError, UsageError } from "../errors.js";
import type { Io } from "../plan/io.js";
import { messageOf, oneLine } from "../text/file-trouble.js";
import { dropUsers, loadOptional, SILENT_SECONDS } from "./queue.js";
import { openTables } from "./schema.js";

/** `open`: workers make calls; `paused`, `ended`: they start nothing; `deleted`: the database does not hold the run. */
export type RunState = "open" | "paused" | "ended" | "deleted";

/** A row of the table of runs. */
export interface SharedRun {
  readonly id: string;
  /** JSON of `planText` in plan.ts. */
  readonly plan: string;
  readonly state: RunState;
  /** Number of the last answer that the run brought along, a bigint as text; null while these are being added. */
  readonly filled: string | null;
  /** Reason of the end, as JSON of `whyOf` in worker.ts. */
  readonly why: string | null;
}

const RETRY_MS = 1_000;

export type Database = Awaited<ReturnType<typeof openDatabase>>;

/**
 * Opens the workers' database and creates its tables if they are missing. `named`: its address; without one LAMP_EVAL_WORKERS. While the
 * database cannot be reached, all statements are repeated until `kill` fires. Throws UsageError if it cannot be used.
 */
export async function openDatabase(
  named: string | boolean | undefined,
  { clock, env, tell }: Pick<Io, "clock" | "env" | "tell">,
  kill: AbortSignal = new AbortController().signal,
) {
  const { shown, pool } = await driverOf(named, env);
  let isAway = false;
  /** Repeats a job while the database cannot be reached, and says so once. Throws UsageError on any other error. */
  const whenReachable = async <T>(job: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        const result = await job();
        isAway = false;
        return result;
      } catch (error) {
        if (!isUnreachable(error) || kill.aborted) throw inOneLine(error, shown);
        if (!isAway) tell(`${shown} is away: answers that arrive are kept, and nothing new starts`);
        isAway = true;
      }
      await clock.sleep(RETRY_MS, kill).catch(() => undefined);
    }
  };
  const query = <T extends object>(sql: string, ...values: readonly unknown[]): Promise<readonly T[]> =>
    whenReachable(async () => (await pool.query<T>(sql, [...values])).rows);
  /** Executes operations of a worker, or of the run's process (null), in one transaction. It counts as a heartbeat. */
  const apply = async <T>(run: string, worker: string | null, ops: readonly object[]): Promise<Applied<T>> => {
    const sql = "select lamp_eval.apply_ops($1, $2, $3) as result";
    const [row] = await query<{ result: Applied<T> }>(sql, run, worker, JSON.stringify(ops));
    return row!.result; // a function returns one row
  };
  try {
    await openTables(pool);
  } catch (error) {
    await pool.end();
    throw inOneLine(error, shown);
  }
  return {
    /** Address without a login: `db.lab:5432/lamp`. */
    shown,
    pool,
    whenReachable,
    query,
    apply,
    /** Sends a heartbeat, and frees the claims of silent workers. Returns the state of the run. */
    async beat(run: string, worker: string | null): Promise<RunState> {
      return (await apply(run, worker, [{ op: "beat", silent: SILENT_SECONDS }])).state;
    },
    /** Lets workers start nothing more. `why`: reason of the end; the first one is kept. */
    async stop(run: string, state: "paused" | "ended", why?: string): Promise<void> {
      await query("update lamp_eval.run set state = $2, why = $3 where id = $1 and state = 'open'", run, state, why);
    },
    /** Deletes a run and its queue. Returns false if the database did not hold the run. */
    async drop(run: string): Promise<boolean> {
      const deleted = await query("delete from lamp_eval.run where id = $1 returning id", run);
      await whenReachable(() => dropUsers(pool, run));
      return deleted.length > 0;
    },
    close: () => pool.end(),
  };
}

export type Applied<T> = { readonly state: RunState; readonly answers?: readonly T[] };

/** Deletes a run from the database. Returns a message for the user. Throws UsageError if the database does not hold it. */
export async function forgetRun(named: string | undefined, run: string, io: Io): Promise<string> {
  const database = await openDatabase(named, io);
  try {
    if (await database.drop(run)) return `${run} is forgotten; its folder is as it was`;
    throw new UsageError(`--forget ${run}: the database holds no run of that name`);
  } finally {
    await database.close();
  }
}

/** Opens a connection pool, without any connection yet. Throws UsageError on an invalid address, and without TLS to another machine. */
async function driverOf(named: string | boolean | undefined, env: Io["env"]) {
  const address = (typeof named === "string" ? named : env.LAMP_EVAL_WORKERS) ?? "";
  const wrong = (what: string): UsageError =>
    new UsageError(
      `--workers: ${what}; expected postgres://USER@HOST/DATABASE?sslmode=verify-full, in LAMP_EVAL_WORKERS`,
    );
  if (address === "") throw wrong("no database is named");
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^postgres(ql)?:$/.test(url.protocol) || url.hostname === "" || url.pathname.length < 2)
    throw wrong("no address of a PostgreSQL database");
  const unknown = [...url.searchParams.keys()].find((name) => !["sslmode", "sslrootcert"].includes(name));
  if (unknown !== undefined) throw wrong(`${unknown} in the address is not known`);
  const isNear = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  const mode = url.searchParams.get("sslmode") ?? "none";
  if (mode !== "verify-full" && !(isNear && ["none", "disable"].includes(mode)))
    throw wrong(
      `${url.hostname} is another machine or sslmode=${mode} lets others listen, so sslmode=verify-full is needed`,
    );
  const { default: pg } = await loadOptional(() => import("pg"));
  const pool = new pg.Pool({
    connectionString: address,
    application_name: "lamp-eval",
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    max: 8,
    options: "-c search_path=bullmq", // BullMQ names its tables without their schema
  });
  pool.on("error", () => undefined); // the pool replaces a broken idle connection
  return { shown: `${url.hostname}:${url.port || 5432}${url.pathname}`, pool };
}

/** Returns an error of the database as a UsageError of one line. Messages of driver and server hold no login. */
function inOneLine(error: unknown, shown: string): UsageError {
  if (error instanceof UsageError) return error;
  const message = `--workers ${shown}: ${oneLine(error) || codeOf(error)}`;
  return isUnreachable(error) ? new UnreachableError(message) : new UsageError(message);
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? "no connection";

/** Returns true for an error that may pass: the server cannot be reached, or has rolled back a deadlock. */
export function isUnreachable(error: unknown): boolean {
  return (
    /^(ECONN|ENOTFOUND|EAI_|EHOST|ENET|ETIMEDOUT|EPIPE|57P0|08|53300|40P01)/.test(codeOf(error)) ||
    /connection (terminated|timeout)|timeout expired|timeout exceeded|not queryable/i.test(messageOf(error))
  );
}
