import { defaultEmbedder, openEmbedder } from "../../embedders/index.js";
import { CallSums } from "../../models/call-sums.js";
import type { PriceRow } from "../../models/price-row.js";
import { pricesAt } from "../../models/prices.js";
import { variantOf } from "../../report/arms.js";
import { dash, formatAmount, formatUsd, renderText, staleLine } from "../../report/tables/table.js";
import { EqualRequests } from "../../run/equal-requests.js";
import { type Estimate, estimateArm } from "../../run/estimate.js";
import { isShard, partName } from "../../run/part.js";
import type { LoadedTask } from "../../run/plan.js";
import type { Clock, PhaseTotals } from "../../types.js";
import type { Prepared } from "./prepare.js";
import { buysShared } from "./shared.js";

/** What a run would ask for. */
export interface RunEstimate {
  readonly phases: readonly EstimateLine[];
  /** Of what is sent: equal requests once. */
  readonly total: EstimateLine;
  /** As a table. */
  readonly text: string;
}

/** One phase of one arm. Tokens and dollars are upper bounds; `usd` is undefined where no price is known. */
export interface EstimateLine {
  readonly task: string;
  readonly method: string;
  readonly phase: string;
  readonly callsLow: number;
  readonly callsHigh: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly usd: number | undefined;
}

/** What the arms of a run would ask for, at today's prices, `own` before those of the list. Sends nothing and writes nothing. */
export async function estimate(prepared: Prepared, clock: Clock, own: readonly PriceRow[]): Promise<RunEstimate> {
  const { models, embedders, tools, part } = prepared;
  const only = part === undefined ? undefined : isShard(part) ? ("units" as const) : ("shared" as const);
  const arms = only === "shared" ? prepared.arms.filter(buysShared) : prepared.arms;
  const prices = pricesAt(clock.now(), own);
  const cells = arms.map(({ cell }) => cell);
  const standIn = await openEmbedder(defaultEmbedder, { env: {} });
  // An embedder that calls out, or loads weights, is stood in for: a dry run sends nothing.
  const lines: EstimateLine[] = [];
  const requests = new EqualRequests();
  const free: Free[] = [];
  for (const arm of arms) {
    const { id, capabilities } = models.find((model) => model.id === arm.cell.model)!; // arms are planned over these
    const embedder = embedders.of(arm.cell.options);
    const stood = embedders.isCostly(arm.cell.options) ? { embedder: standIn, standsFor: embedder.id } : { embedder };
    const estimate = await estimateArm(arm, {
      capabilities,
      ...stood,
      tool: tools.tool,
      requests,
      ...(only && { only }),
    });
    const price = (calls: CallSums) => prices.ofCalls(id, calls)?.usd;
    lines.push(...linesOf(estimate, variantOf(arm.cell, cells), price));
    const repeated = new CallSums();
    repeated.add(estimate.repeated, true);
    free.push({ ...estimate.repeated, usd: price(repeated) ?? 0 });
  }
  const total = totalOf(lines, requests.distinct(), free);
  const stale = models.flatMap(({ id }) => staleLine(id, prices.staleSince(id)) ?? []);
  return {
    phases: lines,
    total,
    text: [headingOf(prepared), ...stale, renderText(tableOf([...lines, total]))].join("\n"),
  };
}

// --- internal ---

function headingOf({ part, arms, loaded }: Prepared): string {
  if (part === undefined) return HEADING;
  const count = (all: readonly LoadedTask[]) =>
    new Set(all.flatMap(({ units }) => [...units].map(({ user }) => user.id))).size;
  const users = isShard(part) ? `, ${count(arms.map((arm) => arm.loaded))} of ${count(loaded)} users` : "";
  const shared = isShard(part) ? "; what all users share is not bought here" : "";
  return `${partName(part)}${users}${shared}\n${HEADING}`;
}

const HEADING =
  "dry run: nothing was sent; tokens and dollars are upper bounds; equal requests are sent once: a line counts what it asks for, the total what is sent";

/** What an arm adds to its lines, but not to the total. */
interface Free extends PhaseTotals {
  readonly usd: number;
}

function linesOf(
  { arm, phases, shared }: Estimate,
  variant: string,
  price: (calls: CallSums) => number | undefined,
): EstimateLine[] {
  const { task, repeat } = arm.cell;
  const method = variant === "" ? arm.cell.method : `${arm.cell.method} (${variant})`;
  const all = [
    ...Object.entries(phases),
    ...Object.entries(shared).map(([phase, estimate]) => [`${phase} (shared)`, estimate] as const),
  ];
  return all.map(([phase, { low, high, tokensIn, tokensOut, sums }]) => ({
    task,
    method: repeat === 0 ? method : `${method} #${repeat + 1}`,
    phase,
    callsLow: low,
    callsHigh: high,
    tokensIn,
    tokensOut,
    usd: price(sums),
  }));
}

function totalOf(lines: readonly EstimateLine[], distinct: number, free: readonly Free[]): EstimateLine {
  const sum = (part: (line: EstimateLine) => number) => lines.reduce((total, line) => total + part(line), 0);
  const less = (part: (arm: Free) => number) => free.reduce((total, arm) => total + part(arm), 0);
  return {
    task: "total",
    method: "",
    phase: "",
    callsLow: distinct,
    callsHigh: sum(({ callsHigh }) => callsHigh) - less(({ calls }) => calls),
    tokensIn: sum(({ tokensIn }) => tokensIn) - less((arm) => arm.in),
    tokensOut: sum(({ tokensOut }) => tokensOut) - less(({ out }) => out),
    usd: lines.some(({ usd }) => usd === undefined) ? undefined : sum(({ usd }) => usd ?? 0) - less(({ usd }) => usd),
  };
}

function tableOf(lines: readonly EstimateLine[]) {
  const titles = ["task", "method", "phase", "calls", "tokens in <=", "tokens out <=", "cost <="];
  return {
    columns: titles.map((title, i) => ({ title, align: i < 3 ? ("left" as const) : ("right" as const) })),
    rows: lines.map(({ task, method, phase, callsLow, callsHigh, tokensIn, tokensOut, usd }) => [
      task,
      method,
      phase,
      callsLow === callsHigh ? formatAmount(callsLow) : `${formatAmount(callsLow)}..${formatAmount(callsHigh)}`,
      formatAmount(tokensIn),
      formatAmount(tokensOut),
      usd === undefined ? dash : formatUsd(usd),
    ]),
  };
}
