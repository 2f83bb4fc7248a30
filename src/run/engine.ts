import pLimit from "p-limit";
import { BudgetError, ModelError } from "../errors.js";
import type { Arm } from "../plan/types.js";
import { askedRoles } from "../registry/further-models.js";
import type { Embedder, Model, OthersPool, Row, Unit } from "../types/index.js";
import { abortOnError, armStop, combinedError, type IdleTimeout, openIdleTimeout, Stopping } from "./failures.js";
import type { ArmContext, Wiring } from "./kit.js";
import { type ScheduledArm, scheduleUnits, UnitSlots } from "./order.js";
import { keepRecord, type Rows, runUnit } from "./unit.js";

/** The models of an arm. */
export interface ArmModels {
  readonly model: Model;
  /** Further models by role. Absent: none. */
  readonly further?: ArmContext["further"];
  readonly embedder: Embedder;
  /** Undefined: the parameter is not sent. */
  readonly temperature: number | undefined;
}

export interface EngineSettings extends Wiring {
  readonly arms: readonly Arm[];
  readonly modelsOf: (arm: Arm) => ArmModels;
  /** Most units, and most questions, in work at once: of all arms, or of each group of arms. Calls have limits of their own. */
  readonly concurrency: number | ((arm: Arm) => GroupConcurrency);
  /** Most seconds that a method may go on without a call in flight. Absent: 300. */
  readonly deadlineSeconds?: number | undefined;
  readonly rows: Rows;
  /** Prequential mode: a user's questions are asked in order, and each gold is learned after its question. */
  readonly online?: boolean;
  /** Called with each row after it was added to `rows`. */
  readonly onRow?: (row: Row, isNew: boolean) => void;
  /** Fires when no new call may start: calls in flight are finished and stored. */
  readonly stop: AbortController;
  /** Fires when calls in flight are dropped, too. */
  readonly kill: AbortSignal;
}

interface GroupConcurrency {
  /** Id of a model. */
  readonly group: string;
  readonly width: number;
}

/**
 * Runs all arms over their units. Returns the reason of an early end; undefined if all rows are made. Rows do not depend on the order in
 * which units finish. Throws any reason that is neither a model's failure nor a cap.
 */
export async function runArms(settings: EngineSettings): Promise<unknown> {
  const engine = new Engine(settings);
  await scheduleUnits(engine.arms, settings.stop.signal);
  await engine.close();
  const reason = engine.endReason();
  if (reason instanceof Error && !(reason instanceof BudgetError) && !(reason instanceof ModelError)) throw reason;
  return reason;
}

/** An engine that works on single units in the order of its caller. */
interface UnitEngine {
  /** Runs a unit until its records are made. Throws the reason of an early end. */
  work(arm: Arm, unit: Unit): Promise<void>;
  /** Waits for calls in flight. */
  close(): Promise<void>;
}

export function unitEngine(settings: EngineSettings): UnitEngine {
  const engine = new Engine(settings);
  return {
    async work(arm, unit) {
      const scheduled = engine.arms[settings.arms.indexOf(arm)]!; // one for each arm
      await scheduled.work(unit);
      if (scheduled.isStopped()) throw engine.endReason();
    },
    close: () => engine.close(),
  };
}

class Engine {
  /** The arms in the order of the settings. */
  readonly arms: readonly ScheduledArm[];
  readonly #settings: EngineSettings;
  /** Calls, searches, answers of programs and vectors. */
  readonly #inFlight = new Set<Promise<unknown>>();
  /** Why models cannot be used any more. */
  readonly #modelErrors = new Set<ModelError>();
  readonly #idleTimeout: IdleTimeout;

  constructor(settings: EngineSettings) {
    const { deadlineSeconds = 300, kill } = settings;
    this.#settings = settings;
    this.#idleTimeout = openIdleTimeout({ seconds: deadlineSeconds, kill, isWaiting: () => this.#inFlight.size > 0 });
    this.arms = this.#scheduledArms();
  }

