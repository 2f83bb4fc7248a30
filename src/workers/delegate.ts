import { randomUUID } from "node:crypto";
import { basename } from "node:path";
import { UsageError } from "../errors.js";
import { type Entry, isEntry } from "../log/entry.js";
import type { Money } from "../log/state.js";
import type { AnswerBook } from "../outside/answers.js";
import { openStops } from "../outside/stops.js";
import { serverSettings } from "../plan/options.js";
import type { Arm, Plan } from "../plan/types.js";
import type { RunFolder } from "../record/folder.js";
import { ofUnits } from "../run/data.js";
import type { Tally } from "../run/ending.js";
import { WORKERS, type WorkersResult } from "../run/run.js";
import type { World } from "../run/world.js";
import { countOf } from "../text/count.js";
import { isObject, jsonIn } from "../text/json.js";
import { type Database, openDatabase, type SharedRun } from "./database.js";
import { planText } from "./plan.js";
import { addUsers, keyOfUser, type UserJob } from "./queue.js";
import { type DoneEntry, endReasonOf } from "./worker.js";

/** Interval of looks at the entries of workers. */
const POLL_MS = 300;
/** Entries in one statement. */
const PAGE = 200;

/** A run in the database of its workers, as a fact of its log. `run`: its unique id there; `database`: address without a login. */
type Place = { readonly run: string; readonly database: string };
type RunEnd = Pick<SharedRun, "state" | "why">;

/** Has workers make the calls of a run. Without `--workers`: fetches their entries, and deletes the run from the database. */
export async function delegateToWorkers(
  world: World,
  home: RunFolder,
  answers: AnswerBook,
): Promise<WorkersResult | undefined> {
  const previous = home.log.state.facts.get(WORKERS) as Place | null | undefined; // `SharedLog` writes it
  if (world.workers === undefined && !world.io.env.LAMP_EVAL_WORKERS)
    throw new UsageError(
      `${world.folder}: workers at ${previous?.database} may be at this run; set LAMP_EVAL_WORKERS to fetch what they have, or add --workers to go on with them`,
    );
  if (world.reused.length > 0)
    throw new UsageError("--reuse and --workers do not go together; run it with --reuse alone first");
  const database = await openDatabase(world.workers, world.io, world.stops.kill);
  try {
    const fresh = { run: `${basename(world.folder)}-${randomUUID().slice(0, 8)}`, database: database.shown };
    const before = { ...home.log.state.money };
    const shared = new SharedLog(previous ?? fresh, { world, home, database });
    await shared.open();
    if (world.workers === undefined) {
      await shared.pause();
      return undefined;
    }
    const reason = await waitForWorkers(shared, world);
    answers.keepFailures();
    return { reason, run: onlyDoneUnits(world, shared.done, reason), count: (tally) => count(tally, home, before) };
  } finally {
    await database.close();
  }
}

/** Waits until workers have done all users, or the run ends early. Returns the reason of an early end. */
async function waitForWorkers(shared: SharedLog, { io, plan, stops }: World): Promise<unknown> {
  await shared.start(plan);
  const { signal } = stops.stop;
  for (;;) {
    const row = await shared.collect();
    if (shared.isDone) {
      await shared.forget();
      return undefined;
    }
    if (row === undefined)
      throw new UsageError(
        `${shared.place.database} holds nothing of this run any more; the same command goes on from its log`,
      );
    if (signal.aborted || row.state === "ended") {
      await shared.drain(serverSettings(plan.options).drainSeconds * 1000);
      return signal.aborted ? signal.reason : endReasonOf(row.why);
    }
    await io.clock.sleep(POLL_MS, signal).catch(() => undefined);
  }
}

/** Where the entries of a run are copied from and to. */
interface SharedLogs {
  readonly world: World;
  readonly home: RunFolder;
  readonly database: Database;
}

