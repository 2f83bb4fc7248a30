import type { Sequence, Unit } from "../types/index.js";

/** An arm for the scheduler. */
export interface ScheduledArm {
  /** The same object for all arms of a task. */
  readonly units: Sequence<Unit>;
  /**
   * Task, method and model. Arms of one kind (points of a sweep, repeats) may send equal requests for a user: in parallel they would only
   * wait for each other.
   */
  readonly kind: string;
  readonly slots: UnitSlots;
  /** Returns true once no unit of the arm is started any more. */
  isStopped(): boolean;
  /** Never rejects: failures stop the arm. */
  work(unit: Unit): Promise<void>;
}

/** Bounds the units in work of all arms that have these slots. */
export class UnitSlots {
  available: number;

  constructor(readonly size: number) {
    this.available = size;
  }
}

/** The unfinished jobs of one round: the n-th unit of every task, in each arm. */
type Round = Set<Job>;

interface Job {
  readonly arm: ScheduledArm;
  readonly unit: Unit;
  isStarted: boolean;
}

/**
 * Works through the units in rounds, the first unit of each task in all its arms, then the second, and so on: a run that ends early has
 * the same users in each arm. Later rounds are opened while slots are available. A user's arms of one kind run one after the other, unless
 * no other job is left for a slot. A unit is read when its round is opened. Starts nothing once `stop` fires.
 */
export async function scheduleUnits(arms: readonly ScheduledArm[], stop: AbortSignal): Promise<void> {
  const queues = queuesOf(arms);
  const slots = [...new Set(arms.map((arm) => arm.slots))];
  const maxRounds = Math.max(...slots.map(({ size }) => size));
  const rounds = new Set<Round>();
  const running = new Set<Promise<void>>();
  const mayOpenRound = (): boolean => rounds.size < maxRounds && slots.some(({ available }) => available > 0);
  try {
    while (!stop.aborted) {
      const preferred = nextJob(rounds, { onlyNewKinds: true });
      if (preferred === undefined && mayOpenRound() && openRound()) continue;
      const job = preferred ?? nextJob(rounds, { onlyNewKinds: false });
      if (job !== undefined) start(job);
      else if (running.size > 0) await Promise.race(running);
      else break;
    }
    await Promise.all(running);
  } finally {
    for (const { units } of queues) units.return?.();
  }

  /** Reads the next unit of each task. Returns false if there is none. */
  function openRound(): boolean {
    const round: Round = new Set();
    for (const queue of queues) {
      const isWanted = !queue.isEmpty && queue.arms.some((arm) => !arm.isStopped());
      const unit = isWanted ? (queue.units.next().value as Unit | undefined) : undefined;
      queue.isEmpty = unit === undefined;
      if (unit !== undefined) for (const arm of queue.arms) round.add({ arm, unit, isStarted: false });
    }
    if (round.size > 0) rounds.add(round);
    return round.size > 0;
  }

  function start(job: Job): void {
    const { arm, unit } = job;
    job.isStarted = true;
    arm.slots.available -= 1;
    const work: Promise<void> = (arm.isStopped() ? Promise.resolve() : arm.work(unit)).then(() => {
      arm.slots.available += 1;
      running.delete(work);
      for (const round of rounds) if (round.delete(job) && round.size === 0) rounds.delete(round);
    });
    running.add(work);
  }
}

/** The arms of a task, and its units that no round has yet. */
interface TaskQueue {
  readonly arms: readonly ScheduledArm[];
  readonly units: Iterator<Unit>;
  isEmpty: boolean;
}

function queuesOf(arms: readonly ScheduledArm[]): TaskQueue[] {
  const byUnits = new Map<Sequence<Unit>, ScheduledArm[]>();
  for (const arm of arms) byUnits.set(arm.units, [...(byUnits.get(arm.units) ?? []), arm]);
  return Array.from(byUnits, ([units, own]) => ({ arms: own, units: units[Symbol.iterator](), isEmpty: false }));
}

/** Returns the first job of the earliest round that has a slot. `onlyNewKinds`: and whose kind is not in work in its round. */
function nextJob(rounds: ReadonlySet<Round>, { onlyNewKinds }: { readonly onlyNewKinds: boolean }): Job | undefined {
  for (const round of rounds) {
    const started = onlyNewKinds ? [...round].filter(({ isStarted }) => isStarted) : [];
    for (const job of round) {
      const { kind, slots } = job.arm;
      if (!job.isStarted && slots.available > 0 && !started.some(({ arm }) => arm.kind === kind)) return job;
    }
  }
  return undefined;
}
