import { pathToFileURL } from "node:url";
import { accuracy } from "../../src/metrics/index.js";
import { claimPs, shownLossP } from "../../src/report/gate/claims.js";
import { pairedLoss } from "../../src/report/gate/paired-loss.js";
import type { GatedArm, GatedQuestion } from "../../src/report/gate/pairs.js";
import { ciCells, ciQuestions, fixedProcesses, fixedSet } from "./simulation/fixed-set.js";
import {
  type LossProcess,
  largeFail,
  pairedAnswers,
  processes,
  type Size,
  sampleOf,
  size,
} from "./simulation/losses.js";

const ALPHA = 0.05;
const metric = accuracy(["yes", "no"]);

/**
 * `npm run bench -- claims [users|set|ci|table] [--samples 1000] [--beside TREE]`: what a gate's sentences promise, over runs that
 * are worse by just the margin. `users`: losses that sit in whole users, large users, strong users; `set`: the same users and
 * questions run again; `ci`: false alarms and losses found of `--fail-on worse`; `table`: the table of docs/STATISTICS.md, beside
 * another built tree's gate. Exit code 1 where a promise is broken by more than three standard errors.
 */
export async function main(args: readonly string[]): Promise<void> {
  const value = (flag: string) => (args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined);
  const samples = Number(value("--samples") ?? 1000);
  const beside = value("--beside");
  const named = args.find((name) => name in parts);
  console.log(
    `${samples} samples a cell, alpha ${ALPHA}; percent; Monte-Carlo error at 5 %: +-${percent(errorOf(ALPHA, samples) / 3).trim()}`,
  );
  for (const [name, part] of Object.entries(parts))
    if (named === undefined || named === name) {
      console.log(`\n${name}`);
      await part(samples, beside);
    }
}

// --- internal ---

const parts: Readonly<Record<string, (samples: number, beside: string | undefined) => Promise<void> | void>> = {
  users: usersPart,
  set: setPart,
  ci: ciPart,
  table: tablePart,
};

const unequal = size(60, 1, 30);

function usersPart(samples: number): void {
  for (const margin of [0.03, 0.05, 0.1])
    for (const at of [size(12, 50), size(30, 10), size(100, 10), size(300, 3), unequal])
      for (const process of [...processes, ...(at === unequal ? [largeFail(30)] : [])]) {
        const passed = share(samples, (sample) => {
          const questions = pairedAnswers(
            process,
            at,
            margin,
            sampleOf(`${process.name} ${at.name} ${margin}`, sample),
          );
          return claimPs(lossOf(questions), margin, ALPHA).users <= ALPHA;
        });
        judge(`${process.name}, ${at.name}, margin ${margin}`, passed, ALPHA, samples);
      }
}

function setPart(samples: number): void {
  const sizes = [
    size(5, 20),
    size(10, 10),
    size(20, 10),
    size(30, 10),
    size(60, 5),
    size(100, 3),
    size(100, 10),
    size(300, 1),
  ];
  for (const process of fixedProcesses)
    for (const at of sizes) {
      const margin = 0.05;
      const draw = fixedSet(process, at, margin, sampleOf(`${process.name} ${at.name}`, 0));
      let [pass, regress] = [0, 0];
      for (let sample = 0; sample < samples; sample++) {
        const loss = lossOf(draw(sampleOf(`${process.name} ${at.name} again`, sample)));
        if ((claimPs(loss, margin, ALPHA).set ?? 1) <= ALPHA) pass += 1;
        if ((shownLossP(loss, margin, ALPHA) ?? 1) <= ALPHA) regress += 1;
      }
      judge(`${process.name}, ${at.name}: pass`, pass / samples, ALPHA + 0.01, samples);
      judge(`${process.name}, ${at.name}: regress`, regress / samples, ALPHA + 0.01, samples);
    }
}

/** `--fail-on worse` of one line: an unchanged run, an even loss of .10, and one that sits in a fifth of the users. */
function ciPart(samples: number): void {
  for (const cell of ciCells) {
    const worse = (loss: "none" | "even" | "fifth", name: string, one: (sample: number) => GatedQuestion[]) => {
      const found = share(samples, (sample) => (shownLossP(lossOf(one(sample)), 0, ALPHA) ?? 1) <= ALPHA);
      if (loss === "none") judge(`${name}: false alarms`, found, ALPHA, samples);
      else
        console.log(
          `${name}: ${percent(found)} caught${loss === "even" && found < 0.8 - errorOf(0.8, samples) ? "  BROKEN" : ""}`,
        );
      if (loss === "even" && found < 0.8 - errorOf(0.8, samples)) process.exitCode = 1;
    };
    for (const loss of ["none", "even", "fifth"] as const)
      worse(
        loss,
        `${cell.size.name}, ${cell.anew * 100} % anew, ${loss === "none" ? "no loss" : `.10 lost, ${loss}`}`,
        (sample) => ciQuestions(cell, loss, sampleOf(`ci ${cell.size.name} ${cell.anew}`, sample)),
      );
    console.log(`${cell.size.name}, ${cell.anew * 100} % anew: ${alarms(cell, Math.ceil(samples / 10))}`);
  }
}

