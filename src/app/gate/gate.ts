import { UsageError } from "../../errors.js";
import { failsBy, type GateCheck, type GateResult, verdictOf } from "../../report/gate/result.js";
import { refuseOtherFiles } from "../../report/same-files.js";
import { settingsApart } from "../../results/arms.js";
import type { BaselineArm } from "../../results/baseline.js";
import { type GatedArm, gateArms, marginOf } from "../../results/gate.js";
import { type Catalogue, catalogueOf } from "../../run/catalogue.js";
import type { Io } from "../../run/io.js";
import { refuseMixed } from "../../run/stored-run.js";
import { nounOf } from "../../text/count.js";
import { settingsOf } from "../common/arm-choice.js";
import { loadResults } from "../report/results.js";
import {
  type ArmSelection,
  chosenArms,
  DEFAULT_MAX_FAILED,
  type NamedArms,
  openBaseline,
  openRun,
} from "./baseline.js";

export {
  annotation,
  type GateResult,
  renderAnnotations,
  renderGate,
  renderGateMarkdown,
  renderJunit,
} from "../../report/gate/result.js";

export interface GateSettings extends ArmSelection {
  /** Run folder to be judged. */
  readonly run: string;
  /** A file that `writeBaseline` wrote, or a run folder. */
  readonly baseline: string;
  /** Largest loss accepted of the primary metric. Default: by the metric (docs/STATISTICS.md). */
  readonly margin?: number;
  /** Whether UNSURE fails. */
  readonly strict?: boolean;
  /** Largest share of unanswered questions accepted. Default: .01. */
  readonly maxFailed?: number;
  /** Most that the run may have cost at list prices, in US dollars. Absent: not looked at. */
  readonly maxUsd?: number;
}

/**
 * Compares every arm of a baseline with the run's own by the primary metric. Sends nothing, writes nothing. Throws UsageError where
 * the two cannot be compared: other data, a missing arm, SIMULATED against real, an unknown cost.
 */
export async function gate(
  {
    run: name,
    baseline: file,
    margin,
    strict = false,
    maxFailed = DEFAULT_MAX_FAILED,
    maxUsd,
    ...wanted
  }: GateSettings,
  io: Pick<Io, "cwd" | "catalogue" | "tell">,
): Promise<GateResult> {
  const run = openRun(name, io);
  const { manifest } = run.folder;
  const holds = await openBaseline(file, io);
  refuseMixed(
    { name, simulated: manifest.simulated },
    { name: file, simulated: holds.simulated },
    "a SIMULATED baseline gates only SIMULATED runs; write a baseline of the same kind of model",
  );
  const known = { ...holds, arms: holds.arms.filter(({ task }) => run.tasks.find(task) !== undefined) };
  const pairs = pairedArms({ name: file, holds: known }, run, wanted);
  const arms = gateArms(
    pairs.map((pair) => gatedArm(pair, run.tasks, margin)),
    maxFailed,
  );
  const checks = [
    ...packCheck(manifest),
    ...(maxUsd === undefined ? [] : [costCheck(loadResults(run.folder.path, catalogueOf(io)), pairs, maxUsd)]),
  ];
  const verdict = verdictOf({ arms, checks });
  const judged = new Set(pairs.map((pair) => pair.run));
  const others = run.holds.arms.filter(
    (arm) => !judged.has(arm) && wanted.task === undefined && wanted.method === undefined,
  );
  return {
    ...{ verdict, fails: failsBy(verdict, strict), strict, run: name, baseline: file, maxFailed, arms, checks },
    simulated: manifest.simulated,
    remarks: [
      ...(manifest.finishedAt === undefined ? [`${name} is not finished`] : []),
      ...pairs.flatMap(changesOf),
      ...(others.length === 0
        ? []
        : [`not in the baseline, not judged: ${[...new Set(others.map(nameOf))].join(", ")}`]),
    ],
    timestamp: manifest.startedAt,
    seconds: (Date.parse(manifest.finishedAt ?? manifest.startedAt) - Date.parse(manifest.startedAt)) / 1000,
  };
}

interface Pair {
  readonly name: string;
  readonly baseline: BaselineArm;
  readonly run: BaselineArm;
}

const nameOf = ({ task, method }: BaselineArm): string => `${task} ${method}`;