/** A run in the database, whose entries are copied into the log in its folder. Only the run's process writes the folder. */
class SharedLog {
  readonly place: Place;
  /** Keys of the users that workers have done. */
  readonly done = new Set<string>();
  readonly #world: World;
  readonly #home: RunFolder;
  readonly #database: Database;
  readonly #users: readonly UserJob[];
  /** Number of the last entry that was read from the database. */
  #lastRead = 0;
  /** Number of the last entry that the log in the folder has. */
  #lastCopied = 0;

  constructor(place: Place, { world, home, database }: SharedLogs) {
    this.place = place;
    this.#world = world;
    this.#home = home;
    this.#database = database;
    this.#users = usersOf(world.arms);
  }

  get isDone(): boolean {
    return this.done.size >= this.#users.length;
  }

  /** Opens the run in the database, or puts it there with the answers of the log. Copies all entries that the log lacks. */
  async open(): Promise<void> {
    const { log, storedManifest } = this.#home;
    const { tries, replies, usd, unknownBilledUpToUsd } = log.state.money;
    const [row] = await this.#database.query<Pick<SharedRun, "filled">>(
      "insert into lamp_eval.run (id, plan, state, calls, usd, unknown_billed_up_to_usd) values ($1, $2, 'paused', $3, $4, $5) on conflict (id) do update set plan = excluded.plan returning filled",
      this.place.run,
      planText(this.#world, storedManifest!), // the run has begun
      Math.max(tries, replies),
      usd,
      unknownBilledUpToUsd,
    );
    this.#lastRead = Number(row!.filled ?? (await this.#fill()));
    for (const entry of log.entries()) {
      const isNewNumbering = entry.t === "fact" && entry.name === WORKERS;
      this.#lastCopied = isNewNumbering ? 0 : (entry.seq ?? this.#lastCopied);
    }
    await this.collect();
  }

