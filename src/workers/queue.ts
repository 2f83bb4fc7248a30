import type { Job, PostgresConnectionOptions } from "bullmq";
import type { Pool, PoolClient } from "pg";
import { UsageError } from "../errors.js";
import { sha256 } from "../text/content-id.js";

/** A unit of an arm, for a worker. */
export interface UserJob {
  readonly arm: string;
  readonly unit: string;
  /** Index of the unit in the arm. */
  readonly at: number;
}

export const keyOfUser = ({ arm, unit }: Pick<UserJob, "arm" | "unit">): string => `${arm}\t${unit}`;

/** Seconds without a heartbeat after which a worker loses its claims and its users. */
export const SILENT_SECONDS = 20;

/** Loads an optional package. Throws UsageError if it is not installed. */
export async function loadOptional<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new UsageError("--workers needs two more packages: npm install bullmq@6 pg@8");
  }
}

/** BullMQ's limit of retries. It is never reached: the worker decides when to give up. */
const UNLIMITED = 1_000_000;

/** Only this file uses BullMQ. A queue may deliver a user twice. */
const bullmq = () => loadOptional(() => import("bullmq"));

/** Returns the name of a run's queue. BullMQ refuses names with colons. */
const queueOf = (run: string): string => `lamp-eval-${sha256(run).slice(0, 24)}`;

/** Returns the connection settings of BullMQ, which declares a type of its own for pools. It does not close them. */
const connectionTo = (pool: Pool) => ({ connection: pool as unknown as PostgresConnectionOptions });

/** Makes the tables of BullMQ. */
export const migrateQueue = async (client: PoolClient): Promise<unknown> => (await bullmq()).runMigrations(client);

/** Adds users to the queue of a run. Those that are in the queue already are not added twice. */
export async function addUsers(pool: Pool, run: string, users: readonly UserJob[]): Promise<void> {
  const { FlowProducer, createPostgresBackend } = await bullmq();
  const flows = new FlowProducer(connectionTo(pool), createPostgresBackend); // `Queue.addBulk` needs the right to create sequences
  flows.on("error", () => undefined); // `addBulk` throws it
  const settings = { removeOnComplete: true, removeOnFail: true, attempts: UNLIMITED };
  const jobs = users.map((data) => ({
    name: "user",
    queueName: queueOf(run),
    data,
    opts: { jobId: `u${sha256(keyOfUser(data)).slice(0, 32)}`, ...settings }, // BullMQ refuses whole numbers as ids
  }));
  await flows.addBulk(jobs).finally(() => flows.close());
}

/** Deletes the queue of a run. */
export async function dropUsers(pool: Pool, run: string): Promise<void> {
  const { Queue, createPostgresBackend } = await bullmq();
  const queue = new Queue(queueOf(run), connectionTo(pool), createPostgresBackend);
  queue.on("error", () => undefined);
  await queue.obliterate({ force: true }).finally(() => queue.close());
}

/**
 * Takes users from a run's queue, at most `concurrency` at once, until it is closed. `work` gets a user, and the number of workers that died
 * or hung while they worked on it; if it throws, the user goes to the end of the queue. Closing waits for users in work.
 */
export async function openUserWorker(
  { run, pool, concurrency }: { readonly run: string; readonly pool: Pool; readonly concurrency: number },
  work: (user: UserJob, deaths: number) => Promise<void>,
) {
  const { Worker, createPostgresBackend } = await bullmq();
  const process = (job: Job<UserJob>): Promise<void> => work(job.data, job.stalledCounter);
  const settings = {
    ...connectionTo(pool),
    concurrency,
    lockDuration: SILENT_SECONDS * 1000, // milliseconds; renewed after half of it
    stalledInterval: SILENT_SECONDS * 250,
    maxStalledCount: UNLIMITED,
    runRetryDelay: 1_000,
    drainDelay: 1,
  };
  const worker = new Worker(queueOf(run), process, settings, createPostgresBackend);
  worker.on("error", () => undefined); // BullMQ tries again; `whenReachable` of database.ts tells the user
  await worker.waitUntilReady();
  return { close: (): Promise<void> => worker.close() };
}
