import type { Sequence, Unit } from "../types/index.js";

/** An arm, as far as the order of work goes. */
export interface OrderedArm {
  readonly units: Sequence<Unit>;
  /** Arms of one kind may ask the same of a user (points of a sweep, repeats): side by side they would wait for each other. */
  readonly kind: string;
  readonly slots: Slots;
  isGivenUp(): boolean;
  /** Never fails: failures stop the run. */
  work(unit: Unit): Promise<void>;
}

/** How many units are in work at once, of all arms that have these slots. */
export class Slots {
  free: number;

  constructor(readonly width: number) {
    this.free = width;
  }
}

/** The n-th user of every task. */
type UserStep = Set<Job>;

interface Job {
  readonly arm: OrderedArm;
  readonly unit: Unit;
  isBegun: boolean;
}

/**
 * Works through the units user by user: the first unit of each task in all its arms, then the second, and so on, so that a run that
 * ends early has the same users in each arm. A user's arms of one kind go one after the other as long as later users fill the slots. A
 * unit is read when there is a slot for it, and forgotten when it is done. Once `stop` fires nothing more is begun.
 */
export async function inOrder(arms: readonly OrderedArm[], stop: AbortSignal): Promise<void> {
  const queues = queuesOf(arms);
  const slots = [...new Set(arms.map((arm) => arm.slots))];
  const mostOpen = Math.max(...slots.map(({ width }) => width));
  const open = new Set<UserStep>();
  const running = new Set<Promise<void>>();
  const mayOpen = (): boolean => open.size < mostOpen && slots.some(({ free }) => free > 0);
  try {
    while (!stop.aborted) {
      const alone = jobOf(open, true);
      if (alone === undefined && mayOpen() && openRound()) continue;
      const job = alone ?? jobOf(open, false);
      if (job !== undefined) begin(job);
      else if (running.size > 0) await Promise.race(running);
      else break;
    }
    await Promise.all(running);
  } finally {
    for (const { units } of queues) units.return?.();
  }

  /** Returns whether there was one. */
  function openRound(): boolean {
    const step: UserStep = new Set();
    for (const queue of queues) {
      const isLeft = !queue.ended && queue.arms.some((arm) => !arm.isGivenUp());
      const unit = isLeft ? (queue.units.next().value as Unit | undefined) : undefined;
      queue.ended = unit === undefined;
      if (unit !== undefined) for (const arm of queue.arms) step.add({ arm, unit, isBegun: false });
    }
    if (step.size > 0) open.add(step);
    return step.size > 0;
  }

  function begin(job: Job): void {
    const { arm, unit } = job;
    job.isBegun = true;
    arm.slots.free -= 1;
    const work: Promise<void> = (arm.isGivenUp() ? Promise.resolve() : arm.work(unit)).then(() => {
      arm.slots.free += 1;
      running.delete(work);
      for (const step of open) if (step.delete(job) && step.size === 0) open.delete(step);
    });
    running.add(work);
  }
}

/** Arms that share their units, and the units not begun. */
interface TaskQueue {
  readonly arms: readonly OrderedArm[];
  readonly units: Iterator<Unit>;
  ended: boolean;
}

function queuesOf(arms: readonly OrderedArm[]): TaskQueue[] {
  const byUnits = new Map<Sequence<Unit>, OrderedArm[]>();
  for (const arm of arms) byUnits.set(arm.units, [...(byUnits.get(arm.units) ?? []), arm]);
  return Array.from(byUnits, ([units, mine]) => ({ arms: mine, units: units[Symbol.iterator](), ended: false }));
}

/** The first job, of the users begun first, that has a slot; `alone`: and none of its kind in work for its user. */
function jobOf(open: ReadonlySet<UserStep>, alone: boolean): Job | undefined {
  for (const step of open) {
    const atWork = alone ? [...step].filter(({ isBegun }) => isBegun) : [];
    for (const job of step) {
      const { kind, slots } = job.arm;
      if (!job.isBegun && slots.free > 0 && !atWork.some(({ arm }) => arm.kind === kind)) return job;
    }
  }
  return undefined;
}