  /** Puts the answers of the log into the database. Returns the number of the last one. */
  async #fill(): Promise<string> {
    const { log } = this.#home;
    log.append({ t: "fact", name: WORKERS, value: { ...this.place } });
    const keys = [...log.state.answers.keys()];
    for (let first = 0; first < keys.length; first += PAGE) {
      const texts = keys.slice(first, first + PAGE).flatMap((key) => JSON.stringify(log.get(key)) ?? []);
      await this.#database.query(
        `with kept as (insert into lamp_eval.entry (run, content) select $1, content from unnest($2::text[]) as one(content) returning seq, content)
         insert into lamp_eval.call (run, key, ended) select $1, content::jsonb->>'key', seq from kept on conflict do nothing`,
        this.place.run,
        texts,
      );
    }
    const [row] = await this.#database.query<{ readonly filled: string }>(
      "update lamp_eval.run set filled = (select coalesce(max(seq), 0) from lamp_eval.entry where run = $1) where id = $1 returning filled",
      this.place.run,
    );
    return row!.filled; // the run is there
  }

  /** Lets workers start with the users that are not done. */
  async start({ caps: { maxCalls, maxUsd } }: Plan): Promise<void> {
    const waiting = this.#users.filter((user) => !this.done.has(keyOfUser(user)));
    await this.#database.whenReachable(() => addUsers(this.#database.pool, this.place.run, waiting));
    await this.#database.query(
      "update lamp_eval.run set state = 'open', why = null, max_calls = $2, max_usd = $3 where id = $1",
      this.place.run,
      maxCalls,
      maxUsd,
    );
  }

  /** Copies new entries into the log. Returns state and end of the run; undefined if the database does not hold it any more. */
  async collect(): Promise<RunEnd | undefined> {
    const { run } = this.place;
    const database = this.#database;
    await database.beat(run, null);
    for (;;) {
      const page = await database.query<{ readonly seq: number; readonly content: string }>(
        "select seq::double precision, content from lamp_eval.entry where run = $1 and seq > $2 order by seq limit $3",
        run,
        this.#lastRead,
        PAGE,
      );
      for (const { seq, content } of page) {
        this.#lastRead = seq;
        const entry = workerEntryIn(content);
        if (entry === undefined)
          this.#world.io.tell(`${this.place.database}: entry ${seq} is not what a worker writes; it is left out`);
        else if (entry.t === "done") this.done.add(keyOfUser(entry));
        else if (seq > this.#lastCopied) this.#home.log.append({ ...entry, seq });
      }
      if (page.length === 0) break;
    }
    const atWork = await database.query("select from lamp_eval.worker where run = $1", run);
    const workers = atWork.length === 0 ? "no worker: start lamp-eval worker" : countOf(atWork.length, "worker");
    const text = `${workers}, ${this.done.size} of ${countOf(this.#users.length, "user")} done`;
    this.#world.emit({ kind: "workers", text });
    return (await database.query<RunEnd>("select state, why from lamp_eval.run where id = $1", run))[0];
  }

  /** Pauses an open run, waits until no worker has a claim, at most `maxMs`, and copies all entries. */
  async drain(maxMs: number): Promise<void> {
    const { io, stops } = this.#world;
    const endMs = io.clock.monotonic() + maxMs;
    await this.#database.stop(this.place.run, "paused");
    const claims = "select from lamp_eval.call where run = $1 and worker is not null";
    while (!stops.kill.aborted && io.clock.monotonic() < endMs) {
      if ((await this.#database.query(claims, this.place.run)).length === 0) break;
      await this.#database.beat(this.place.run, null);
      await io.clock.sleep(POLL_MS, stops.kill).catch(() => undefined);
    }
    await this.collect();
  }

  /** Fetches all entries of workers, and deletes the run from the database. */
  async pause(): Promise<void> {
    this.#world.io.tell(`${this.place.database}: the run is paused; waiting for calls of its workers`);
    await this.drain(Number.POSITIVE_INFINITY);
    await this.forget();
  }

  /** Deletes the run from the database, once all entries are in the log. */
  async forget(): Promise<void> {
    const { log } = this.#home;
    log.sync();
    await this.#database.drop(this.place.run);
    log.append({ t: "fact", name: WORKERS, value: null });
  }
}

/** Parses an entry of a worker. Returns undefined for anything else: others may write into the database. */
function workerEntryIn(content: string): Entry | DoneEntry | undefined {
  const value = jsonIn(content);
  if (isObject(value) && value.t === "done") return value as DoneEntry;
  return isEntry(value) && WORKER_ENTRIES.includes(value.t) ? (value as Entry) : undefined;
}

const WORKER_ENTRIES = ["try", "answer", "failure"];

/** Returns the users of all arms, the first of each arm, then the second, and so on: a run that ends early has the same users in each arm. */
const usersOf = (arms: readonly Arm[]): UserJob[] =>
  arms
    .flatMap(({ spec, loaded }) => [...loaded.units].map(({ id }, at) => ({ arm: spec.id, unit: id, at })))
    .sort((a, b) => a.at - b.at);

/** Returns the run with the users that are done, and with a stop that has not fired, so that their rows can be made. */
function onlyDoneUnits(world: World, done: ReadonlySet<string>, reason: unknown): World {
  if (reason === undefined) return world;
  const arms = world.arms.map((arm) => ({
    ...arm,
    loaded: ofUnits(arm.loaded, ({ id }) => done.has(keyOfUser({ arm: arm.spec.id, unit: id }))),
  }));
  return { ...world, arms, stops: openStops({ kill: world.stops.kill }) };
}

/** Adds the calls of workers since `before` to the tally, in which this process has counted their replies as reused. */
function count(tally: Tally, { log }: RunFolder, before: Readonly<Money>): void {
  const { tries, replies, usd, unknownBilledUpToUsd } = log.state.money;
  tally.sent = tries - before.tries;
  tally.fromStore = Math.max(0, tally.fromStore - (replies - before.replies));
  const paid = { usd: usd - before.usd, unknownBilledUpToUsd: unknownBilledUpToUsd - before.unknownBilledUpToUsd };
  if (tally.paid !== undefined) tally.paid = { ...tally.paid, ...paid };
}
