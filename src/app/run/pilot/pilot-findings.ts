import { join } from "node:path";
import { ofBatches, type Prices } from "../../../models/prices.js";
import { variantOf } from "../../../report/arms.js";
import { groupBy } from "../../../report/grouped.js";
import { type Forecast, forecastOf, type PilotUser } from "../../../report/plan/forecast.js";
import { minutesAtLimits, type RateLimits } from "../../../report/plan/minutes.js";
import type { PilotLine } from "../../../report/plan/pilot-text.js";
import { readJournal } from "../../../run/journal.js";
import type { Arm } from "../../../run/plan/plan.js";
import type { StoredCall } from "../../../run/replies.js";
import { latestRows, runFiles } from "../../../run/rows.js";
import type { Row, Trace, Usage } from "../../../types/index.js";
import { isCut } from "../models/call-notices.js";
import type { PilotDraw, PilotTask } from "./pilot.js";

export interface PilotFindings {
  /** One for each task and method, then that of the whole run. */
  readonly lines: readonly PilotLine[];
  readonly total: PilotLine;
  /** What the pilot itself cost, US dollars. */
  readonly spentUsd: number;
}

/** What is known once a pilot has ended. */
interface PilotMaterial {
  readonly folder: string;
  /** Of the whole run. */
  readonly arms: readonly Arm[];
  readonly draw: PilotDraw;
  readonly prices: Prices;
  /** Calls a millisecond, as the pilot went; undefined where it sent none. */
  readonly pace: number | undefined;
  /** Whether its provider takes batches. */
  takesBatches(model: string): boolean;
  /** A minute, as the servers told; undefined where they did not. */
  limitsOf(model: string): RateLimits | undefined;
}

/** What the replies of a pilot's users, as they stand in the folder, foretell of the whole run. */
export function pilotFindings({
  folder,
  arms,
  draw,
  prices,
  pace,
  limitsOf,
  takesBatches,
}: PilotMaterial): PilotFindings {
  const cells = arms.map(({ cell }) => cell);
  const asked = askedIn(folder, arms, draw);
  const replies = repliesTo(folder, asked);
  const rows = latestRows(folder);
  const line = (name: Pick<PilotLine, "task" | "method">, mine: readonly Arm[]): PilotLine => {
    const ids = new Set(mine.map(({ cell }) => cell.id));
    const ofMine = asked.filter(({ cell }) => ids.has(cell));
    const tasks = draw.tasks.filter(({ task }) => mine.some(({ cell }) => cell.task === task));
    const forecast = foretold(tasks, ofMine, replies, prices);
    const known = distinct(ofMine).flatMap(({ key, model }) => {
      const reply = replies.get(key);
      return reply === undefined ? [] : [{ ...reply, model }];
    });
    const [read, prompts] = [sum(known, ({ usage }) => usage.cacheRead ?? 0), sum(known, ({ usage }) => usage.in)];
    const left = Math.max(0, forecast.calls - known.length);
    const batched = mine.every(({ cell }) => takesBatches(cell.model))
      ? foretold(tasks, ofMine, replies, ofBatches(prices)).usd
      : undefined;
    const atLimits = minutesLeft(forecast, known, limitsOf);
    return {
      ...name,
      forecast,
      inBatches: batched,
      minutes: atLimits ?? (pace === undefined ? undefined : left / pace / 60_000),
      ...counted(rows.filter(({ cell, user }) => ids.has(cell) && tasks.some(({ drawn }) => drawn.has(user)))),
      cut: ratio(known.filter(({ cut }) => cut).length, known.length),
      cacheRead: ratio(read, prompts),
    };
  };
  const groups = groupBy(arms, ({ cell }) => JSON.stringify([cell.task, cell.method, variantOf(cell, cells)]));
  const lines = [...groups.values()].map((mine) => {
    const { cell } = mine[0]!; // groups are never empty
    const variant = variantOf(cell, cells);
    return line({ task: cell.task, method: variant === "" ? cell.method : `${cell.method} (${variant})` }, mine);
  });
  const spent = distinct(asked).map(({ key, model }) => priceOf(replies.get(key)?.usage, model, prices) ?? 0);
  return {
    lines,
    total: line({ task: "total", method: "" }, arms),
    spentUsd: spent.reduce((all, usd) => all + usd, 0),
  };
}

