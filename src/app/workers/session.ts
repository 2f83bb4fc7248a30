import { cachedEmbedder, memoryVectors } from "../../embedders/cached.js";
import { BudgetError, ModelError, UsageError } from "../../errors.js";
import { tokensOf } from "../../models/call-tokens.js";
import { handedOut, Interrupted } from "../../run/engine.js";
import type { Manifest } from "../../run/manifest-shape.js";
import type { Arm } from "../../run/plan/plan.js";
import { sha256 } from "../../text/content-id.js";
import { countOf } from "../../text/count.js";
import type { Unit } from "../../types/index.js";
import type { Board, BoardRun } from "../../workers/board.js";
import type { Database } from "../../workers/connect.js";
import { Exchange } from "../../workers/exchange.js";
import { type UnitJob, UnitWorker } from "../../workers/queue.js";
import { timestamp } from "../common/timestamp.js";
import type { Io } from "../io.js";
import { engineOf } from "../run/equip.js";
import { TokenGauges } from "../run/estimate/token-gauges.js";
import { endpointsOf, readModelRecords, recallEndpoints } from "../run/models/endpoints.js";
import { openRunModels } from "../run/models/models.js";
import { firstRefusal } from "../run/models/probe-agents.js";
import { type Prepared, prepare } from "../run/prepare.js";
import { readJob, refuseOther } from "./job.js";
import { RowsByUnit, remoteCalls, remoteEmbedder } from "./remote.js";

/** A worker, for all the runs that it works on. */
export interface WorkerContext {
  /** `gpu1-4211-9f3a`: unlike every other, also a later one of the same machine. */
  readonly id: string;
  readonly database: Database;
  readonly board: Board;
  readonly concurrency: number | undefined;
  readonly io: Io;
  readonly signal: AbortSignal;
  readonly kill: AbortSignal;
}

/** What a worker tells of itself with each sign of life. */
export interface WorkerFacts {
  readonly units: number;
  readonly calls: number;
  readonly done: number;
  /** Why it does not work on the run. */
  readonly refused?: string;
  readonly endpoints?: Manifest["endpoints"];
  readonly probes?: Manifest["probes"];
}

const BEAT_MS = 3_000;
/** So many workers died or hung with one unit: it gets failed rows. */
const MOST_DEATHS = 3;

/** Works on the units of one run, as long as it is open. */
export class Session {
  readonly #run: BoardRun;
  readonly #worker: WorkerContext;
  readonly #prepared: Prepared;
  readonly #exchange: Exchange;
  readonly #rows = new RowsByUnit();
  readonly #working = new Map<string, Promise<void>>();
  readonly #probes: NonNullable<Manifest["probes"]> = {};
  #done = 0;
  #calls: () => number = () => 0;

