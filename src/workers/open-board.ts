import type { Io } from "../app/io.js";
import { UsageError } from "../errors.js";
import { Board } from "./board.js";
import { type Database, databaseTrouble, openDatabase } from "./connect.js";
import { Users } from "./queue.js";
import { migrate, refuseOtherSchema } from "./schema.js";

/** A worker's clock may be off by so much: locks go by the clocks of the workers. */
const MOST_OFF_MS = 2_000;

/** The address of the database. Throws UsageError where none is named. */
function addressOf(named: string | boolean | undefined, { env }: Pick<Io, "env">): string {
  const address = typeof named === "string" ? named : env.LAMP_EVAL_WORKERS;
  if (address !== undefined && address !== "") return address;
  throw new UsageError(
    "--workers: no database is named; set LAMP_EVAL_WORKERS to postgres://USER@HOST/DATABASE?sslmode=verify-full",
  );
}

/** A database that was tried once. */
export interface OpenBoard {
  readonly database: Database;
  readonly board: Board;
  close(): Promise<void>;
}

/** Throws UsageError where the database, its tables or this machine's clock will not do. */
export async function openBoard(
  named: string | boolean | undefined,
  io: Pick<Io, "clock" | "env">,
): Promise<OpenBoard> {
  const database = await openDatabase(addressOf(named, io));
  const pool = database.pool(3);
  try {
    await refuseOtherSchema(pool);
    const board = new Board(pool);
    const offMs = await board.clockOff(() => io.clock.now());
    if (Math.abs(offMs) > MOST_OFF_MS)
      throw new UsageError(
        `--workers ${database.shown}: this machine's clock is ${(offMs / 1000).toFixed(1)} s off the database's; set it (NTP)`,
      );
    return { database, board, close: () => pool.end() };
  } catch (error) {
    await pool.end();
    throw databaseTrouble(error, database.shown);
  }
}

/** Makes the tables where there are none; `role` may then use them. Returns what to tell. */
export async function migrateTables(workers: string | undefined, role: string | undefined, io: Io): Promise<string> {
  const database = await openDatabase(addressOf(workers, io));
  const client = database.client();
  try {
    await client.connect();
    const { isNew } = await migrate(client, role);
    return `${database.shown}: the tables are ${isNew ? "made" : "there"}${role === undefined ? "" : `, ${role} may use them`}`;
  } catch (error) {
    throw databaseTrouble(error, database.shown);
  } finally {
    await client.end();
  }
}

/** Drops everything that the database holds of a run. Returns what to tell. */
export async function forgetRun(workers: string | undefined, run: string, io: Io): Promise<string> {
  const opened = await openBoard(workers, io);
  try {
    if (!(await dropRun(opened, run))) throw new UsageError(`--forget ${run}: the database holds no run of that name`);
    return `${run} is forgotten; its folder is as it was`;
  } finally {
    await opened.close();
  }
}

/** Returns whether there was one. */
export async function dropRun(
  { database, board }: Pick<OpenBoard, "database" | "board">,
  run: string,
): Promise<boolean> {
  const was = await board.forget(run);
  await withUsers(database, run, (users) => users.drop());
  return was;
}

/** Opens the queue anew each time: BullMQ never asks again for a connection that failed at first. */
export async function withUsers(database: Database, run: string, job: (users: Users) => Promise<void>): Promise<void> {
  const pool = database.pool(2);
  try {
    const users = await Users.open(run, pool);
    await job(users).finally(() => users.close());
  } finally {
    await pool.end();
  }
}