/** One baseline, a hundred commits that change nothing: how many alarms, and how many in the unluckiest twentieth of baselines. */
function alarms(cell: (typeof ciCells)[number], baselines: number): string {
  const counts = Array.from({ length: baselines }, (_, b) => {
    let count = 0;
    for (let commit = 0; commit < 100; commit++) {
      const questions = ciQuestions(
        cell,
        "none",
        sampleOf(`baseline ${b}`, 0),
        sampleOf(`baseline ${b} commit`, commit),
      );
      if ((shownLossP(lossOf(questions), 0, ALPHA) ?? 1) <= ALPHA) count += 1;
    }
    return count;
  }).sort((a, b) => a - b);
  const mean = counts.reduce((sum, count) => sum + count, 0) / baselines;
  return `alarms per 100 commits against one baseline: ${mean.toFixed(1)} on average, ${counts[Math.floor(0.95 * baselines)]} against one baseline in twenty (${baselines} baselines)`;
}

type OldGate = (
  arms: readonly { arm: unknown; metrics: readonly unknown[] }[],
  settings: { alpha: number; margin: () => number; seed: number; resamples: number },
) => { verdict: string }[];

/** Every row at the margin of the design's table; the other tree's gate draws 400 resamples. */
async function tablePart(samples: number, beside: string | undefined): Promise<void> {
  const old = beside === undefined ? undefined : await oldGate(beside);
  for (const process of processes.slice(0, 7)) {
    const margin = process.name.startsWith("new persona") ? 0.05 : 0.02;
    const cells: string[] = [];
    for (const at of [size(12, 50), size(24, 20), size(30, 10), size(100, 10), size(300, 3)])
      cells.push(tableCell(process, at, margin, samples, old));
    console.log(`| ${process.name} | ${String(margin).replace("0.", ".")} | ${cells.join(" | ")} |`);
  }
}

function tableCell(process: LossProcess, at: Size, margin: number, samples: number, old: OldGate | undefined): string {
  let [before, users, set] = [0, 0, 0];
  for (let sample = 0; sample < samples; sample++) {
    const questions = pairedAnswers(process, at, margin, sampleOf(`${process.name} ${at.name} table`, sample));
    const p = claimPs(lossOf(questions), margin, ALPHA);
    if (p.users <= ALPHA) users += 1;
    if ((p.set ?? 1) <= ALPHA) set += 1;
    if (old === undefined) continue;
    const settings = { alpha: ALPHA, margin: () => margin, seed: sample, resamples: 400 };
    const [line] = old([{ arm: armOf(questions), metrics: [metric] }], settings);
    if (line?.verdict === "pass") before += 1;
  }
  return [...(old === undefined ? [] : [before]), users, set]
    .map((count) => percent(count / samples).trim())
    .join(", ");
}

const oldGate = async (tree: string): Promise<OldGate> =>
  ((await import(pathToFileURL(`${tree}/dist/report/gate/gate.js`).href)) as { gateLines: OldGate }).gateLines;

function armOf(questions: readonly GatedQuestion[]): GatedArm {
  const side = {
    task: "simulated",
    dataset: "simulated",
    method: "simulated",
    model: "simulated",
    options: {},
    seed: 0,
    repeats: 1,
    data: { files: [], units: "", wording: "" },
    requests: [],
    questions: [],
  };
  return {
    baseline: side,
    candidate: side,
    questions,
    lost: [],
    leftOut: { absent: 0, added: 0, failed: 0, noGold: 0 },
    failedShare: 0,
  };
}

const lossOf = (questions: readonly GatedQuestion[]) => pairedLoss(metric, questions, [])!;

function share(samples: number, holds: (sample: number) => boolean): number {
  let count = 0;
  for (let sample = 0; sample < samples; sample++) if (holds(sample)) count += 1;
  return count / samples;
}

function judge(name: string, found: number, most: number, samples: number): void {
  const broken = found > most + errorOf(most, samples);
  if (broken) process.exitCode = 1;
  console.log(`${name}: ${percent(found)}${broken ? "  BROKEN" : ""}`);
}

/** Three standard errors of a share. */
const errorOf = (share: number, samples: number): number => 3 * Math.sqrt((share * (1 - share)) / samples);
const percent = (share: number): string => (100 * share).toFixed(1).padStart(5);
