import { timestamp } from "../app/common/timestamp.js";
import type { Io } from "../app/io.js";
import { engineOf } from "../app/run/equip.js";
import { TokenGauges } from "../app/run/estimate/token-gauges.js";
import { endpointsOf, readModelRecords } from "../app/run/models/endpoints.js";
import { openRunModels } from "../app/run/models/models.js";
import { firstRefusal } from "../app/run/models/probe-agents.js";
import type { Prepared } from "../app/run/prepare.js";
import { BudgetError, ModelError, UsageError } from "../errors.js";
import { onAbort } from "../net/deadline.js";
import { knownSecrets } from "../net/known.js";
import { handedOut, Interrupted } from "../run/engine.js";
import type { Rows } from "../run/engine-settings.js";
import type { Manifest } from "../run/manifest.js";
import { Answers } from "../run/outside/answers.js";
import { countOf } from "../text/count.js";
import type { BoardRun } from "./board.js";
import { Exchange } from "./exchange.js";
import type { OpenBoard } from "./open-board.js";
import { type Allowed, openPlan } from "./plan.js";
import { type UserJob, UserWorker } from "./queue.js";
import { openShared, sharedEmbedder } from "./shared.js";

/** The last entry of a user: all entries of its calls stand before it. */
export type DoneEntry = { readonly t: "done" } & Pick<UserJob, "cell" | "unit">;

export const keyOfUser = ({ cell, unit }: Pick<UserJob, "cell" | "unit">): string => `${cell}\t${unit}`;

/** What a worker says of itself with each sign of life. */
export interface WorkerFacts {
  /** Why it does not work on the run. */
  readonly refused?: string;
  /** What its servers have shown of themselves. */
  readonly endpoints?: Manifest["endpoints"];
}

/** Why a run ended, as the database holds it. */
export interface Why {
  readonly kind: "cap" | "model" | "usage" | "bug";
  readonly message: string;
  readonly scope?: ModelError["scope"];
}

/** A worker, for everything that it works on. */
export interface WorkerContext extends OpenBoard {
  /** `gpu1-4211-9f3a`: unlike every other, also a later one of the same machine. */
  readonly id: string;
  readonly allowed: Allowed;
  readonly io: Io;
  readonly signal: AbortSignal;
  readonly kill: AbortSignal;
}

const BEAT_MS = 3_000;
/** So many workers died or hung with one user: the run ends. */
const MOST_DEATHS = 3;

/** Works on a run until it is not open any more, or the worker is to end. Throws UsageError where this worker cannot work on it. */
export async function workOn(run: BoardRun, worker: WorkerContext): Promise<void> {
  const prepared = await openPlan(run.plan, worker.allowed, worker.io, worker);
  const { stops, commands } = prepared;
  const beats = new AbortController();
  let beating: Promise<void> | undefined;
  const session = new Session(run.id, worker, prepared);
  try {
    await session.beat();
    beating = session.keepBeating(beats.signal);
    await session.work();
  } catch (error) {
    if (!stops.stop.signal.aborted) throw error;
  } finally {
    beats.abort();
    await beating;
    await worker.board.leave(run.id, worker.id).catch(() => undefined); // its silence says the same
    await commands.close();
    await session.close();
  }
}

class Session {
  readonly #run: string;
  readonly #worker: WorkerContext;
  readonly #prepared: Prepared;
  readonly #exchange: Exchange;
  readonly #pools: ReturnType<OpenBoard["database"]["pool"]>[];
  readonly #working = new Map<string, Promise<void>>();
  #done = 0;

