import { UsageError } from "../../errors.js";
import { pricesAt } from "../../models/prices.js";
import { requestKey } from "../../models/wrap/cached.js";
import { furtherModels } from "../../registry/further-models.js";
import { type Baseline, type BaselineArm, baselineOf } from "../../report/gate/baseline.js";
import type { Claim } from "../../report/gate/claims.js";
import { type GateLine, gateLines } from "../../report/gate/gate.js";
import {
  checkBudget,
  checkCassette,
  checkFailedRows,
  type FailOn,
  failOnAll,
  type GateCheck,
  type GateResult,
  remarksOf,
  verdictOf,
} from "../../report/gate/result.js";
import { refusePart } from "../../run/plan/part.js";
import type { Cell } from "../../types/index.js";
import { openKnown } from "../common/known-part.js";
import { refuseMixed, type StoredRun } from "../common/run-folder.js";
import type { Io } from "../io.js";
import { storedCalls } from "../report/stored-calls.js";
import { type JudgedArm, type JudgedArms, judgedArms, readMargins } from "./arms.js";
import { knownArms, openBaseline, partsOf } from "./baseline.js";

export { claims } from "../../report/gate/claims.js";
export { renderJunit } from "../../report/gate/junit.js";
export { failOnAll, type GateResult } from "../../report/gate/result.js";
export { renderAnnotations, renderGate, renderGateMarkdown } from "../../report/gate/text.js";

export interface GateSettings extends JudgedArms {
  /** Run folder to be judged. */
  readonly run: string;
  /** A file that `writeBaseline` wrote, or a run folder. */
  readonly baseline: string;
  /** What a pass is about. Default: `answers` of replays and SIMULATED runs, else `users`. */
  readonly claim?: Claim;
  /** Largest loss accepted: `auto`, `.02` for metrics from 0 to 1, or `accuracy=.02,mae=.05`. Default: auto. */
  readonly margin?: string;
  /** The chance to pass a run that is worse by the margin, at most. Default: .05. */
  readonly alpha?: number;
  /** Share of answers that a new run draws anew, for margins planned from a baseline of one repeat. Default: .10. */
  readonly noise?: number;
  /** Which verdicts about answers fail the gate. Default: fail. */
  readonly failOn?: readonly FailOn[];
  /** Largest share of failed or absent answers accepted. Default: .01. */
  readonly maxFailed?: number;
  /** Most that the run may have cost at list prices, in US dollars. Absent: not looked at. */
  readonly maxUsd?: number;
}

/** What holds where nothing else is asked for. */
export const gateDefaults = {
  margin: "auto",
  alpha: 0.05,
  noise: 0.1,
  failOn: ["fail"],
  maxFailed: 0.01,
} as const;

/** `fail,unsure`. Throws UsageError on another verdict. */
export function readFailOn(text: string): readonly FailOn[] {
  const given = text.split(",").map((name) => name.trim());
  const wrong = given.find((name) => !failOnAll.some((known) => known === name));
  if (wrong !== undefined) throw new UsageError(`--fail-on ${text}: "${wrong}" is none of ${failOnAll.join(", ")}`);
  return failOnAll.filter((name) => given.includes(name));
}

/**
 * Whether a run is no worse than a baseline, question by question. Sends nothing, writes nothing. Throws UsageError where the
 * two cannot be measured against each other: other data, a missing arm, SIMULATED against real, an unknown cost.
 */
export async function gate(settings: GateSettings, io: Pick<Io, "cwd" | "catalogue" | "tell">): Promise<GateResult> {
  const { run, baseline: name, margin, alpha, noise, failOn, ...wanted } = { ...gateDefaults, ...settings };
  const sides = await openSides({ ...wanted, run, baseline: name }, io);
  const { folder, baseline, arms } = sides;
  const judgesCode = folder.manifest.replayed !== undefined || folder.manifest.simulated;
  const claim = settings.claim ?? (judgesCode ? "answers" : "users");
  const lines = gateLines(arms, { claim, alpha, noise, margin: readMargins(margin, arms) });
  const checks = checksOf({ run, folder, arms, ...wanted });
  const remarks = remarksOfRun(run, sides, plannedRemark(name, baseline, lines));
  const { simulated } = baseline;
  return {
    ...verdictOf(lines, checks, failOn),
    failOn,
    claim,
    run,
    baseline: name,
    simulated,
    alpha,
    lines,
    checks,
    remarks,
  };
}

interface GateSides {
  readonly folder: StoredRun;
  readonly baseline: Baseline;
  readonly arms: readonly JudgedArm[];
  /** Arms of the run that the baseline lacks. */
  readonly unjudged: readonly string[];
}

