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

interface OrderSettings {
  /** Once it fires nothing more is begun. */
  readonly stop: AbortSignal;
  /** How much of the caps is used, from 0 to 1; undefined: there is none. */
  readonly used?: (() => number | undefined) | undefined;
}

/**
 * Works through the units user by user: the first unit of each task in all its arms, then the second, and so on, so that a run that
 * ends early has the same users in each arm. A user's arms of one kind go one after the other as long as later users fill the slots. A
 * unit is read when there is a slot for it, and forgotten when it is done.
 */
export async function inOrder(arms: readonly OrderedArm[], { stop, used }: OrderSettings): Promise<void> {
  const lines = linesOf(arms);
  const slots = [...new Set(arms.map((arm) => arm.slots))];
  const mostOpen = Math.max(...slots.map(({ width }) => width));
  const allowance = new Allowance(used);
  const open = new Set<Round>();
  const running = new Set<Promise<void>>();

  try {
    while (!stop.aborted) {
      const first = jobOf(open, true);
      if (first === undefined && mayOpen()) openRound();
      else {
        const job = first ?? jobOf(open, false);
        if (job !== undefined) begin(job);
        else if (running.size > 0) await Promise.race(running);
        else break;
      }
    }
    await Promise.all(running);
  } finally {
    for (const { units } of lines) units.return?.();
  }

  function mayOpen(): boolean {
    if (open.size >= mostOpen || slots.every(({ free }) => free === 0)) return false;
    return lines.some(({ ended }) => !ended) && allowance.allows(open.size);
  }

  function openRound(): void {
    const round: Round = { pending: [], atWork: [] };
    for (const line of lines) {
      line.ended ||= line.arms.every((arm) => arm.isGivenUp());
      const unit = line.ended ? undefined : (line.units.next().value as Unit | undefined);
      line.ended = unit === undefined;
      for (const arm of unit === undefined ? [] : line.arms) {
        round.pending.push({ arm, unit: unit!, round });
      }
    }
    if (round.pending.length > 0) open.add(round);
  }

  function begin(job: Job): void {
    const { arm, unit, round } = job;
    round.pending.splice(round.pending.indexOf(job), 1);
    round.atWork.push(job);
    arm.slots.free -= 1;
    keep(
      (arm.isGivenUp() ? Promise.resolve() : arm.work(unit)).then(() => {
        arm.slots.free += 1;
        round.atWork.splice(round.atWork.indexOf(job), 1);
        if (round.pending.length + round.atWork.length === 0) {
          open.delete(round);
          allowance.done += 1;
        }
      }),
    );
  }

  function keep(work: Promise<void>): void {
    const kept: Promise<void> = work.finally(() => running.delete(kept));
    running.add(kept);
  }
}

/** The arms that share their units, and the units that none of them has begun. */
interface Line {
  readonly arms: readonly OrderedArm[];
  readonly units: Iterator<Unit>;
  ended: boolean;
}

/** The same place of every line: one user of each task. */
interface Round {
  readonly pending: Job[];
  readonly atWork: Job[];
}

interface Job {
  readonly arm: OrderedArm;
  readonly unit: Unit;
  readonly round: Round;
}

function linesOf(arms: readonly OrderedArm[]): Line[] {
  const byUnits = new Map<Sequence<Unit>, OrderedArm[]>();
  for (const arm of arms) byUnits.set(arm.units, [...(byUnits.get(arm.units) ?? []), arm]);
  return Array.from(byUnits, ([units, mine]) => ({ arms: mine, units: units[Symbol.iterator](), ended: false }));
}

/** The first job, of the users begun first, that has a slot; `alone`: and none of its kind in work for its user. */
function jobOf(open: ReadonlySet<Round>, alone: boolean): Job | undefined {
  for (const { pending, atWork } of open) {
    const fits = ({ arm: { slots, kind } }: Job): boolean =>
      slots.free > 0 && !(alone && atWork.some(({ arm }) => arm.kind === kind));
    const job = pending.find(fits);
    if (job !== undefined) return job;
  }
  return undefined;
}

/**
 * Under a cap, how many users may be in work at once: those in work may cost half of what is left, by what a user cost so far, and the
 * first and the last ones go alone. Many at once would use it up together and none would be done.
 */
class Allowance {
  /** Users of this process that are done. */
  done = 0;
  readonly #used: () => number | undefined;
  readonly #before: number;

  constructor(used: () => number | undefined = () => undefined) {
    this.#used = used;
    this.#before = used() ?? 0;
  }

  allows(inWork: number): boolean {
    const used = this.#used();
    if (used === undefined || inWork === 0) return true;
    const ofUser = (used - this.#before) / this.done; // infinite, or no number, where none is done
    return 2 * ofUser * (inWork + 1) <= 1 - used;
  }
}