  constructor(run: string, worker: WorkerContext, prepared: Prepared) {
    const { stops } = prepared;
    const { database, io, id } = worker;
    this.#run = run;
    this.#worker = worker;
    this.#prepared = prepared;
    this.#pools = [database.pool(1), database.pool(4)];
    this.#exchange = new Exchange({
      ...{ run, worker: id, clock: io.clock, stop: stops.stop.signal, kill: stops.kill, pool: this.#pools[0]! },
      secrets: knownSecrets(io.env).values,
      onState: () => stops.stop.abort(new Interrupted()),
      onGone: (gone) =>
        io.tell(gone ? "the database is away: what arrives is kept, nothing new starts" : "the database is back"),
    });
  }

  async work(): Promise<void> {
    const { arms, stops } = this.#prepared;
    const { io } = this.#worker;
    const { engine, models } = await this.#open();
    const width = Math.max(...arms.map(({ cell }) => models.widthOf(cell.model)));
    const queue = await UserWorker.open(this.#run, this.#pools[1]!, width, (user, deaths) =>
      this.#once(user, deaths, engine),
    );
    io.tell(`${this.#run}: at work, ${countOf(width, "user")} at a time`);
    await ends(stops.stop.signal);
    await Promise.race([queue.close(), ends(stops.kill)]);
    await Promise.race([engine.ended(), ends(stops.kill)]);
    await Promise.race([this.#exchange.flushed(), ends(stops.kill)]);
    io.tell(`${this.#run}: ${countOf(this.#done, "user")} done here`);
  }

  async close(): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.end().catch(() => undefined)));
  }

  async keepBeating(signal: AbortSignal): Promise<void> {
    const { clock } = this.#worker.io;
    while (!signal.aborted) {
      await clock.sleep(BEAT_MS, signal).catch(() => undefined);
      if (!signal.aborted) await this.beat().catch(() => undefined); // the exchange says that the database is away
    }
  }

  async beat(): Promise<void> {
    const { board, id, io } = this.#worker;
    const { models, settings, stops } = this.#prepared;
    const facts: WorkerFacts = endpointsOf(models, {}, settings.baseUrl, timestamp(io));
    const state = await board.beat(this.#run, id, JSON.stringify(facts));
    if (state !== "open") stops.stop.abort(new Interrupted());
  }

  /** Opens what calls go through, and asks the servers what they take. */
  async #open() {
    const { arms, models: providers, embedders, settings, stops, tools, programs, io } = this.#prepared;
    const { board } = this.#worker;
    const shared = openShared({
      ...{ exchange: this.#exchange, clock: io.clock, stop: stops.stop.signal },
      caps: () => board.run(this.#run),
    });
    const answers = new Answers(shared.log, [], shared.answers);
    const ignore = (): void => undefined;
    const models = openRunModels(providers, settings, answers, {
      ...{ clock: io.clock, env: io.env, stop: stops.stop, sharedPurse: shared.purse, pace: shared.pace },
      ...{ tell: io.tell, onCall: ignore, onReply: ignore, onRetry: ignore },
    });
    await tools.check();
    tools.keepSearches(answers);
    programs.keepIn(answers);
    await readModelRecords(providers, { signal: stops.kill, nowMs: io.clock.now(), tell: io.tell });
    await models.readSlots(stops.kill);
    const refusal = await firstRefusal(arms, models, stops, ignore);
    if (refusal !== undefined && !stops.stop.signal.aborted) await this.#end(refusal);
    const costly = new Map(embedders.all.map((one) => [one, sharedEmbedder(one, shared, stops.kill)]));
    const of: typeof embedders.of = (options) =>
      embedders.isCostly(options) ? costly.get(embedders.of(options))! : embedders.of(options); // all are in `all`
    const engine = engineOf(
      { ...this.#prepared, embedders: { ...embedders, of } },
      { models, rows: noRows, vectors: undefined, gauges: new TokenGauges() },
    );
    return { models, engine: handedOut({ ...engine, arms }) };
  }

  /** A user that comes a second time, because its lock was lost meanwhile, is waited for. */
  #once(user: UserJob, deaths: number, engine: ReturnType<typeof handedOut>): Promise<void> {
    const key = keyOfUser(user);
    const known = this.#working.get(key) ?? this.#user(user, deaths, engine).finally(() => this.#working.delete(key));
    this.#working.set(key, known);
    return known;
  }

  async #user({ cell: id, unit: name, at }: UserJob, deaths: number, engine: ReturnType<typeof handedOut>) {
    const { arms, stops } = this.#prepared;
    stops.stop.signal.throwIfAborted();
    const arm = arms.find(({ cell }) => cell.id === id);
    const unit = arm?.loaded.units.at(at);
    try {
      if (arm === undefined || unit?.id !== name) throw new UsageError(`user ${name} of arm ${id} is not in the plan`);
      if (deaths >= MOST_DEATHS)
        throw new UsageError(
          `${deaths} workers died or hung while they worked on user ${name} of ${arm.cell.method} on ${arm.cell.task}`,
        );
      await engine.work(arm, unit);
    } catch (error) {
      if (!(error instanceof Interrupted)) await this.#end(error);
      throw error;
    }
    await this.#exchange.ask({
      op: "log",
      content: JSON.stringify({ t: "done", cell: id, unit: name } satisfies DoneEntry),
    });
    this.#done += 1;
  }

  /** Nothing more is asked for the run, by any worker. */
  async #end(reason: unknown): Promise<void> {
    await this.#worker.board.stop(this.#run, "ended", JSON.stringify(whyOf(reason, this.#worker.id)));
    this.#prepared.stops.stop.abort(new Interrupted());
  }
}

/** The run's process makes the rows. */
const noRows: Rows = { row: () => undefined, unit: () => undefined, trace: () => undefined };

const ends = (signal: AbortSignal): Promise<void> => new Promise((resolve) => onAbort(signal, resolve));

function whyOf(reason: unknown, worker: string): Why {
  if (reason instanceof BudgetError) return { kind: "cap", message: reason.message };
  const message = `worker ${worker}: ${reason instanceof Error ? reason.message : String(reason)}`;
  if (reason instanceof ModelError) return { kind: "model", message, scope: reason.scope };
  if (reason instanceof UsageError) return { kind: "usage", message };
  return { kind: "bug", message: reason instanceof Error ? `${message}\n${reason.stack}` : message };
}
