import { baselineOf } from "../../report/gate/baseline.js";
import { gateLines } from "../../report/gate/gate.js";
import {
  checkBudget,
  checkCassette,
  checkFailedRows,
  type GateCheck,
  type GateResult,
  remarksOf,
  verdictOf,
} from "../../report/gate/result.js";
import { recordRemarks } from "../../run/seals.js";
import { knownFolder } from "../common/known-part.js";
import { refusePart } from "../common/refuse-part.js";
import { openRunFolder, type RunFolder, refuseMixed } from "../common/run-folder.js";
import type { Io } from "../io.js";
import { type JudgedArm, type JudgedArms, judgedArms, readMargins } from "./arms.js";
import { knownArms, openBaseline, partsOf } from "./baseline.js";
import { costOf } from "./cost.js";

export { renderJunit } from "../../report/gate/junit.js";
export type { GateResult } from "../../report/gate/result.js";
export { renderAnnotations, renderGate, renderGateMarkdown } from "../../report/gate/text.js";

export interface GateSettings extends JudgedArms {
  /** Run folder to be judged. */
  readonly run: string;
  /** A file that `writeBaseline` wrote, or a run folder. */
  readonly baseline: string;
  /** Largest loss accepted: `.02` for every metric, or `accuracy=.02,mae=.05`. Default: .02. */
  readonly margin?: string;
  /** About the chance to pass a run that is worse by the margin. Default: .05. */
  readonly alpha?: number;
  /** Largest share of failed or absent answers accepted. Default: .01. */
  readonly maxFailed?: number;
  /** Most that the run may have cost at list prices, in US dollars. Absent: not looked at. */
  readonly maxUsd?: number;
}

/** What holds where nothing else is asked for. */
export const gateDefaults = { margin: "0.02", alpha: 0.05, maxFailed: 0.01 } as const;

/**
 * Whether a run is no worse than a baseline, question by question. Sends nothing, writes nothing. Throws UsageError where the
 * two cannot be measured against each other: other data, a missing arm, SIMULATED against real, an unknown cost.
 */
export async function gate(settings: GateSettings, io: Pick<Io, "cwd" | "catalogue" | "tell">): Promise<GateResult> {
  const { run, baseline: name, margin, alpha, ...wanted } = { ...gateDefaults, ...settings };
  const { folder, tasks } = knownFolder(openRunFolder(run, io.cwd), run, io);
  refusePart(run, folder.manifest);
  const baseline = knownArms(await openBaseline(name, io.cwd), tasks);
  refuseMixed(
    { name: run, simulated: folder.manifest.simulated },
    { name, simulated: baseline.simulated },
    "a SIMULATED baseline gates only SIMULATED runs; write a baseline of the same kind of model",
  );
  const candidate = { name: run, holds: baselineOf(partsOf(folder)), folder };
  const { arms, unjudged } = judgedArms({ baseline: { name, holds: baseline }, candidate, tasks }, wanted);
  const seed = arms[0]?.arm.candidate.seed ?? 0;
  const lines = gateLines(arms, { alpha, margin: readMargins(margin, arms), seed });
  const checks = checksOf({ run, folder, arms, ...wanted });
  return {
    verdict: verdictOf(lines, checks),
    run,
    baseline: name,
    simulated: baseline.simulated,
    alpha,
    lines,
    checks,
    remarks: [
      ...(folder.manifest.finishedAt === undefined ? [`${run} is not finished`] : []),
      ...recordRemarks(folder.path, folder.manifest),
      ...remarksOf(arms.map(({ arm }) => arm)),
      ...(unjudged.length === 0 ? [] : [`not in the baseline, not judged: ${unjudged.join(", ")}`]),
    ],
  };
}

// --- internal ---

interface CheckedRun {
  readonly run: string;
  readonly folder: RunFolder;
  readonly arms: readonly JudgedArm[];
  readonly maxFailed: number;
  readonly maxUsd?: number;
}

/** The conditions of the whole run. */
function checksOf({ run, folder, arms, maxFailed, maxUsd }: CheckedRun): GateCheck[] {
  const paired = arms.map(({ arm }) => arm);
  const candidates = paired.map(({ candidate }) => candidate);
  const { replay } = folder.manifest;
  return [
    checkFailedRows(paired, maxFailed),
    ...(maxUsd === undefined ? [] : [checkBudget(costOf(run, folder, candidates), maxUsd)]),
    ...(replay === undefined ? [] : [checkCassette(replay)]),
  ];
}