/** Reads run and baseline and pairs their arms. Throws UsageError where the two cannot be measured against each other. */
async function openSides(
  { run, baseline: name, ...wanted }: JudgedArms & Pick<GateSettings, "run" | "baseline">,
  io: Pick<Io, "cwd" | "catalogue" | "tell">,
): Promise<GateSides> {
  const { folder, tasks } = openKnown(run, io);
  refusePart(run, folder.manifest);
  const baseline = knownArms(await openBaseline(name, io.cwd), tasks);
  refuseMixed(
    { name: run, simulated: folder.manifest.simulated },
    { name, simulated: baseline.simulated },
    "a SIMULATED baseline gates only SIMULATED runs; write a baseline of the same kind of model",
  );
  const candidate = { name: run, holds: baselineOf(partsOf(folder)), folder };
  return { folder, baseline, ...judgedArms({ baseline: { name, holds: baseline }, candidate, tasks }, wanted) };
}

/** What a reader must know besides the verdict; `more` stands before what was not judged. */
const remarksOfRun = (run: string, { folder, arms, unjudged }: GateSides, more: readonly string[]): string[] => [
  ...(folder.manifest.finishedAt === undefined ? [`${run} is not finished`] : []),
  ...remarksOf(arms.map(({ arm }) => arm)),
  ...more,
  ...(unjudged.length === 0 ? [] : [`not in the baseline, not judged: ${unjudged.join(", ")}`]),
];

interface CheckedRun {
  readonly run: string;
  readonly folder: StoredRun;
  readonly arms: readonly JudgedArm[];
  readonly maxFailed: number;
  readonly maxUsd?: number;
}

/** The conditions of the whole run. */
function checksOf({ run, folder, arms, maxFailed, maxUsd }: CheckedRun): GateCheck[] {
  const paired = arms.map(({ arm }) => arm);
  const candidates = paired.map(({ candidate }) => candidate);
  const { replayed, missed = 0 } = folder.manifest;
  return [
    checkFailedRows(paired, maxFailed),
    ...(maxUsd === undefined ? [] : [checkBudget(costOf(run, folder, candidates), maxUsd)]),
    ...(replayed === undefined ? [] : [checkCassette({ cassette: replayed, stale: missed })]),
  ];
}

/** Margins that were not fixed when the baseline was written; a metric for which nothing can be planned has none to fix. */
function plannedRemark(name: string, { arms }: Baseline, lines: readonly GateLine[]): string[] {
  const planned = lines.filter(
    ({ marginFrom, claim, bounds }) =>
      marginFrom === "planner" && claim !== "answers" && (bounds.set ?? bounds.users) !== undefined,
  );
  if (planned.length === 0) return [];
  const others = arms.some(({ margins }) => margins !== undefined);
  const what = others ? `margin of ${[...new Set(planned.map(({ metric }) => metric))].join(", ")}` : "margins";
  return [
    `${name} holds no ${what}: planned from its answers; lamp-eval gate <its run> --write-baseline FILE fixes them`,
  ];
}

/**
 * What the run paid for these arms at list prices, in US dollars: each stored call once, however many arms it serves.
 * Throws UsageError with the reason where that is not known: an unknown cost is not 0.
 */
function costOf(run: string, folder: StoredRun, arms: readonly BaselineArm[]): number {
  const { manifest, rows, traces } = folder;
  if (manifest.plan.imported !== undefined) throw unknownCost(`${run} holds imported predictions`);
  if (manifest.simulated) throw unknownCost(`${run} is SIMULATED (embedded model), which has no price`);
  const cells = new Map(
    manifest.plan.cells.filter((cell) => arms.some((arm) => isOf(cell, arm))).map((c) => [c.id, c]),
  );
  const outside = rows.find(({ cell, spendUnknown }) => spendUnknown === true && cells.has(cell));
  if (outside !== undefined)
    throw unknownCost(`${cells.get(outside.cell)?.method} is a program that calls out by itself`);
  const ofCells = traces.filter(({ cell }) => cells.has(cell));
  const asked = new Map(ofCells.flatMap(({ cell, requests }) => requests.map((id) => [id, cells.get(cell)!]))); // of these cells
  const calls = storedCalls(folder, ofCells);
  if (calls.size === 0 && rows.some(({ cell, spend }) => cells.has(cell) && Object.keys(spend).length > 0))
    throw unknownCost(`${run} has lost its stored replies`);
  const prices = pricesAt(Date.parse(manifest.startedAt), manifest.prices, manifest.plan.endpoints);
  let usd = 0;
  for (const [id, { request, reply }] of calls) {
    const cell = asked.get(id)!; // calls are those of these traces
    const further = Object.values(furtherModels(cell)).find((model) => requestKey(model, request).startsWith(id));
    const model = further ?? cell.model;
    const price = prices.ofCall(model, reply.usage);
    if (price === undefined) throw unknownCost(`no list price is known for ${model}`);
    usd += price;
  }
  return usd;
}

/** All repeats of the arm. */
const isOf = (cell: Cell, { task, dataset, method, model, options, seed }: BaselineArm): boolean =>
  cell.task === task &&
  cell.dataset === dataset &&
  cell.method === method &&
  cell.model === model &&
  cell.seed === seed &&
  JSON.stringify(cell.options) === JSON.stringify(options);

const unknownCost = (reason: string): UsageError =>
  new UsageError(`--max-usd: the cost is unknown: ${reason}; leave the flag out`);
