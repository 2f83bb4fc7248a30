import type { Job, PostgresConnectionOptions } from "bullmq";
import type { Pool, PoolClient } from "pg";
import { UsageError } from "../errors.js";
import { sha256 } from "../text/content-id.js";

/** One user of one arm. */
export interface UserJob {
  readonly arm: string;
  readonly unit: string;
  /** Its place among the users of the arm. */
  readonly at: number;
}

export const keyOfUser = ({ arm, unit }: Pick<UserJob, "arm" | "unit">): string => `${arm}\t${unit}`;

/** A worker that gives no sign of life for so long loses its claims and its users, seconds. */
export const SILENT_SECONDS = 20;

/** Loads an optional package. Throws UsageError where it is absent. */
export async function loaded<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new UsageError("--workers needs two more packages: npm install bullmq@6 pg@8");
  }
}

/** BullMQ gives a job up that stalls or fails more often; here the worker decides. */
const ANY_NUMBER = 1_000_000;

/** The only file that knows BullMQ. It may hand a user out twice, and nothing rests on its counts. */
const bullmq = () => loaded(() => import("bullmq"));

/** Names with colons are refused, and whole numbers as ids. */
const queueOf = (run: string): string => `lamp-eval-${sha256(run).slice(0, 24)}`;

/** BullMQ declares an own type for the pools it takes. It does not end them. */
const over = (pool: Pool) => ({ connection: pool as unknown as PostgresConnectionOptions });

/** Makes the tables of BullMQ. */
export const migrateQueue = async (client: PoolClient): Promise<unknown> => (await bullmq()).runMigrations(client);

/** Adds users that wait for a worker; those that wait or are in work already stay as they are. */
export async function addUsers(pool: Pool, run: string, users: readonly UserJob[]): Promise<void> {
  const { FlowProducer, createPostgresBackend } = await bullmq();
  const flows = new FlowProducer(over(pool), createPostgresBackend); // `addBulk` of a queue makes a sequence, which the role may not
  flows.on("error", () => undefined); // what fails is thrown to the caller
  const kept = { removeOnComplete: true, removeOnFail: true, attempts: ANY_NUMBER };
  const jobs = users.map((data) => ({
    ...{ name: "user", queueName: queueOf(run), data },
    opts: { jobId: `u${sha256(keyOfUser(data)).slice(0, 32)}`, ...kept },
  }));
  await flows.addBulk(jobs).finally(() => flows.close());
}

/** Drops the users of a run that wait, and their queue. */
export async function dropUsers(pool: Pool, run: string): Promise<void> {
  const { Queue, createPostgresBackend } = await bullmq();
  const queue = new Queue(queueOf(run), over(pool), createPostgresBackend);
  queue.on("error", () => undefined);
  await queue.obliterate({ force: true }).finally(() => queue.close());
}

/**
 * Works on so many users at once until it is closed, which waits for those in work. `work` gets a user and how many workers died or hung
 * with it; a user whose work throws goes to the end of the queue.
 */
export async function openUserWorker(
  { run, pool, concurrency }: { readonly run: string; readonly pool: Pool; readonly concurrency: number },
  work: (user: UserJob, deaths: number) => Promise<void>,
) {
  const { Worker, createPostgresBackend } = await bullmq();
  const process = (job: Job<UserJob>): Promise<void> => work(job.data, job.stalledCounter);
  const settings = {
    ...over(pool),
    concurrency,
    lockDuration: SILENT_SECONDS * 1000, // renewed at half the time
    stalledInterval: SILENT_SECONDS * 250,
    maxStalledCount: ANY_NUMBER,
    runRetryDelay: 1_000,
    drainDelay: 1,
  };
  const worker = new Worker(queueOf(run), process, settings, createPostgresBackend);
  worker.on("error", () => undefined); // `patiently` says that the database is away, and BullMQ tries again
  await worker.waitUntilReady();
  return { close: (): Promise<void> => worker.close() };
}
