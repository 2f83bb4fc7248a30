import { randomUUID } from "node:crypto";
import { basename } from "node:path";
import { UsageError } from "../errors.js";
import type { Entry, Key } from "../log/entry.js";
import type { Money } from "../log/state.js";
import type { RunFolder } from "../run/folder.js";
import type { Answers } from "../run/outside/answers.js";
import { serverSettings } from "../run/plan/options.js";
import { ofUnits } from "../run/plan/part.js";
import type { Arm } from "../run/plan/types.js";
import { type HandedOut, WORKERS } from "../run/run.js";
import { openStops } from "../run/stops.js";
import type { Tally } from "../run/tally.js";
import type { World } from "../run/world.js";
import { countOf } from "../text/count.js";
import { type Board, type BoardRun, dropRun, openBoard } from "./board.js";
import { planText } from "./plan.js";
import { addUsers, keyOfUser, SILENT_SECONDS, type UserJob } from "./queue.js";
import { type DoneEntry, reasonOf, type WorkerFacts } from "./session.js";

/** Between two looks at what workers have done. */
const LOOK_MS = 300;
const PAGE = 200;

/** Where the workers of a run are, as its log keeps it. */
interface Place {
  readonly run: string;
  readonly owner: string;
  readonly database: string;
}

/** Has workers do a run, or, without `--workers`, fetches what they have and forgets them. */
export async function handOut(run: World, home: RunFolder, answers: Answers): Promise<HandedOut | undefined> {
  const left = home.log.state.facts.get(WORKERS) as Place | null | undefined; // written below
  if (run.workers === undefined && (run.io.env.LAMP_EVAL_WORKERS ?? "") === "")
    throw new UsageError(
      `${run.folder}: workers at ${left?.database} may be at this run; set LAMP_EVAL_WORKERS to fetch what they have, or add --workers to go on with them`,
    );
  if (run.reused.length > 0)
    throw new UsageError("--reuse and --workers do not go together; run it with --reuse alone first");
  const board = await openBoard(run.workers, run.io, run.stops.kill);
  try {
    const place = left ?? { run: basename(run.folder), owner: randomUUID(), database: board.database.shown };
    const pool = new WorkerPool(run, home, board, place);
    if (run.workers === undefined) return await pool.fetch();
    const before = { ...home.log.state.money };
    const reason = await pool.work();
    answers.keepFailures();
    return { reason, run: answeredRun(run, pool.done, reason), count: (tally) => count(tally, home, before) };
  } finally {
    await board.close();
  }
}

/** The workers of a run as its own process sees them. It alone writes the folder. */
class WorkerPool {
  /** The users that are done. */
  readonly done = new Set<string>();
  readonly #run: World;
  readonly #home: RunFolder;
  readonly #board: Board;
  readonly #place: Place;
  readonly #refused = new Set<string>();
  /** Of each key, how many of its entries an earlier process has copied into the log. */
  #copied = new Map<Key, number>();
  #seq = 0;

  constructor(run: World, home: RunFolder, board: Board, place: Place) {
    this.#run = run;
    this.#home = home;
    this.#board = board;
    this.#place = place;
  }

  /** Ends when workers have done all users, or the run ends early. Returns the reason of that. */
  async work(): Promise<unknown> {
    const { arms, io, plan, stops } = this.#run;
    const { run: id, database } = this.#place;
    const users = usersOf(arms);
    await this.#begin();
    await this.#collect(users.length);
    const open = users.filter((user) => !this.done.has(keyOfUser(user)));
    await this.#board.patiently(() => addUsers(this.#board.database, id, open));
    const opened = "update lamp_eval.run set state = 'open', why = null, max_calls = $2, max_usd = $3 where id = $1";
    await this.#board.query(opened, id, plan.maxCalls, plan.maxUsd);
    for (;;) {
      const there = await this.#collect(users.length);
      if (this.done.size >= users.length) return this.#leave();
      if (there === undefined)
        throw new UsageError(`${database} holds nothing of this run any more; the same command goes on from its log`);
      const { stop } = stops;
      if (stop.signal.aborted) await this.#board.stop(id, "paused");
      if (stop.signal.aborted || there.state === "ended") {
        await this.#drain(serverSettings(plan.set).drainSeconds * 1000);
        return stop.signal.aborted ? stop.signal.reason : reasonOf(there.why);
      }
      await io.clock.sleep(LOOK_MS, stop.signal).catch(() => undefined);
    }
  }

