import { BudgetError, ModelError, UsageError } from "../../errors.js";
import { onAbort } from "../../net/deadline.js";
import { Interrupted } from "../../run/engine.js";
import { countOf } from "../../text/count.js";
import type { BoardRun } from "../../workers/board.js";
import { Exchange } from "../../workers/exchange.js";
import { type UnitJob, UnitWorker } from "../../workers/queue.js";
import { openCalls } from "./do-calls.js";
import { openUnits } from "./do-units.js";
import { readJob } from "./job.js";
import type { Begun, Labor, WorkerContext } from "./labor.js";
import { remoteCalls } from "./remote.js";

const BEAT_MS = 3_000;

/** Works on one run, or for one judge, as long as it is open. */
export class Session {
  readonly #run: BoardRun;
  readonly #worker: WorkerContext;
  readonly #labor: Labor;
  readonly #exchange: Exchange;
  readonly #working = new Map<string, Promise<void>>();
  #done = 0;

  private constructor(run: BoardRun, worker: WorkerContext, labor: Labor) {
    this.#run = run;
    this.#worker = worker;
    this.#labor = labor;
    const { stops } = labor;
    const { io } = worker;
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
    const job = readJob(run.job);
    const labor = await (job.kind === "judge" ? openCalls : openUnits)(job, worker);
    try {
      labor.check();
      await new Session(run, worker, labor).#work();
    } finally {
      await labor.close();
    }
  }

  async #work(): Promise<void> {
    const { id, board, database, io } = this.#worker;
    const { stops } = this.#labor;
    const run = this.#run.id;
    const beats = new AbortController();
    await this.#beat();
    const beating = this.#keepBeating(beats.signal);
    const pool = database.pool(4);
    try {
      const begun = await this.#labor.begin({
        ...remoteCalls(this.#exchange, () => board.run(run), io.clock),
        exchange: this.#exchange,
        input: (unit) => board.input(run, unit),
        end: (reason) => this.#end(reason),
      });
      const queue = await UnitWorker.open(run, pool, begun.width, (unit, deaths) => this.#once(unit, deaths, begun));
      io.tell(`${run}: at work, ${countOf(begun.width, "unit")} at a time`);
      await ends(stops.stop.signal);
      await Promise.race([queue.close(), ends(stops.kill)]);
      await Promise.race([begun.ended(), ends(stops.kill)]);
      await Promise.race([this.#exchange.flushed(), ends(stops.kill)]);
    } catch (error) {
      if (!stops.stop.signal.aborted) throw error;
    } finally {
      beats.abort();
      await beating;
      await board.leave(run, id).catch(() => undefined); // its silence tells the same
      await Promise.all([pool.end(), this.#exchange.close()].map((end) => end.catch(() => undefined)));
      io.tell(`${run}: ${countOf(this.#done, "unit")} done here`);
    }
  }

  /** A unit that comes a second time, because its lock was lost meanwhile, is waited for. */
  #once(unit: UnitJob, deaths: number, begun: Begun): Promise<void> {
    const key = JSON.stringify([unit.cell, unit.unit]);
    const known = this.#working.get(key) ?? this.#unit(unit, deaths, begun).finally(() => this.#working.delete(key));
    this.#working.set(key, known);
    return known;
  }

  async #unit(unit: UnitJob, deaths: number, begun: Begun): Promise<void> {
    this.#labor.stops.stop.signal.throwIfAborted();
    if (await this.#worker.board.hasResult(this.#run.id, unit.cell, unit.unit)) return;
    await begun.unit(unit, deaths);
    this.#done += 1;
  }

  async #end(reason: unknown): Promise<void> {
    await this.#worker.board.stop(this.#run.id, "ended", JSON.stringify(whyOf(reason, this.#worker.id)));
    this.#labor.stops.stop.abort(new Interrupted());
  }

  async #keepBeating(signal: AbortSignal): Promise<void> {
    const { clock } = this.#worker.io;
    while (!signal.aborted) {
      await clock.sleep(BEAT_MS, signal).catch(() => undefined);
      if (!signal.aborted) await this.#beat().catch(() => undefined); // a database that is away is told by the exchange
    }
  }

  async #beat(): Promise<void> {
    const { board, id } = this.#worker;
    const state = await board.beat(this.#run.id, id, JSON.stringify(this.#labor.facts()));
    if (state !== "open") this.#labor.stops.stop.abort(new Interrupted());
  }
}

const ends = (signal: AbortSignal): Promise<void> => new Promise((resolve) => onAbort(signal, resolve));

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
