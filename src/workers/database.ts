import type { Pool } from "pg";
import { UsageError } from "../errors.js";
import type { Io } from "../run/io.js";
import { messageOf, oneLine } from "../text/file-trouble.js";
import { dropUsers, loaded, SILENT_SECONDS } from "./queue.js";
import { openTables } from "./schema.js";

/** `open`: workers ask; `paused` and `ended`: they start nothing; `gone`: it is not there. */
export type RunState = "open" | "paused" | "ended" | "gone";

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

/** Opens the database, and makes its tables where there are none. Throws UsageError where it will not do. `named`: its address; otherwise the environment has it. */
export async function openDatabase(
  named: string | boolean | undefined,
  io: Pick<Io, "clock" | "env" | "tell">,
  kill: AbortSignal = new AbortController().signal,
): Promise<Database> {
  const { shown, pool } = await driverOf(named, io.env);
  try {
    await openTables(pool);
    return new Database(shown, pool, { ...io, kill });
  } catch (error) {
    await pool.end();
    throw inOneLine(error, shown);
  }
}

const AGAIN_MS = 1_000;

/** The database of workers. While it is away everything tries again, until `kill` fires. */
export class Database {
  /** `db.lab:5432/lamp`: never with a login. */
  readonly shown: string;
  readonly pool: Pool;
  readonly #io: Pick<Io, "clock" | "tell"> & { readonly kill: AbortSignal };
  #isAway = false;

  constructor(shown: string, pool: Pool, io: Pick<Io, "clock" | "tell"> & { readonly kill: AbortSignal }) {
    this.shown = shown;
    this.pool = pool;
    this.#io = io;
  }

  /** Says once that the database is away. Throws UsageError. */
  async patiently<T>(job: () => Promise<T>): Promise<T> {
    const { clock, tell, kill } = this.#io;
    for (;;) {
      try {
        const done = await job();
        this.#isAway = false;
        return done;
      } catch (error) {
        if (!isGone(error) || kill.aborted) throw inOneLine(error, this.shown);
        if (!this.#isAway) tell(`${this.shown} is away: answers that arrive are kept, and nothing new starts`);
        this.#isAway = true;
      }
      await clock.sleep(AGAIN_MS, kill).catch(() => undefined);
    }
  }

  query<T extends object>(sql: string, ...values: readonly unknown[]): Promise<readonly T[]> {
    return this.patiently(async () => (await this.pool.query<T>(sql, [...values])).rows);
  }

  /** Returns the runs of this name, or of this state. */
  runs(by: { readonly id: string } | { readonly state: RunState }): Promise<readonly SharedRun[]> {
    const [[column, value]] = Object.entries(by) as [[string, string]];
    return this.query(`select * from lamp_eval.run where ${column} = $1 order by id`, value);
  }

  /** Nothing begins any more. The first reason stands. */
  async stop(run: string, state: "paused" | "ended", why?: string): Promise<void> {
    await this.query("update lamp_eval.run set state = $2, why = $3 where id = $1 and state = 'open'", run, state, why);
  }

  /** Does operations of a worker in one transaction. */
  async exchange<T>(run: string, worker: string, ops: readonly object[]): Promise<Exchanged<T>> {
    const sql = "select lamp_eval.exchange($1, $2, $3) as told";
    const [row] = await this.query<{ told: Exchanged<T> }>(sql, run, worker, JSON.stringify(ops));
    return row!.told; // a function returns one row
  }

  /** Gives a sign of life of a worker, and frees what silent ones hold. Returns the state of the run. */
  async beat(run: string, worker?: string): Promise<RunState> {
    const sql = "select lamp_eval.beat($1, $2, $3) as state";
    const [row] = await this.query<{ state: RunState }>(sql, run, worker, SILENT_SECONDS);
    return row!.state; // the same
  }

  async leave(run: string, worker: string): Promise<void> {
    await this.query("delete from lamp_eval.worker where run = $1 and id = $2", run, worker);
    await this.beat(run);
  }

  /** Drops everything that it holds of a run. Returns whether there was any. */
  async drop(run: string): Promise<boolean> {
    const was = await this.query("delete from lamp_eval.run where id = $1 returning id", run);
    await this.patiently(() => dropUsers(this.pool, run));
    return was.length > 0;
  }

  close(): Promise<void> {
    return this.pool.end();
  }
}

interface Exchanged<T> {
  readonly state: RunState;
  readonly answers?: readonly T[];
}

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
  const config = {
    ...{ connectionString: address, application_name: "lamp-eval", connectionTimeoutMillis: 10_000, keepAlive: true },
    max: 8,
    options: "-c search_path=bullmq", // BullMQ names its tables without their schema
  };
  const pool = new pg.Pool(config);
  pool.on("error", () => undefined); // an idle connection that broke is replaced
  return { shown: `${url.hostname}:${url.port || 5432}${url.pathname}`, pool };
}

/** Returns what went wrong with the database as one line; neither the driver's nor the server's words hold a login. */
const inOneLine = (error: unknown, shown: string): UsageError =>
  error instanceof UsageError ? error : new UsageError(`--workers ${shown}: ${oneLine(error) || codeOf(error)}`);

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? "no connection";

/** Whether the server cannot be reached for now, or has undone a statement because of a deadlock. */
export function isGone(error: unknown): boolean {
  return (
    /^(ECONN|ENOTFOUND|EAI_|EHOST|ENET|ETIMEDOUT|EPIPE|57P0|08|53300|40P01)/.test(codeOf(error)) ||
    /connection (terminated|timeout)|timeout expired|timeout exceeded|not queryable/i.test(messageOf(error))
  );
}
