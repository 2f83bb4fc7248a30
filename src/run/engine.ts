import pLimit from "p-limit";
import { BudgetError, ModelError } from "../errors.js";
import type { Arm } from "../plan/types.js";
import { askedRoles } from "../registry/further-models.js";
import type { Embedder, Model, OthersPool, Row, Unit } from "../types/index.js";
import type { ArmContext, Wiring } from "./kit.js";
import { inOrder, type OrderedArm, Slots } from "./order.js";
import { abortOnError, allOf, armStop, type Deadline, openDeadline, Stopping } from "./stops.js";
import { keepRecord, type Rows, runUnit } from "./unit.js";

export interface ArmModels {
  readonly model: Model;
  /** The models that the arm names besides. Absent: none. */
  readonly further?: ArmContext["further"];
  readonly embedder: Embedder;
  /** Undefined: the parameter is not sent. */
  readonly temperature: number | undefined;
}

export interface EngineSettings extends Wiring {
  readonly arms: readonly Arm[];
  /** What an arm works with. Arms with equal requests share their calls where they share a model with a store. */
  readonly modelsOf: (arm: Arm) => ArmModels;
  /** Units, and questions, in work at once: of all arms, or of an arm's group. The model's own limiter bounds the calls. */
  readonly concurrency: number | ((arm: Arm) => Width);
  /** Most seconds that a method may stay without an end and without a call. Absent: 300. */
  readonly deadlineSeconds?: number | undefined;
  readonly rows: Rows;
  /** Prequential mode: a user's questions in order, and after each its gold enters what the method remembers. */
  readonly online?: boolean;
  /** Told of every row, once it is written. */
  readonly onRow?: (row: Row) => void;
  /** Fires when no new call may start: calls in flight are finished and stored. */
  readonly stop: AbortController;
  /** Fires when calls in flight are dropped too. */
  readonly kill: AbortSignal;
}

/** How many units are in work at once for the arms of one group (a model's id). */
interface Width {
  readonly group: string;
  readonly width: number;
}

/**
 * Runs every arm over its units and returns why it ended: undefined when all is done. All arms go on together, user by user, so
 * that a run which ends early has the same users in each; results do not depend on the order in which units finish.
 * Throws what is neither a model's failure nor a cap: that is a bug or a usage error.
 */
export async function runArms(settings: EngineSettings): Promise<unknown> {
  const state = begin(settings);
  const { signal } = settings.stop;
  await inOrder(orderedArms(settings, state), signal);
  await ended(state); // calls whose method gave up meanwhile cost money: their replies are stored
  const reason: unknown = signal.aborted ? signal.reason : allOf(state.givenUp);
  if (reason instanceof Error && !(reason instanceof BudgetError) && !(reason instanceof ModelError)) throw reason;
  return reason;
}

interface SingleUserEngine {
  /** Ends when all records of the unit are made. Throws why it came to no end. */
  work(arm: Arm, unit: Unit): Promise<void>;
  /** Ends when calls whose method gave up meanwhile have ended. */
  ended(): Promise<void>;
}

/** Works on units as somebody hands them out, instead of on all in order. */
export function unitEngine(settings: EngineSettings): SingleUserEngine {
  const state = begin(settings);
  const arms = orderedArms(settings, state);
  const { signal } = settings.stop;
  return {
    async work(arm, unit) {
      const ordered = arms[settings.arms.indexOf(arm)]!; // one for each
      await ordered.work(unit);
      if (ordered.isGivenUp()) throw signal.aborted ? signal.reason : allOf(state.givenUp);
    },
    ended: () => ended(state),
  };
}

/** What all arms of a run have in common while it goes on. */
interface EngineState {
  /** What is out: calls, searches, answers of programs, vectors. */
  readonly inFlight: Set<Promise<unknown>>;
  /** Why models were given up. */
  readonly givenUp: Set<ModelError>;
  readonly deadline: Deadline;
}