  /** Pauses the run, fetches everything that workers have, and drops it from the database. */
  async fetch(): Promise<undefined> {
    const { run: id, owner, database } = this.#place;
    const [there] = await this.#board.runs({ id });
    if (there?.owner === owner && there.state !== "filling") {
      this.#run.io.tell(`${database}: the run is paused; waiting for calls of its workers`);
      this.#copied = this.#copiedBefore();
      await this.#board.stop(id, "paused");
      await this.#drain(Number.POSITIVE_INFINITY);
    } else this.#run.io.tell(`${database} holds nothing of this run any more; what is not in its log is asked again`);
    return this.#leave();
  }

  /** Takes up what the database holds of the run, else puts it there with the answers that the log has. */
  async #begin(): Promise<void> {
    const { log, held } = this.#home;
    const { run: id, owner, database } = this.#place;
    const { tries, replies, usd, uncertainUsd } = log.state.money;
    await this.#board.query(
      "insert into lamp_eval.run as run (id, owner, plan, state, calls, usd, uncertain_usd) values ($1, $2, $3, 'filling', $4, $5, $6) on conflict (id) do update set plan = excluded.plan where run.owner = excluded.owner",
      ...[id, owner, planText(this.#run, held!), Math.max(tries, replies), usd, uncertainUsd], // it has begun
    );
    const [there] = await this.#board.runs({ id });
    if (there?.owner !== owner)
      throw new UsageError(
        `--workers: another run called ${id} is at ${database}; rename this folder, or, if that run is yours, drop it: lamp-eval worker --forget ${id}`,
      );
    if (there.state === "filling") await this.#fill();
    this.#copied = this.#copiedBefore();
  }

  async #fill(): Promise<void> {
    const { log } = this.#home;
    log.append({ t: "fact", name: WORKERS, value: { ...this.#place } });
    const keys = [...log.state.got.keys()];
    for (let first = 0; first < keys.length; first += PAGE) {
      const page = keys.slice(first, first + PAGE);
      await this.#board.query(
        `with one as (select key, content, -($4::bigint + at) as seq from unnest($2::text[], $3::text[]) with ordinality as one(key, content, at)),
         kept as (insert into lamp_eval.call (run, key, ended) select $1, key, seq from one where content is not null on conflict do nothing returning ended)
         insert into lamp_eval.entry (run, seq, content) select $1, seq, content from one join kept on ended = seq on conflict do nothing`,
        ...[this.#place.run, page, page.map((key) => JSON.stringify(log.get(key))), first],
      );
    }
  }

  /** Counts the entries that were copied since the run was put into the database. */
  #copiedBefore(): Map<Key, number> {
    const copied = new Map<Key, number>();
    for (const entry of this.#home.log.entries()) {
      if (entry.t === "fact" && entry.name === WORKERS) copied.clear();
      if (isOfCall(entry)) copied.set(entry.key, (copied.get(entry.key) ?? 0) + 1);
    }
    return copied;
  }

  /** Copies what came since the last look into the log. Returns the run; undefined where the database holds it no more. */
  async #collect(users: number): Promise<BoardRun | undefined> {
    const { run: id } = this.#place;
    await this.#board.reap(id);
    for (let isMore = true; isMore; ) {
      const page = await this.#board.query<{ readonly seq: number; readonly content: string }>(
        "select seq::double precision, content from lamp_eval.entry where run = $1 and seq > $2 order by seq limit $3",
        ...[id, this.#seq, PAGE],
      );
      for (const { content } of page) this.#copy(JSON.parse(content) as Entry | DoneEntry); // a worker of this version wrote it
      this.#seq = page.at(-1)?.seq ?? this.#seq;
      isMore = page.length > 0;
    }
    const workers = await this.#board.query<{ readonly id: string; readonly facts: string }>(
      "select id, facts from lamp_eval.worker where run = $1 and seen > clock_timestamp() - make_interval(secs => $2)",
      ...[id, SILENT_SECONDS],
    );
    const atWork = workers.filter((worker) => this.#canWork(worker.id, JSON.parse(worker.facts) as WorkerFacts)).length;
    const shown = atWork === 0 ? "no worker: start lamp-eval worker" : countOf(atWork, "worker");
    this.#run.emit({ kind: "workers", text: `${shown}, ${this.done.size} of ${countOf(users, "user")} done` });
    return (await this.#board.runs({ id }))[0];
  }

  #copy(entry: Entry | DoneEntry): void {
    if (entry.t === "done") this.done.add(keyOfUser(entry));
    if (!isOfCall(entry)) return;
    const copied = this.#copied.get(entry.key) ?? 0;
    if (copied > 0) this.#copied.set(entry.key, copied - 1);
    else this.#home.log.append(entry);
  }