/** Pairs arms by task and method, several of one method by the settings that tell them apart in the baseline. */
function pairedArms(baseline: NamedArms, run: NamedArms, wanted: ArmSelection): Pair[] {
  return chosenArms(baseline, wanted).map((arm) => {
    const peers = baseline.holds.arms.filter((other) => nameOf(other) === nameOf(arm));
    const variant = settingsApart(settingsOf(arm), peers.map(settingsOf));
    const apart = variant
      .split(" ")
      .flatMap((setting) => setting.split("=", 1))
      .filter((name) => name !== "");
    const found = run.holds.arms.filter(
      (other) =>
        nameOf(other) === nameOf(arm) && apart.every((name) => settingsOf(other)[name] === settingsOf(arm)[name]),
    );
    const [only] = found;
    const name = `${nameOf(arm)}${variant === "" ? "" : ` (${variant})`}`;
    if (only === undefined)
      throw new UsageError(
        `${run.name} has no ${name}, ${baseline.name} has; run it, or choose with --task and --method`,
      );
    if (found.length > 1)
      throw new UsageError(
        `${run.name} has ${found.length} arms of ${name} (${found.map((one) => settingsApart(settingsOf(one), found.map(settingsOf))).join("; ")}), ${baseline.name} has one; write a new baseline`,
      );
    return { name, baseline: arm, run: only };
  });
}

function gatedArm({ name, baseline, run }: Pair, tasks: Catalogue["tasks"], margin: number | undefined): GatedArm {
  const filesOf = (side: string, { dataset, data }: BaselineArm) => ({ run: side, dataset, files: data.files });
  refuseOtherFiles(
    baseline.task,
    filesOf("the baseline", baseline),
    filesOf("the run", run),
    "gate runs of the same files, or write a new baseline",
  );
  const [metric] = tasks.get(baseline.task).metrics;
  if (metric === undefined || !baseline.metrics.some((one) => one.name === metric.name))
    throw new UsageError(`${name}: the baseline has no ${metric?.name ?? "metric"}; write a new one`);
  return { name, baseline, run, metric, margin: marginOf(metric, margin) };
}

function changesOf({ name, baseline, run }: Pair): string[] {
  const [before, after] = [settingsOf(baseline), settingsOf(run)];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changes = [
    ...names
      .filter((setting) => before[setting] !== after[setting])
      .map((setting) => `${setting} ${before[setting] ?? "absent"} became ${after[setting] ?? "absent"}`),
    ...(baseline.data.units === run.data.units ? [] : ["visible histories or questions differ"]),
    ...(baseline.data.wording === run.data.wording ? [] : ["the task's wording differs"]),
    ...(baseline.seed === run.seed ? [] : [`seed ${baseline.seed} became ${run.seed}`]),
    ...(baseline.failed === run.failed ? [] : [`${baseline.failed} failed answers became ${run.failed}`]),
    ...(baseline.unparsed === run.unparsed ? [] : [`${baseline.unparsed} unparsed answers became ${run.unparsed}`]),
  ];
  return changes.length === 0 ? [] : [`${name}: changed since the baseline: ${changes.join(", ")}`];
}

function packCheck({
  replayed,
  missed = 0,
}: {
  readonly replayed?: string | undefined;
  readonly missed?: number | undefined;
}): GateCheck[] {
  if (replayed === undefined) return [];
  const finding =
    missed === 0
      ? `all requests are in ${replayed}`
      : `${missed} ${nounOf(missed, "request is", "requests are")} not in ${replayed}: make a new pack`;
  return [{ name: "stale-pack", passed: missed === 0, finding }];
}

/** Throws UsageError where the cost is not known: it is not 0. */
function costCheck(
  { summaries, manifest }: ReturnType<typeof loadResults>,
  pairs: readonly Pair[],
  most: number,
): GateCheck {
  const ofArms = summaries.filter((summary) =>
    pairs.some(({ run }) => nameOf(run) === `${summary.task} ${summary.method}`),
  );
  const unknown = manifest.simulated ? "SIMULATED calls" : ofArms.find(({ usd }) => usd === undefined)?.method;
  if (unknown !== undefined || manifest.plan.imported !== undefined)
    throw new UsageError(
      `--max-usd: the cost of ${unknown ?? "imported predictions"} is not known; leave the flag out`,
    );
  const usd = ofArms.reduce((sum, arm) => sum + (arm.usd ?? 0), 0);
  const finding = `the run cost $${usd.toFixed(4)} at list prices, at most $${most.toFixed(4)} accepted`;
  return { name: "budget", passed: usd <= most, finding };
}
