import { pricesAt } from "../../../models/prices.js";
import type { SeenRates } from "../../../models/rate/limiters.js";
import { FEWEST_USERS, usersPaidBy } from "../../../report/plan/forecast.js";
import { pilotText } from "../../../report/plan/pilot-text.js";
import { formatAmount, formatUsd } from "../../../report/tables/format.js";
import type { Arm } from "../../../run/plan/plan.js";
import { nounOf } from "../../../text/count.js";
import type { RunSettings } from "../config/resolve-settings.js";
import { limitsSeen } from "../models/call-notices.js";
import type { Prepared } from "../prepare.js";
import { drawPilot, PilotDone, type PilotDraw } from "./pilot.js";
import { type PilotFindings, pilotFindings } from "./pilot-findings.js";

interface PilotWork {
  /** Of the whole run. */
  readonly arms: readonly Arm[];
  /** Runs some of the work; the reason of a stop. */
  work(arms: readonly Arm[]): Promise<unknown>;
  /** Billable tries of this process. */
  sent(): number;
  /** What was learned of the servers' limits. */
  seen(): readonly SeenRates[];
  onFound(found: PilotFindings): void;
}

/**
 * Runs the users of a pilot, tells what the whole run will cost, and returns why the run must not go on: a stop, or that nobody said
 * it may. Undefined: it may, or no pilot is asked for.
 */
export async function runPilot(prepared: Prepared, { arms, work, sent, seen, onFound }: PilotWork): Promise<unknown> {
  const { models, settings, folder, pilot, io } = prepared;
  if (pilot === undefined) return undefined;
  const { clock } = io;
  const draw = await drawPilot(prepared, settings, { count: pilot.users, clock });
  const [sentBefore, startedMs] = [sent(), clock.monotonic()];
  const reason = await work(draw.arms);
  if (reason !== undefined) return reason;
  const [calls, ms] = [sent() - sentBefore, clock.monotonic() - startedMs];
  const found = pilotFindings({
    folder,
    arms,
    draw,
    prices: pricesAt(clock.now(), settings.prices, settings.endpoints),
    pace: calls === 0 || ms === 0 ? undefined : calls / ms,
    takesBatches: (model) => models.some(({ id, batch }) => id === model && batch !== undefined),
    limitsOf: (model) => limitsSeen(seen(), model),
  });
  onFound(found);
  const may = whyGoOn(found, draw, {
    goOn: pilot.goOn,
    maxUsd: settings.purse === undefined ? settings.maxUsd : undefined,
  });
  const paid = settings.purse === undefined ? paidFor(found, draw, settings) : [];
  for (const line of [...wordsOf(found, draw), ...paid, ...(may === undefined ? [] : [`going on: ${may}`])])
    io.tell(line);
  return may === undefined ? new PilotDone() : undefined;
}

/** Why the run goes on by itself; undefined where it does not. */
function whyGoOn(
  { total }: PilotFindings,
  { tasks }: PilotDraw,
  { goOn, maxUsd }: { readonly goOn: boolean; readonly maxUsd: number | undefined },
): string | undefined {
  if (goOn) return "--yes";
  if (tasks.every(({ rest }) => rest.count === 0)) return "the pilot's users were all there are";
  const { interval } = total.forecast;
  if (interval === undefined || maxUsd === undefined || interval.high > maxUsd) return undefined;
  return `${formatUsd(interval.high)}, the upper end of its 95 % interval, is below --max-usd ${maxUsd}`;
}

/** How many users each cap pays for, and the flags that ask so many. */
function paidFor(
  { total: { forecast } }: PilotFindings,
  { tasks }: PilotDraw,
  { maxCalls, maxUsd }: Pick<RunSettings, "maxCalls" | "maxUsd">,
): string[] {
  if (tooFew(tasks)) return [];
  const all = Math.min(...tasks.map(({ drawn, rest }) => drawn.size + rest.count)); // --users is of each task
  const { calls, usd, fixed } = forecast;
  const each = tasks.length === 1 ? "" : " of each task";
  const line = (flag: string, cap: number | undefined, whole: number | undefined, shared: number): string[] => {
    if (cap === undefined || whole === undefined) return [];
    const users = usersPaidBy(cap, whole, shared, all);
    if (users >= all) return [`${flag} ${cap} pays for all users`];
    if (users === 0) return [`${flag} ${cap} does not pay for one user${each}`];
    return [
      `${flag} ${cap} pays for about ${users} of ${all} users${each}: --users ${users} --set data.users=drawn asks so many, drawn by --seed (--users ${users} alone: the first)`,
    ];
  };
  return [...line("--max-calls", maxCalls, calls, fixed.calls), ...line("--max-usd", maxUsd, usd, fixed.usd)];
}

const tooFew = (tasks: PilotDraw["tasks"]): boolean =>
  tasks.some(({ drawn, rest }) => rest.count > 0 && drawn.size < FEWEST_USERS);

function wordsOf({ lines, total }: PilotFindings, { tasks, guesses }: PilotDraw): string[] {
  const users = tasks.map(({ task, drawn, rest }) => `${drawn.size} of ${drawn.size + rest.count} users of ${task}`);
  const { calls, usd } = guesses.high;
  return [
    `pilot: ${users.join(", ")}; their replies are kept`,
    tooFew(tasks)
      ? `Too few users for a forecast (${FEWEST_USERS} needed). At most ${formatAmount(calls)} ${nounOf(calls, "call")}${usd === undefined ? "; price unknown" : ` and ${formatUsd(usd)}`}`
      : pilotText(lines, total),
  ];
}
