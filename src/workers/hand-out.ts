import { randomUUID } from "node:crypto";
import { basename } from "node:path";
import { UsageError } from "../errors.js";
import type { Entry } from "../log/entry.js";
import type { Money } from "../log/state.js";
import { ofUnits } from "../run/data.js";
import type { Tally } from "../run/ending.js";
import type { RunFolder } from "../run/folder.js";
import type { Answers } from "../run/outside/answers.js";
import { serverSettings } from "../run/plan/options.js";
import type { Arm } from "../run/plan/types.js";
import { type HandedOut, WORKERS } from "../run/run.js";
import { openStops } from "../run/stops.js";
import type { World } from "../run/world.js";
import { countOf } from "../text/count.js";
import { type Database, openDatabase, type SharedRun } from "./database.js";
import { planText } from "./plan.js";
import { addUsers, keyOfUser, type UserJob } from "./queue.js";
import { type DoneEntry, reasonOf } from "./worker.js";

/** Between two looks at what workers have done. */
const LOOK_MS = 300;
const PAGE = 200;

/** Where the workers of a run are, as its log keeps it. `run`: its name there, like that of no other. */
type Place = { readonly run: string; readonly database: string };

/** Has workers do a run, or, without `--workers`, fetches what they have and forgets them. */
export async function handOut(world: World, home: RunFolder, answers: Answers): Promise<HandedOut | undefined> {
  const left = home.log.state.facts.get(WORKERS) as Place | null | undefined; // written below
  if (world.workers === undefined && !world.io.env.LAMP_EVAL_WORKERS)
    throw new UsageError(
      `${world.folder}: workers at ${left?.database} may be at this run; set LAMP_EVAL_WORKERS to fetch what they have, or add --workers to go on with them`,
    );
  if (world.reused.length > 0)
    throw new UsageError("--reuse and --workers do not go together; run it with --reuse alone first");
  const database = await openDatabase(world.workers, world.io, world.stops.kill);
  try {
    const place = left ?? { run: `${basename(world.folder)}-${randomUUID().slice(0, 8)}`, database: database.shown };
    const before = { ...home.log.state.money };
    const { done, reason } = await workAt(place, world, home, database);
    if (world.workers === undefined) return undefined;
    answers.keepFailures();
    return { reason, run: withDone(world, done, reason), count: (tally) => count(tally, home, before) };
  } finally {
    await database.close();
  }
}

/**
 * Ends when workers have done all users, or the run ends early; without `--workers` once they have stopped. The run's process alone
 * writes the folder. Returns the users that are done, and the reason of an early end.
 */