function begin({ deadlineSeconds = 300, kill }: EngineSettings): EngineState {
  const inFlight = new Set<Promise<unknown>>();
  const deadline = openDeadline({ seconds: deadlineSeconds, kill, isWaiting: () => inFlight.size > 0 });
  return { inFlight, givenUp: new Set(), deadline };
}

async function ended({ inFlight, deadline }: EngineState): Promise<void> {
  deadline.close();
  await Promise.allSettled(inFlight);
}

/** The arms in the order of work; those that share a pool share what is built of it. */
function orderedArms(settings: EngineSettings, { inFlight, givenUp, deadline }: EngineState): OrderedArm[] {
  const common = new Map<OthersPool, NonNullable<ArmContext["common"]>>();
  const slots = new Map<string, { readonly units: Slots; readonly questions: ReturnType<typeof pLimit> }>();
  const widths = settings.arms.map((arm) => widthOf(arm, settings));
  return settings.arms.map((arm, index) => {
    const { group } = widths[index]!; // one for each
    const width = Math.max(...widths.flatMap((one) => (one.group === group ? one.width : [])));
    const mine = slots.get(group) ?? { units: new Slots(width), questions: pLimit(width) };
    slots.set(group, mine);
    const { units, others } = arm.loaded;
    const ofPool = common.get(others) ?? new Map<string, Promise<unknown>>();
    common.set(others, ofPool);
    const own = { ...settings, stop: armStop(settings.stop, givenUp), slot: mine.questions, within: deadline.within };
    const context = contextOf(arm, ofPool, own, inFlight);
    return {
      units,
      kind: [arm.spec.task, arm.spec.method, arm.spec.model].join(" "),
      slots: mine.units,
      isGivenUp: () => own.stop.signal.aborted,
      work: (unit) => abortOnError(runUnit(arm, unit, context, own), own.stop),
    };
  });
}

const widthOf = (arm: Arm, { concurrency }: EngineSettings): Width =>
  typeof concurrency === "number" ? { group: "", width: concurrency } : concurrency(arm);

function contextOf(
  arm: Arm,
  common: ArmContext["common"],
  settings: EngineSettings,
  inFlight: Set<Promise<unknown>>,
): ArmContext {
  const { spec, loaded, method, options } = arm;
  const { stop, kill, rows, waits, files, once, explain, onAsk } = settings;
  const { further, embedder, temperature, model } = settings.modelsOf(arm);
  const out = <T>(job: Promise<T>): Promise<T> => {
    inFlight.add(job);
    return job.finally(() => inFlight.delete(job));
  };
  const gated = (asked: Model): Model => ({
    ...{ id: asked.id, capabilities: asked.capabilities, simulated: asked.simulated },
    complete(request) {
      if (stop.signal.aborted) return Promise.reject(new Stopping());
      return out(asked.complete(request, kill)).catch((error: unknown) => {
        if (!(error instanceof ModelError)) stop.abort(error); // no failure of the method's
        throw error;
      });
    },
  });
  return {
    ...{ spec, task: loaded.task, others: loaded.others, temperature, signal: kill, common, out },
    ...{ waits, files, once, explain, onAsk },
    stop: stop.signal,
    model: gated(model),
    roles: askedRoles(method, options),
    further: Object.fromEntries(Object.entries(further ?? {}).map(([role, one]) => [role, gated(one)])),
    embedder: {
      id: embedder.id,
      get dimensions() {
        return embedder.dimensions;
      },
      embed: (texts) => out(embedder.embed(texts)),
    },
    tool(name, at) {
      const found = settings.tool(name, at);
      return found && { ...found, run: (input, use) => out(found.run(input, use)) };
    },
    shared: new Map(),
    onShared(key, ledger) {
      if (ledger.isEmpty()) return;
      const origin = { arm: spec.id, user: "", unit: `shared/${key}` };
      keepRecord({ ...origin, shared: true, historySize: 0 }, ledger, rows);
    },
  };
}
