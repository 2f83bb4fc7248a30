import { seeded } from "../../../random/seeded.js";
import { ofUsers } from "../../../run/plan/part.js";
import type { Arm, LoadedTask } from "../../../run/plan/plan.js";
import { systematicDraw } from "../../../statistics/ratio-estimate.js";
import type { Clock } from "../../../types/index.js";
import type { RunSettings } from "../config/resolve-settings.js";
import { estimate } from "../estimate/estimate.js";
import type { Guesses, PaceSettings } from "../estimate/guess.js";
import type { Prepared } from "../prepare.js";

/** The users that a run begins with to find out what it costs. */
export interface PilotDraw {
  /** The arms of the run, with these users alone. */
  readonly arms: readonly Arm[];
  readonly tasks: readonly PilotTask[];
  /** What was known before. */
  readonly guesses: Guesses;
}

/** The users of one task by their sizes, bytes of the prompts that are known before. */
export interface PilotTask {
  readonly task: string;
  readonly drawn: ReadonlyMap<string, number>;
  readonly rest: { readonly count: number; readonly size: number };
  /** Users of units, by the units' ids. */
  readonly userOf: ReadonlyMap<string, string>;
}

/** Why a run ended: its pilot is done, and nobody said that it may go on. */
export class PilotDone {
  readonly name = "PilotDone";
}

/**
 * Draws `count` users of each task, evenly over the sizes of their prompts, by the run's seed; all of them where they are fewer than
 * twice as many. Sends nothing.
 */
export async function drawPilot(
  prepared: Prepared,
  settings: Pick<RunSettings, "seed" | "prices" | "batch"> & PaceSettings,
  { count, clock }: { readonly count: number; readonly clock: Clock },
): Promise<PilotDraw> {
  const { arms } = prepared;
  const data = new Map(arms.map(({ cell, loaded }) => [cell.task, loaded] as const));
  const userOf = new Map([...data].map(([task, loaded]) => [task, usersOf(loaded)] as const));
  const taskOf = new Map(arms.map(({ cell }) => [cell.id, cell.task] as const));
  const sizes = new Map([...userOf].map(([task, users]) => [task, noSizes(users.values())] as const));
  const { guesses } = await estimate(prepared, {
    clock,
    settings,
    heard(bytes, { cell, unit }) {
      const task = taskOf.get(cell) ?? "";
      const user = userOf.get(task)?.get(unit);
      const ofTask = sizes.get(task);
      if (user !== undefined) ofTask?.set(user, (ofTask.get(user) ?? 0) + bytes);
    },
  });
  const tasks = [...sizes].map(([task, ofTask]) => {
    const start = seeded(`${settings.seed}/pilot/${task}`).next();
    return { ...drawn(known(ofTask), count, start), task, userOf: userOf.get(task) ?? new Map<string, string>() };
  });
  const chosen = new Map<LoadedTask, LoadedTask>();
  const cut = (arm: Arm): LoadedTask => {
    const mine = tasks.find(({ task }) => task === arm.cell.task)?.drawn;
    const loaded = chosen.get(arm.loaded) ?? ofUsers(arm.loaded, (user) => mine?.has(user) === true);
    chosen.set(arm.loaded, loaded);
    return loaded;
  };
  return { arms: arms.map((arm) => ({ ...arm, loaded: cut(arm) })), tasks, guesses };
}

const usersOf = ({ units }: LoadedTask): Map<string, string> =>
  new Map(Array.from(units, ({ id, user }) => [id, user.id] as const));

const noSizes = (users: Iterable<string>): Map<string, number> =>
  new Map(Array.from(users, (user) => [user, 0] as const));

/** Where no prompt is known before (programs), all users are alike. */
function known(sizes: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const any = [...sizes.values()].some((size) => size > 0);
  return any ? sizes : new Map([...sizes.keys()].map((user) => [user, 1] as const));
}

function drawn(sizes: ReadonlyMap<string, number>, count: number, start: number): Pick<PilotTask, "drawn" | "rest"> {
  const all = [...sizes];
  const places = systematicDraw(
    all.map(([, size]) => size),
    all.length < 2 * count ? all.length : count,
    start,
  );
  const mine = new Map(places.map((place) => all[place]!));
  const left = all.filter(([user]) => !mine.has(user));
  return { drawn: mine, rest: { count: left.length, size: left.reduce((sum, [, size]) => sum + size, 0) } };
}
