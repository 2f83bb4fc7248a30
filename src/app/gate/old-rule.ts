import { verdictOf } from "../../report/gate/result.js";
import { gateByOldRule } from "../../report/gate/rule-0.1.0/rule.js";
import { type OldGateResult, WITHDRAWN } from "../../report/gate/rule-0.1.0/text.js";
import type { Io } from "../io.js";
import { type JudgedArm, readMargin, readMargins } from "./arms.js";
import { checksOf, type GateSettings, gateDefaults, openSides, remarksOfRun } from "./gate.js";

export { type OldGateResult, renderOldGate, renderOldGateMarkdown } from "../../report/gate/rule-0.1.0/text.js";

/** What the rule of version 0.1.0 knows; its margin is .02 of every metric where none is named. */
type OldGateSettings = Omit<GateSettings, "claim" | "noise" | "failOn">;

/**
 * The verdict that version 0.1.0 gave of a run and a baseline, exactly, with the warning that its rule is withdrawn. Throws UsageError
 * as `gate` does.
 */
export async function gateByWithdrawnRule(
  {
    run,
    baseline: name,
    margin,
    alpha = gateDefaults.alpha,
    maxFailed = gateDefaults.maxFailed,
    ...more
  }: OldGateSettings,
  io: Pick<Io, "cwd" | "catalogue" | "tell">,
): Promise<OldGateResult> {
  const sides = await openSides({ ...more, run, baseline: name }, io);
  const { folder, arms, baseline } = sides;
  const lines = gateByOldRule(arms, {
    alpha,
    margin: marginsOf(margin ?? gateDefaults.margin, arms),
    seed: arms[0]?.arm.candidate.seed ?? 0,
  });
  const { maxUsd } = more;
  const checks = checksOf({ run, folder, arms, maxFailed, ...(maxUsd === undefined ? {} : { maxUsd }) });
  const { verdict } = verdictOf(
    lines.map((line) => ({ verdict: line.verdict, worse: false })),
    checks,
    gateDefaults.failOn,
  );
  const remarks = remarksOfRun(run, sides);
  const { simulated } = baseline;
  return {
    verdict,
    rule: "0.1.0",
    withdrawn: WITHDRAWN,
    run,
    baseline: name,
    simulated,
    alpha,
    lines,
    checks,
    remarks,
  };
}

const OLD_MARGIN = 0.02;

/** A bare number is the margin of every metric, errors included, as that version had it. */
function marginsOf(margin: string, arms: readonly JudgedArm[]): (metric: string) => number {
  if (margin === gateDefaults.margin) return () => OLD_MARGIN;
  if (!margin.includes("=")) {
    const bare = readMargin(margin, margin);
    return () => bare;
  }
  const named = readMargins(margin, arms);
  return (metric) => named(metric) ?? 0;
}
