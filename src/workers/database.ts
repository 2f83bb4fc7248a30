import { UnreachableError, UsageError } from "../errors.js";
import type { Io } from "../plan/io.js";
import { messageOf, oneLine } from "../text/file-trouble.js";
import { dropUsers, loaded, SILENT_SECONDS } from "./queue.js";
import { openTables } from "./schema.js";

/** `open`: workers ask; `paused` and `ended`: they start nothing; `deleted`: it is not there. */
export type RunState = "open" | "paused" | "ended" | "deleted";

/** A run as its process and its workers see it. */
export interface SharedRun {
  readonly id: string;
  /** See plan.ts. */
  readonly plan: string;
  readonly state: RunState;
  /** Number of the last entry that the run brought along, as text; null while they are being added. */
  readonly filled: string | null;
  /** Why it ended, as JSON. */
  readonly why: string | null;
}

const AGAIN_MS = 1_000;

export type Database = Awaited<ReturnType<typeof openDatabase>>;

/**
 * Opens the database of workers, and makes its tables where there are none. While it is away everything tries again, until `kill` fires.
 * Throws UsageError where it will not do. `named`: its address; otherwise the environment has it.
 */
export async function openDatabase(
  named: string | boolean | undefined,
  { clock, env, tell }: Pick<Io, "clock" | "env" | "tell">,
  kill: AbortSignal = new AbortController().signal,
) {
  const { shown, pool } = await driverOf(named, env);
  let isAway = false;
  /** Says once that the database is away. Throws UsageError. */
  const patiently = async <T>(job: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        const done = await job();
        isAway = false;
        return done;
      } catch (error) {
        if (!isUnreachable(error) || kill.aborted) throw inOneLine(error, shown);
        if (!isAway) tell(`${shown} is away: answers that arrive are kept, and nothing new starts`);
        isAway = true;
      }
      await clock.sleep(AGAIN_MS, kill).catch(() => undefined);
    }
  };
  const query = <T extends object>(sql: string, ...values: readonly unknown[]): Promise<readonly T[]> =>
    patiently(async () => (await pool.query<T>(sql, [...values])).rows);
  /** Does operations of a worker, or of the run's process (null), in one transaction: a sign of life. */
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
    /** `db.lab:5432/lamp`: never with a login. */
    ...{ shown, pool, patiently, query, apply },
    /** Gives a sign of life, and frees what silent workers hold. Returns the state of the run. */
    async beat(run: string, worker: string | null): Promise<RunState> {
      return (await apply(run, worker, [{ op: "beat", silent: SILENT_SECONDS }])).state;
    },
    /** Nothing begins any more. The first reason stands. */
    async stop(run: string, state: "paused" | "ended", why?: string): Promise<void> {
      await query("update lamp_eval.run set state = $2, why = $3 where id = $1 and state = 'open'", run, state, why);
    },
    /** Drops everything that it holds of a run. Returns whether there was any. */
    async drop(run: string): Promise<boolean> {
      const was = await query("delete from lamp_eval.run where id = $1 returning id", run);
      await patiently(() => dropUsers(pool, run));
      return was.length > 0;
    },
    close: () => pool.end(),
  };
}

export type Applied<T> = { readonly state: RunState; readonly answers?: readonly T[] };

/** Drops everything that the database holds of a run. Returns what was done. */
export async function forgetRun(named: string | undefined, run: string, io: Io): Promise<string> {
  const database = await openDatabase(named, io);
  try {
    if (await database.drop(run)) return `${run} is forgotten; its folder is as it was`;
    throw new UsageError(`--forget ${run}: the database holds no run of that name`);
  } finally {
    await database.close();
  }
}

/** Loads the driver; nothing is connected yet. Throws UsageError on an address that is none or lets others listen. */
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
  const { default: pg } = await loaded(() => import("pg"));
  const pool = new pg.Pool({
    ...{ connectionString: address, application_name: "lamp-eval", connectionTimeoutMillis: 10_000, keepAlive: true },
    max: 8,
    options: "-c search_path=bullmq", // BullMQ names its tables without their schema
  });
  pool.on("error", () => undefined); // an idle connection that broke is replaced
  return { shown: `${url.hostname}:${url.port || 5432}${url.pathname}`, pool };
}

/** Returns what went wrong with the database as one line; neither the driver's nor the server's words hold a login. */
const inOneLine = (error: unknown, shown: string): UsageError =>
  error instanceof UsageError
    ? error
    : new (isUnreachable(error) ? UnreachableError : UsageError)(
        `--workers ${shown}: ${oneLine(error) || codeOf(error)}`,
      );

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? "no connection";

/** True where the server cannot be reached for now, or has undone a statement because of a deadlock. */
export function isUnreachable(error: unknown): boolean {
  return (
    /^(ECONN|ENOTFOUND|EAI_|EHOST|ENET|ETIMEDOUT|EPIPE|57P0|08|53300|40P01)/.test(codeOf(error)) ||
    /connection (terminated|timeout)|timeout expired|timeout exceeded|not queryable/i.test(messageOf(error))
  );
}
