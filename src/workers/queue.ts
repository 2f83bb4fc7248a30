import type { FlowProducer, Job, PostgresConnectionOptions, Queue, Worker } from "bullmq";
import type { Client, Pool } from "pg";
import { sha256 } from "../text/content-id.js";
import { loaded } from "./connect.js";

/** One user of one arm. */
export interface UserJob {
  readonly cell: string;
  readonly unit: string;
  /** Its place among the users of the arm. */
  readonly at: number;
}

/** Without a sign of life for so long a worker loses its claims and its users, seconds. */
export const SILENT_SECONDS = 20;

/** Renewed at half the time. A user who is done twice costs no call. */
const LOCK_MS = SILENT_SECONDS * 1000;
/** BullMQ gives a job up that stalls more often; here the worker decides. */
const ANY_NUMBER = 1_000_000;
const CHUNK = 500;
const RETRY_MS = 1_000;

/** The only file that knows BullMQ. It hands out users; it may hand one out twice, and nothing rests on its counts. */
const bullmq = () => loaded(() => import("bullmq"));

/** BullMQ declares an own type for the pools it takes. */
const asTyped = (pool: Pool): PostgresConnectionOptions => pool as unknown as PostgresConnectionOptions;

/** Names with colons are refused, and whole numbers as ids. */
const queueOf = (run: string): string => `lamp-eval-${sha256(run).slice(0, 24)}`;
const idOf = ({ cell, unit }: UserJob): string => `u${sha256(JSON.stringify([cell, unit])).slice(0, 32)}`;

/** The tables of BullMQ, made or brought up to date. */
export async function migrateQueue(client: Client): Promise<void> {
  const { runMigrations } = await bullmq();
  await runMigrations(client);
}

/** The users of a run that wait for a worker. */
export class Users {
  readonly #name: string;
  readonly #queue: Queue;
  readonly #flows: FlowProducer;

  private constructor(name: string, queue: Queue, flows: FlowProducer) {
    this.#name = name;
    this.#queue = queue;
    this.#flows = flows;
    queue.on("error", () => undefined); // what fails is thrown to the caller
    flows.on("error", () => undefined);
  }

  static async open(run: string, pool: Pool): Promise<Users> {
    const { FlowProducer: Flows, Queue: Opened, createPostgresBackend } = await bullmq();
    const name = queueOf(run);
    const settings = { connection: asTyped(pool) };
    const queue = new Opened(name, settings, createPostgresBackend);
    return new Users(
      name,
      queue as unknown as Queue,
      new Flows(settings, createPostgresBackend) as unknown as FlowProducer,
    );
  }

  /** Those that wait already, or are in work, stay as they are. As flows: `addBulk` of a queue makes a sequence, which the role may not. */
  async add(users: readonly UserJob[]): Promise<void> {
    for (let i = 0; i < users.length; i += CHUNK)
      await this.#flows.addBulk(
        users.slice(i, i + CHUNK).map((data) => ({
          ...{ name: "user", queueName: this.#name, data },
          opts: { jobId: idOf(data), removeOnComplete: true, removeOnFail: true, attempts: ANY_NUMBER },
        })),
      );
  }

  /** Drops them all, and the queue. */
  async drop(): Promise<void> {
    await this.#queue.obliterate({ force: true });
  }

  async close(): Promise<void> {
    await this.#flows.close();
    await this.#queue.close();
  }
}

/** Works on users until it is closed. */
export class UserWorker {
  readonly #worker: Worker<UserJob>;

  private constructor(worker: Worker<UserJob>) {
    this.#worker = worker;
    worker.on("error", () => undefined); // a server that is away is reported by the exchange, and BullMQ tries again
  }

  /** `work` gets a user and how many workers died or hung with it; a user whose work throws goes to the end of the queue. */
  static async open(
    run: string,
    pool: Pool,
    concurrency: number,
    work: (user: UserJob, deaths: number) => Promise<void>,
  ): Promise<UserWorker> {
    const { Worker: Opened, createPostgresBackend } = await bullmq();
    const processor = (job: Job<UserJob>): Promise<void> => work(job.data, job.stalledCounter);
    const settings = {
      connection: asTyped(pool),
      concurrency,
      lockDuration: LOCK_MS,
      stalledInterval: LOCK_MS / 4,
      maxStalledCount: ANY_NUMBER,
      runRetryDelay: RETRY_MS,
      drainDelay: 1,
    };
    const worker = new UserWorker(
      new Opened(queueOf(run), processor, settings, createPostgresBackend) as unknown as Worker<UserJob>,
    );
    await worker.#worker.waitUntilReady();
    return worker;
  }

  /** Takes no more users, and ends when those in work have gone back or are done. */
  async close(): Promise<void> {
    await this.#worker.close();
  }
}