  private constructor(run: BoardRun, worker: WorkerContext, prepared: Prepared) {
    this.#run = run;
    this.#worker = worker;
    this.#prepared = prepared;
    const { stops, io } = prepared;
    this.#exchange = new Exchange({
      ...{ run: run.id, worker: worker.id, clock: io.clock, stop: stops.stop.signal, kill: stops.kill },
      pool: worker.database.pool(1),
      onState: () => stops.stop.abort(new Interrupted()),
      onGone: (gone) =>
        io.tell(gone ? "the database is away: what arrives is kept, nothing new starts" : "the database is back"),
    });
  }

  /** Works until the run is not open any more, or the worker is to end. Throws UsageError where this worker is not fit for the run. */
  static async work(run: BoardRun, worker: WorkerContext): Promise<void> {
    const { request, ...job } = readJob(run.job);
    const { concurrency, signal, kill } = worker;
    const asked = {
      ...request,
      ...(concurrency === undefined ? {} : { concurrency }),
      signal,
      kill,
      onEvent: () => undefined,
    };
    const prepared = await prepare(asked, worker.io);
    try {
      refuseOther({ request, ...job }, prepared);
      recallEndpoints(prepared.models, { endpoints: job.endpoints });
      await new Session(run, worker, prepared).#work(job.caps);
    } finally {
      await prepared.commands.close();
    }
  }

  async #work(caps: { readonly maxCalls?: number | undefined; readonly maxUsd?: number | undefined }): Promise<void> {
    const { id, board, database, io } = this.#worker;
    const { stops } = this.#prepared;
    const beats = new AbortController();
    await this.#beat();
    const beating = this.#keepBeating(beats.signal);
    const pool = database.pool(4);
    try {
      const { work, ended, width } = await this.#engine(caps);
      const queue = await UnitWorker.open(this.#run.id, pool, width, (unit, deaths) => this.#once(unit, deaths, work));
      io.tell(`${this.#run.id}: at work, ${countOf(width, "unit")} at a time`);
      await new Promise<void>((resolve) => {
        if (stops.stop.signal.aborted) resolve();
        else stops.stop.signal.addEventListener("abort", () => resolve(), { once: true });
      });
      await Promise.race([queue.close(), ends(stops.kill)]);
      await Promise.race([ended(), ends(stops.kill)]);
      await Promise.race([this.#exchange.flushed(), ends(stops.kill)]);
    } catch (error) {
      if (!stops.stop.signal.aborted) throw error;
    } finally {
      beats.abort();
      await beating;
      await board.leave(this.#run.id, id).catch(() => undefined); // its silence tells the same
      await Promise.all([pool.end(), this.#exchange.close()].map((end) => end.catch(() => undefined)));
      io.tell(`${this.#run.id}: ${countOf(this.#done, "unit")} done here`);
    }
  }

  async #engine(caps: Parameters<typeof remoteCalls>[1]) {
    const prepared = this.#prepared;
    const { arms, models: providers, embedders, settings, stops, tools, io } = prepared;
    const exchange = this.#exchange;
    const { store, purse, pace } = remoteCalls(exchange, caps, io.clock);
    const ignore = (): void => undefined;
    const models = openRunModels(providers, settings, store, {
      ...{ clock: io.clock, env: io.env, attempts: undefined, stop: stops.stop, sharedPurse: purse, pace },
      ...{ tell: io.tell, onCall: ignore, onReply: ignore, onRetry: ignore },
    });
    this.#calls = models.inFlight;
    await tools.check();
    tools.keepSearches({
      put: (search) =>
        void exchange.keep("search", sha256(JSON.stringify(search)), JSON.stringify(search)).catch(ignore),
    });
    await readModelRecords(providers, { signal: stops.kill, nowMs: io.clock.now(), tell: io.tell });
    await models.readSlots(stops.kill);
    const refusal = await firstRefusal(arms, models, stops, (name, usage) => {
      this.#probes[name] ??= { day: timestamp(io).slice(0, 10), ...tokensOf(usage) };
    });
    if (refusal !== undefined && !stops.stop.signal.aborted) await this.#end(refusal);
    const shared = new Map(
      embedders.all.map((one) => [one, cachedEmbedder(remoteEmbedder(one, exchange, stops.kill), memoryVectors())]),
    );
    const engine = engineOf(
      { ...prepared, embedders: { ...embedders, of: (options) => this.#embedder(options, shared) } },
      { models, rows: this.#rows, vectors: undefined, gauges: new TokenGauges() },
    );
    const width = Math.max(...arms.map(({ cell }) => models.widthOf(cell.model)));
    return { ...handedOut({ ...engine, arms, draws: () => false }), width };
  }

  #embedder(options: Arm["cell"]["options"], shared: ReadonlyMap<unknown, ReturnType<typeof cachedEmbedder>>) {
    const { embedders } = this.#prepared;
    const own = embedders.of(options);
    return embedders.isCostly(options) ? shared.get(own)! : own;
  }

  /** A unit that comes a second time, because its lock was lost meanwhile, is waited for. */
  #once(unit: UnitJob, deaths: number, work: (arm: Arm, unit: Unit) => Promise<void>): Promise<void> {
    const key = JSON.stringify([unit.cell, unit.unit]);
    const known = this.#working.get(key) ?? this.#unit(unit, deaths, work).finally(() => this.#working.delete(key));
    this.#working.set(key, known);
    return known;
  }

  async #unit(job: UnitJob, deaths: number, work: (arm: Arm, unit: Unit) => Promise<void>): Promise<void> {
    const { stops } = this.#prepared;
    stops.stop.signal.throwIfAborted();
    const arm = this.#prepared.arms.find(({ cell }) => cell.id === job.cell);
    const unit = arm?.loaded.units.at(job.at);
    if (arm === undefined || unit?.id !== job.unit)
      throw new Error(`unit ${job.unit} of cell ${job.cell} is not in the plan`);
    if (await this.#worker.board.hasResult(this.#run.id, job.cell, job.unit)) return;
    try {
      await work(deaths >= MOST_DEATHS ? givenUp(arm, deaths) : arm, unit);
    } catch (error) {
      this.#rows.drop(job.cell, job.unit);
      if (!(error instanceof Interrupted)) await this.#end(error);
      throw error;
    }
    for (const { cell, unit: of, ...records } of this.#rows.taken(job.cell, job.unit))
      await this.#exchange.result(cell, of, JSON.stringify(records));
    this.#done += 1;
  }

  /** Nothing more is bought for the run, by whomever; the first reason stands. */
  async #end(reason: unknown): Promise<void> {
    await this.#worker.board.stop(this.#run.id, "ended", JSON.stringify(whyOf(reason, this.#worker.id)));
    this.#prepared.stops.stop.abort(new Interrupted());
  }

  async #keepBeating(signal: AbortSignal): Promise<void> {
    const { clock } = this.#worker.io;
    while (!signal.aborted) {
      await clock.sleep(BEAT_MS, signal).catch(() => undefined);
      if (!signal.aborted) await this.#beat().catch(() => undefined); // a database that is away is told by the exchange
    }
  }

  async #beat(): Promise<void> {
    const { board, id, io } = this.#worker;
    const { models, settings } = this.#prepared;
    const facts: WorkerFacts = {
      ...{ units: this.#working.size, calls: this.#calls(), done: this.#done },
      ...endpointsOf(models, {}, settings.baseUrl, timestamp(io)),
      ...(Object.keys(this.#probes).length === 0 ? {} : { probes: this.#probes }),
    };
    const state = await board.beat(this.#run.id, id, JSON.stringify(facts));
    if (state !== "open") this.#prepared.stops.stop.abort(new Interrupted());
  }
}

/** Ends once the signal has fired. */
const ends = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });

/** The arm with a method that fails with this reason. */
const givenUp = (arm: Arm, deaths: number): Arm => ({
  ...arm,
  method: {
    ...arm.method,
    personalize: () =>
      Promise.reject(
        new ModelError(`${deaths} workers died or hung while they worked on this unit`, { retryable: false }),
      ),
  },
});

/** Why a run ended, as the database holds it. */
export interface Why {
  readonly kind: "cap" | "model" | "usage" | "bug";
  readonly message: string;
  readonly scope?: ModelError["scope"];
}

function whyOf(reason: unknown, worker: string): Why {
  if (reason instanceof BudgetError) return { kind: "cap", message: reason.message };
  if (reason instanceof ModelError)
    return { kind: "model", message: `worker ${worker}: ${reason.message}`, scope: reason.scope };
  if (reason instanceof UsageError) return { kind: "usage", message: `worker ${worker}: ${reason.message}` };
  return {
    kind: "bug",
    message: `worker ${worker}: ${reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)}`,
  };
}
