import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { renderText } from "../../src/report/tables/text.js";
import { median } from "../../src/results/samples.js";
import { ourBin, typedRun } from "./engine/command.js";
import { writeDataSet } from "./engine/data-set.js";
import { enginePart, type Measured, measure, type Server, startServer } from "./engine/measured.js";

/**
 * `lamp-eval run` as a person types it, beside two floors in the same run: a bare fetch loop and a bare loop over the same
 * SDK, which store nothing. All call one local server that answers after 50 ms, 50 calls in flight. `engine [SIZES]
 * [--rounds 5] [--bin PATH]`: medians of so many alternating rounds at the smallest size, one round at the others.
 *
 * Targets: the calls take <= 1.15x of the SDK loop's time and <= 0.5 ms more CPU each; start and end together <= 1.2 s at
 * 4,000 questions; a rerun with nothing to do < 1 s; peak memory, data and tables included, < 300 MB at 40,000 questions.
 */
export async function main(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { rounds: { type: "string", default: "5" }, bin: { type: "string", default: ourBin } },
  });
  const sizes = (positionals[0] ?? "4000,40000").split(",").map(Number);
  const folder = mkdtempSync(join(tmpdir(), "lamp-eval-bench-"));
  const server = await startServer();
  try {
    const verdicts: Verdict[] = [];
    for (const [i, size] of sizes.entries()) {
      const found = await measureSize({ size, bin: values.bin, server, folder }, i === 0 ? Number(values.rounds) : 1);
      console.log(`${tableOf(found, size)}\n`);
      verdicts.push(...judge(found, size));
    }
    for (const { text, ok } of verdicts) console.log(`${ok ? "ok  " : "MISS"} ${text}`);
    if (verdicts.some(({ ok }) => !ok)) process.exitCode = 1;
  } finally {
    server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Size {
  readonly size: number;
  readonly bin: string;
  readonly server: Server;
  readonly folder: string;
}

/** Medians of the rounds, by program. */
type Found = Readonly<Record<"http" | "sdk" | "run" | "rerun", Measured>>;

interface Verdict {
  readonly text: string;
  readonly ok: boolean;
}

async function measureSize({ size, bin, server, folder }: Size, rounds: number): Promise<Found> {
  const data = join(folder, `data-${size}`);
  writeDataSet(data, size);
  const found: Record<keyof Found, Measured[]> = { http: [], sdk: [], run: [], rerun: [] };
  for (let round = 0; round < rounds; round++) {
    const out = join(folder, `run-${size}-${round}`);
    const typed = typedRun(bin, data, server.url, out);
    for (const loop of ["http", "sdk"] as const)
      found[loop].push(await measure([enginePart("floor"), loop, String(size), server.url], server, folder));
    found.run.push(await measure(typed, server, folder));
    found.rerun.push(await measure(typed, server, folder));
    rmSync(out, { recursive: true });
  }
  rmSync(data, { recursive: true });
  return { http: middle(found.http), sdk: middle(found.sdk), run: middle(found.run), rerun: middle(found.rerun) };
}

/** The median of each figure by itself. */
function middle(rounds: readonly Measured[]): Measured {
  const of = (figure: (one: Measured) => number): number => median(rounds.map(figure)) ?? 0;
  const calls = of(({ calling }) => calling?.calls ?? 0);
  const callsTook = {
    wallMs: of(({ calling }) => calling?.wallMs ?? 0),
    cpuMs: of(({ calling }) => calling?.cpuMs ?? 0),
  };
  return {
    wallMs: of(({ wallMs }) => wallMs),
    cpuMs: of(({ cpuMs }) => cpuMs),
    peakMb: of(({ peakMb }) => peakMb),
    calling: calls === 0 ? undefined : { calls, ...callsTook },
  };
}

const aroundCallsMs = ({ wallMs, calling }: Measured): number => wallMs - (calling?.wallMs ?? 0);

function judge({ sdk, run, rerun }: Found, size: number): Verdict[] {
  const verdicts: Verdict[] = [];
  const within = (what: string, value: number, most: number, digits = 2): void => {
    verdicts.push({ text: `${size} questions: ${what} ${value.toFixed(digits)} (<= ${most})`, ok: value <= most });
  };
  if (sdk.calling !== undefined && run.calling !== undefined) {
    within("calls, times the SDK loop:", run.calling.wallMs / sdk.calling.wallMs, 1.15);
    const more = run.calling.cpuMs / run.calling.calls - sdk.calling.cpuMs / sdk.calling.calls;
    within("CPU of a call beyond the SDK loop's, ms:", more, 0.5, 3);
  }
  if (size <= 4000) {
    within("start and end together, s:", aroundCallsMs(run) / 1000, 1.2);
    within("rerun with nothing to do, s:", rerun.wallMs / 1000, 1);
  }
  within("peak memory, MB:", run.peakMb, 300, 0);
  within("peak memory of the rerun, MB:", rerun.peakMb, 300, 0);
  return verdicts;
}

function tableOf(found: Found, size: number): string {
  const titles = [
    `${size} questions`,
    "wall s",
    "calls s",
    "around s",
    "CPU s",
    "CPU ms/call",
    "CPU around s",
    "peak MB",
  ];
  return renderText({
    columns: titles.map((title, i) => ({ title, align: i === 0 ? ("left" as const) : ("right" as const) })),
    rows: Object.entries(found).map(([program, took]) => [
      { http: "bare http loop", sdk: "bare SDK loop", run: "lamp-eval run", rerun: "the same again" }[program] ?? "",
      (took.wallMs / 1000).toFixed(2),
      took.calling === undefined ? "-" : (took.calling.wallMs / 1000).toFixed(2),
      (aroundCallsMs(took) / 1000).toFixed(2),
      (took.cpuMs / 1000).toFixed(2),
      took.calling === undefined ? "-" : (took.calling.cpuMs / took.calling.calls).toFixed(3),
      ((took.cpuMs - (took.calling?.cpuMs ?? 0)) / 1000).toFixed(2),
      took.peakMb.toFixed(0),
    ]),
  });
}