  /** Waits for calls in flight, also of methods that have failed meanwhile: their replies cost money and are stored. */
  async close(): Promise<void> {
    this.#idleTimeout.close();
    await Promise.allSettled(this.#inFlight);
  }

  endReason(): unknown {
    const { signal } = this.#settings.stop;
    return signal.aborted ? signal.reason : combinedError(this.#modelErrors);
  }

  #scheduledArms(): ScheduledArm[] {
    const { arms, concurrency } = this.#settings;
    const groupOf = (arm: Arm): GroupConcurrency =>
      typeof concurrency === "number" ? { group: "", width: concurrency } : concurrency(arm);
    const widths = new Map<string, number>();
    for (const { group, width } of arms.map(groupOf)) widths.set(group, Math.max(width, widths.get(group) ?? 0));
    const slots = new Map(Array.from(widths, ([group, width]) => [group, new UnitSlots(width)]));
    const limits = new Map(Array.from(widths, ([group, width]) => [group, pLimit(width)]));
    const sharedByContent = new Map<OthersPool, Map<string, Promise<unknown>>>(
      arms.map(({ loaded }) => [loaded.others, new Map()]),
    );
    return arms.map((arm) => {
      const { group } = groupOf(arm);
      const stop = armStop(this.#settings.stop, this.#modelErrors);
      const context = this.#contextOf(arm, stop, sharedByContent.get(arm.loaded.others)!);
      const { rows, online, onRow } = this.#settings;
      const { within } = this.#idleTimeout;
      const work = { arm, context, stop, rows, online, onRow, within, limit: limits.get(group)! };
      return {
        units: arm.loaded.units,
        kind: [arm.spec.task, arm.spec.method, arm.spec.model].join(" "),
        slots: slots.get(group)!,
        isStopped: () => stop.signal.aborted,
        work: (unit) => abortOnError(runUnit(unit, work), stop),
      };
    });
  }

  #contextOf(arm: Arm, stop: AbortController, sharedByContent: Map<string, Promise<unknown>>): ArmContext {
    const { spec, loaded, method, options } = arm;
    const { kill, rows, tool, waits, files, once, explain, onAsk } = this.#settings;
    const { further = {}, embedder, temperature, model } = this.#settings.modelsOf(arm);
    const track = <T>(job: Promise<T>): Promise<T> => this.#track(job);
    const gated = (asked: Model): Model => this.#gated(asked, stop);
    return {
      spec,
      task: loaded.task,
      others: loaded.others,
      temperature,
      model: gated(model),
      further: Object.fromEntries(Object.entries(further).map(([role, one]) => [role, gated(one)])),
      roles: askedRoles(method, options),
      embedder: {
        id: embedder.id,
        get dimensions() {
          return embedder.dimensions;
        },
        embed: (texts) => track(embedder.embed(texts)),
      },
      tool(name, place) {
        const found = tool(name, place);
        return found && { ...found, run: (input, use) => track(found.run(input, use)) };
      },
      track,
      waits,
      files,
      once,
      explain,
      onAsk,
      signal: kill,
      stop: stop.signal,
      shared: new Map(),
      sharedByContent,
      onShared(key, ledger) {
        if (ledger.isEmpty()) return;
        const origin = { arm: spec.id, user: "", unit: `shared/${key}` };
        keepRecord({ ...origin, shared: true, historySize: 0 }, ledger, rows);
      },
    };
  }

  #track<T>(job: Promise<T>): Promise<T> {
    this.#inFlight.add(job);
    return job.finally(() => this.#inFlight.delete(job));
  }

  /** Returns a model that starts no call once the arm is stopped, and that stops the arm on an error that is not the model's. */
  #gated(model: Model, stop: AbortController): Model {
    const { id, capabilities, simulated } = model;
    return {
      id,
      capabilities,
      simulated,
      complete: (request) => {
        if (stop.signal.aborted) return Promise.reject(new Stopping());
        return this.#track(model.complete(request, this.#settings.kill)).catch((error: unknown) => {
          if (!(error instanceof ModelError)) stop.abort(error);
          throw error;
        });
      },
    };
  }
}
