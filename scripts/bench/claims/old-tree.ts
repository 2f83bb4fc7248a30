import { pathToFileURL } from "node:url";
import type { GatedQuestion } from "../../../src/report/gate/pairs.js";
import type { Interval } from "../../../src/statistics/interval.js";
import type { Metric, Pair } from "../../../src/types.js";

/** What the statistics of another built tree, commit fdc5e01, say of the same samples. */
export interface OldTree {
  /** p of "the gain is -margin or more", so of no loss beyond it: small where the gate regresses. */
  gate(metric: Metric, questions: readonly GatedQuestion[], margin: number, seed: number): OldLine;
  /** 95 % intervals over users. */
  intervals(metrics: readonly Metric[], users: readonly Pair[][], seed: number): (Interval | undefined)[];
  /** Difference of two arms over users. */
  differences(metrics: readonly Metric[], users: readonly PairedUser[], seed: number): (OldDifference | undefined)[];
}

interface OldLine {
  readonly verdict: string;
  readonly p: number | undefined;
}

export interface PairedUser {
  readonly a: readonly Pair[];
  readonly b: readonly Pair[];
}

interface OldDifference {
  readonly interval: Interval;
  readonly p: number;
}

/** Its bootstraps draw this often, for time; in use 10,000 times in gates and differences, 2,000 in intervals. */
export const OLD_RESAMPLES = { gates: 200, intervals: 400 };

export async function oldTree(root: string): Promise<OldTree> {
  const open = async (file: string): Promise<unknown> => await import(pathToFileURL(`${root}/dist/${file}`).href);
  const { gateLines } = (await open("report/gate.js")) as { readonly gateLines: GateLines };
  const { intervalsOfSums } = (await open("statistics/bootstrap.js")) as { readonly intervalsOfSums: IntervalsOfSums };
  const { clusterSums } = (await open("statistics/cluster-sums.js")) as { readonly clusterSums: ClusterSums };
  const { pairedDifferences } = (await open("statistics/paired-bootstrap.js")) as {
    readonly pairedDifferences: PairedDifferences;
  };
  return {
    gate(metric, questions, margin, seed) {
      const settings = { alpha: 0.05, margin: () => margin, seed, resamples: OLD_RESAMPLES.gates };
      return gateLines([{ arm: armOf(questions), metrics: [metric] }], settings)[0]!;
    },
    intervals: (metrics, users, seed) =>
      intervalsOfSums(
        metrics.map((metric) => clusterSums(metric, users)),
        { resamples: OLD_RESAMPLES.intervals, seed },
      ),
    differences: (metrics, clusters, seed) =>
      pairedDifferences({ metrics, clusters, seed, resamples: OLD_RESAMPLES.intervals }),
  };
}

type GateLines = (
  arms: readonly { readonly arm: unknown; readonly metrics: readonly Metric[] }[],
  settings: { readonly alpha: number; margin(): number; readonly seed: number; readonly resamples: number },
) => OldLine[];
type Draws = { readonly resamples: number; readonly seed: number };
type ClusterSums = (metric: Metric, users: readonly Pair[][]) => unknown;
type IntervalsOfSums = (sums: readonly unknown[], settings: Draws) => (Interval | undefined)[];
type PairedDifferences = (
  request: Draws & { readonly metrics: readonly Metric[]; readonly clusters: readonly PairedUser[] },
) => (OldDifference | undefined)[];

function armOf(questions: readonly GatedQuestion[]): unknown {
  const side = {
    task: "simulated",
    dataset: "simulated",
    method: "simulated",
    model: "simulated",
    options: {},
    seed: 0,
    repeats: questions[0]?.baseline.length ?? 1,
    data: { files: [], units: "", wording: "" },
    requests: [],
    questions: [],
  };
  const candidate = { ...side, repeats: questions[0]?.candidate.length ?? 1 };
  const leftOut = { absent: 0, added: 0, failed: 0, noGold: 0 };
  return { baseline: side, candidate, questions, leftOut, failedShare: 0 };
}