/** What is left to send, at the limits of the models' servers, the slowest of them; undefined where some model's are not known. */
function minutesLeft(
  forecast: Forecast,
  known: readonly { readonly model: string; readonly usage: Usage }[],
  limitsOf: PilotMaterial["limitsOf"],
): number | undefined {
  const models = [...new Set(known.map(({ model }) => model))];
  if (models.length === 0) return undefined;
  const left = models.map((model) => {
    const limits = limitsOf(model);
    if (limits === undefined) return Number.NaN;
    const mine = known.filter((one) => one.model === model);
    const rest = (whole: number, part: (usage: Usage) => number): number => {
      const [all, ofModel] = [sum(known, ({ usage }) => part(usage)), sum(mine, ({ usage }) => part(usage))];
      return Math.max(0, whole * ratio(ofModel, all) - ofModel);
    };
    const load = {
      calls: rest(forecast.calls, () => 1),
      tokensIn: rest(forecast.tokensIn, (usage) => usage.in),
      tokensOut: rest(forecast.tokensOut, (usage) => usage.out),
    };
    return minutesAtLimits(load, limits);
  });
  const slowest = Math.max(...left);
  return Number.isNaN(slowest) ? undefined : slowest;
}

/** A request that was made for a user of the pilot, or for all of a cell (`user` is empty). */
interface AskedRequest {
  readonly cell: string;
  readonly task: string;
  readonly user: string;
  /** First digits of the request's key. */
  readonly key: string;
  readonly model: string;
}

interface KnownReply {
  readonly usage: Usage;
  readonly cut: boolean;
}

function askedIn(folder: string, arms: readonly Arm[], { tasks }: PilotDraw): AskedRequest[] {
  const byCell = new Map(arms.map(({ cell }) => [cell.id, cell] as const));
  const asked: AskedRequest[] = [];
  for (const { cell: id, unit, requests } of readJournal<Trace>(join(folder, runFiles.traces))) {
    const cell = byCell.get(id);
    const ofTask = tasks.find(({ task }) => task === cell?.task);
    if (cell === undefined || ofTask === undefined) continue;
    const user = unit.startsWith(SHARED) ? "" : ofTask.userOf.get(unit);
    if (user === undefined || (user !== "" && !ofTask.drawn.has(user))) continue;
    for (const key of requests) asked.push({ cell: id, task: cell.task, user, key, model: cell.model });
  }
  return asked;
}

const SHARED = "shared/";

function repliesTo(folder: string, asked: readonly AskedRequest[]): ReadonlyMap<string, KnownReply> {
  const wanted = new Set(asked.map(({ key }) => key));
  const found = new Map<string, KnownReply>();
  for (const { key, reply } of readJournal<StoredCall>(join(folder, runFiles.responses))) {
    const short = key.slice(0, KEY_DIGITS);
    if (wanted.has(short)) found.set(short, { usage: reply.usage, cut: isCut(reply) });
  }
  return found;
}

/** Of the ids of requests in traces. */
const KEY_DIGITS = 16;

/** Equal requests of a user are sent once. */
function distinct(asked: readonly AskedRequest[]): AskedRequest[] {
  const found = new Map(asked.map((one) => [`${one.task}\t${one.user}\t${one.key}`, one] as const));
  return [...found.values()];
}

function foretold(
  tasks: readonly PilotTask[],
  asked: readonly AskedRequest[],
  replies: ReadonlyMap<string, KnownReply>,
  prices: Prices,
): Forecast {
  const byUser = groupBy(distinct(asked), ({ task, user }) => (user === "" ? "" : `${task}\t${user}`));
  const cost = (mine: readonly AskedRequest[] = []): Omit<PilotUser, "size"> => {
    const known = mine.flatMap(({ key, model }) => {
      const reply = replies.get(key);
      return reply === undefined ? [] : [{ usage: reply.usage, usd: priceOf(reply.usage, model, prices) }];
    });
    return {
      calls: known.length,
      tokensIn: sum(known, ({ usage }) => usage.in),
      tokensOut: sum(known, ({ usage }) => usage.out),
      usd: known.some(({ usd }) => usd === undefined) ? undefined : sum(known, ({ usd }) => usd ?? 0),
    };
  };
  const strata = tasks.map(({ task, drawn, rest }) => ({
    users: Array.from(drawn, ([user, size]) => ({ size, ...cost(byUser.get(`${task}\t${user}`)) })),
    rest,
  }));
  return forecastOf(strata, cost(byUser.get("")));
}

const priceOf = (usage: Usage | undefined, model: string, prices: Prices): number | undefined =>
  usage === undefined ? undefined : prices.ofCall(model, usage);

function counted(rows: readonly Row[]): Pick<PilotLine, "failed" | "unparsed"> {
  const share = (kind: Row["outcome"]["kind"]) =>
    ratio(rows.filter(({ outcome }) => outcome.kind === kind).length, rows.length);
  return { failed: share("failed"), unparsed: share("unparsed") };
}

const sum = <T>(all: readonly T[], part: (one: T) => number): number =>
  all.reduce((total, one) => total + part(one), 0);
const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