async function workAt(place: Place, world: World, { log, held }: RunFolder, database: Database) {
  const { run } = place;
  const { io, plan, stops } = world;
  const users = usersOf(world.arms);
  const done = new Set<string>();
  /** Number of the last entry that was read, and of the last that the log has. */
  let [seq, copied] = [0, 0];

  /** Puts the answers that the log has into the database. Returns the number of the last. */
  const fill = async (): Promise<string> => {
    log.append({ t: "fact", name: WORKERS, value: { ...place } });
    const keys = [...log.state.got.keys()];
    for (let first = 0; first < keys.length; first += PAGE) {
      const texts = keys.slice(first, first + PAGE).flatMap((key) => JSON.stringify(log.get(key)) ?? []);
      await database.query(
        `with kept as (insert into lamp_eval.entry (run, content) select $1, content from unnest($2::text[]) as one(content) returning seq, content)
         insert into lamp_eval.call (run, key, ended) select $1, content::jsonb->>'key', seq from kept on conflict do nothing`,
        ...[run, texts],
      );
    }
    const [row] = await database.query<{ readonly filled: string }>(
      "update lamp_eval.run set filled = (select coalesce(max(seq), 0) from lamp_eval.entry where run = $1) where id = $1 returning filled",
      run,
    );
    return row!.filled; // the run is there
  };

  /** Copies what came since the last look into the log. Returns the run; undefined where the database holds it no more. */
  const collect = async (): Promise<SharedRun | undefined> => {
    await database.beat(run, null);
    for (;;) {
      const page = await database.query<{ readonly seq: number; readonly content: string }>(
        "select seq::double precision, content from lamp_eval.entry where run = $1 and seq > $2 order by seq limit $3",
        ...[run, seq, PAGE],
      );
      for (const one of page) {
        const entry = JSON.parse(one.content) as Entry | DoneEntry; // a worker of this version wrote it
        if (entry.t === "done") done.add(keyOfUser(entry));
        else if (one.seq > copied) log.append({ ...entry, seq: one.seq });
        seq = one.seq;
      }
      if (page.length === 0) break;
    }
    const atWork = await database.query("select from lamp_eval.worker where run = $1", run);
    const shown = atWork.length === 0 ? "no worker: start lamp-eval worker" : countOf(atWork.length, "worker");
    world.emit({ kind: "workers", text: `${shown}, ${done.size} of ${countOf(users.length, "user")} done` });
    return (await database.query<SharedRun>("select * from lamp_eval.run where id = $1", run))[0];
  };

  /** Ends when no worker holds anything, at most so long; everything that came is copied. */
  const drain = async (mostMs: number): Promise<void> => {
    const endMs = io.clock.monotonic() + mostMs;
    const isHeld = "select from lamp_eval.call where run = $1 and worker is not null";
    while (!stops.kill.aborted && io.clock.monotonic() < endMs) {
      if ((await database.query(isHeld, run)).length === 0) break;
      await database.beat(run, null);
      await io.clock.sleep(LOOK_MS, stops.kill).catch(() => undefined);
    }
    await collect();
  };

  /** Everything is in the log: the database forgets the run. */
  const leave = async () => {
    log.sync();
    await database.drop(run);
    log.append({ t: "fact", name: WORKERS, value: null });
    return { done, reason: undefined };
  };

  // What the database holds of the run is taken up, else put there with the answers that the log has.
  const { tries, replies, usd, uncertainUsd } = log.state.money;
  const [row] = await database.query<Pick<SharedRun, "filled">>(
    "insert into lamp_eval.run (id, plan, state, calls, usd, uncertain_usd) values ($1, $2, 'paused', $3, $4, $5) on conflict (id) do update set plan = excluded.plan returning filled",
    ...[run, planText(world, held!), Math.max(tries, replies), usd, uncertainUsd], // it has begun
  );
  seq = Number(row!.filled ?? (await fill()));
  // Entries are copied in order, so the last one in the log tells how far an earlier process came.
  for (const entry of log.entries()) copied = entry.t === "fact" && entry.name === WORKERS ? 0 : (entry.seq ?? copied); // put there anew
  await collect();
  if (world.workers === undefined) {
    io.tell(`${place.database}: the run is paused; waiting for calls of its workers`);
    await database.stop(run, "paused");
    await drain(Number.POSITIVE_INFINITY);
    return leave();
  }
  const waiting = users.filter((user) => !done.has(keyOfUser(user)));
  await database.patiently(() => addUsers(database.pool, run, waiting));
  await database.query(
    "update lamp_eval.run set state = 'open', why = null, max_calls = $2, max_usd = $3 where id = $1",
    ...[run, plan.maxCalls, plan.maxUsd],
  );
  for (;;) {
    const there = await collect();
    if (done.size >= users.length) return leave();
    if (there === undefined)
      throw new UsageError(
        `${place.database} holds nothing of this run any more; the same command goes on from its log`,
      );
    const { signal } = stops.stop;
    if (signal.aborted) await database.stop(run, "paused");
    if (signal.aborted || there.state === "ended") {
      await drain(serverSettings(plan.set).drainSeconds * 1000);
      return { done, reason: signal.aborted ? signal.reason : reasonOf(there.why) };
    }
    await io.clock.sleep(LOOK_MS, signal).catch(() => undefined);
  }
}

/** Returns all users, one after the other in all arms, so that a run which ends early has the same users in each. */
const usersOf = (arms: readonly Arm[]): UserJob[] =>
  arms
    .flatMap(({ cell, loaded }) => [...loaded.units].map(({ id }, at) => ({ cell: cell.id, unit: id, at })))
    .sort((a, b) => a.at - b.at);

/** Returns the run with the users that are done, whose calls are all in the log. */
function withDone(world: World, done: ReadonlySet<string>, reason: unknown): World {
  if (reason === undefined) return world;
  const arms = world.arms.map((arm) => ({
    ...arm,
    loaded: ofUnits(arm.loaded, ({ id }) => done.has(keyOfUser({ cell: arm.cell.id, unit: id }))),
  }));
  return { ...world, arms, stops: openStops({ kill: world.stops.kill }) };
}

/** Adds what the workers' calls came to since the log held `before`. */
function count(tally: Tally, { log }: RunFolder, before: Readonly<Money>): void {
  const { tries, replies, usd, uncertainUsd } = log.state.money;
  tally.sent = tries - before.tries;
  tally.fromStore = Math.max(0, tally.fromStore - (replies - before.replies));
  const paid = { usd: usd - before.usd, uncertainUsd: uncertainUsd - before.uncertainUsd };
  if (tally.paid !== undefined) tally.paid = { ...tally.paid, ...paid };
}