  /** Says once why a worker cannot work on the run. */
  #canWork(id: string, { refused }: WorkerFacts): boolean {
    if (refused === undefined) return true;
    if (!this.#refused.has(id)) this.#run.io.tell(`worker ${id} cannot work on this run: ${refused}`);
    this.#refused.add(id);
    return false;
  }

  /** Ends when no worker holds anything, at most so long; everything that came is copied. */
  async #drain(mostMs: number): Promise<void> {
    const { clock } = this.#run.io;
    const { kill } = this.#run.stops;
    const endMs = clock.monotonic() + mostMs;
    const held = () =>
      this.#board.query("select from lamp_eval.call where run = $1 and worker is not null", this.#place.run);
    while ((await held()).length > 0 && clock.monotonic() < endMs && !kill.aborted) {
      await this.#board.reap(this.#place.run);
      await clock.sleep(LOOK_MS, kill).catch(() => undefined);
    }
    await this.#collect(0);
  }

  /** Everything is in the log: the database forgets the run. */
  async #leave(): Promise<undefined> {
    const { run: id, owner } = this.#place;
    this.#home.log.sync();
    const [there] = await this.#board.runs({ id });
    if (there?.owner === owner) await dropRun(this.#board, id);
    this.#home.log.append({ t: "fact", name: WORKERS, value: null });
  }
}

/** Returns all users, one after the other in all arms, so that a run which ends early has the same users in each. */
const usersOf = (arms: readonly Arm[]): UserJob[] =>
  arms
    .flatMap(({ cell, loaded }) => [...loaded.units].map(({ id }, at) => ({ cell: cell.id, unit: id, at })))
    .sort((a, b) => a.at - b.at);

const isOfCall = (entry: Entry | DoneEntry): entry is Entry & { readonly key: Key } => "key" in entry;

/** Returns the run with the users that are done, whose calls are all in the log. */
function answeredRun(run: World, done: ReadonlySet<string>, reason: unknown): World {
  const models = run.models.map((model) => ({
    ...model,
    complete: () => Promise.reject(new Error(`${model.id}: a call of a user that is done is not in the log`)),
  }));
  if (reason === undefined) return { ...run, models };
  const arms = run.arms.map((arm) => ({
    ...arm,
    loaded: ofUnits(arm.loaded, ({ id }) => done.has(keyOfUser({ cell: arm.cell.id, unit: id }))),
  }));
  return { ...run, models, arms, stops: openStops({ kill: run.stops.kill }) };
}

/** Adds what the workers' calls came to since the log held `before`. */
function count(tally: Tally, { log }: RunFolder, before: Readonly<Money>): void {
  const { tries, replies, usd, uncertainUsd } = log.state.money;
  tally.sent = tries - before.tries;
  tally.fromStore = Math.max(0, tally.fromStore - (replies - before.replies));
  const paid = { usd: usd - before.usd, uncertainUsd: uncertainUsd - before.uncertainUsd };
  if (tally.paid !== undefined) tally.paid = { ...tally.paid, ...paid };
}
