import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { renderText } from "../../src/report/tables/table.js";
import { ourBin, typedRun } from "./engine/command.js";
import { writeDataSet } from "./engine/data-set.js";
import { measure, startServer } from "./engine/measured.js";

/** Where the time of `lamp-eval run` goes: the ten largest entries of its CPU profile. `engine-profile [QUESTIONS] [--bin PATH] [--rerun]`. */
export async function main(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { bin: { type: "string", default: ourBin }, rerun: { type: "boolean", default: false } },
  });
  const questions = Number(positionals[0] ?? 4000);
  const folder = mkdtempSync(join(tmpdir(), "lamp-eval-bench-"));
  const server = await startServer();
  try {
    writeDataSet(join(folder, "data"), questions);
    const typed = typedRun(values.bin, join(folder, "data"), server.url, join(folder, "out"));
    if (values.rerun) await measure(typed, server, folder);
    const profiles = join(folder, "profiles");
    const { wallMs, cpuMs } = await measure(["--cpu-prof", "--cpu-prof-dir", profiles, ...typed], server, folder);
    console.log(`${questions} questions: wall ${(wallMs / 1000).toFixed(2)} s, CPU ${(cpuMs / 1000).toFixed(2)} s\n`);
    const [file = ""] = readdirSync(profiles);
    console.log(largest(JSON.parse(readFileSync(join(profiles, file), "utf8")) as Profile));
  } finally {
    server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const SHOWN = 10;

/** What V8 writes. */
interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly samples: readonly number[];
  /** Microseconds. */
  readonly timeDeltas: readonly number[];
}

/** Time of functions by themselves, not of what they call; the idle time is left out. */
function largest({ nodes, samples, timeDeltas }: Profile): string {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const tookMs = new Map<string, number>();
  for (const [i, sample] of samples.entries()) {
    const { functionName, url, lineNumber } = frames.get(sample)!;
    if (functionName === "(idle)") continue;
    const place = url === "" ? "" : ` ${url.replace(/^.*\/(?=(dist|node_modules)\/)/, "")}:${lineNumber + 1}`;
    const name = `${functionName === "" ? "(anonymous)" : functionName}${place}`;
    tookMs.set(name, (tookMs.get(name) ?? 0) + timeDeltas[i]! / 1000);
  }
  const all = [...tookMs.values()].reduce((sum, ms) => sum + ms, 0);
  const rows = [...tookMs].sort(([, a], [, b]) => b - a).slice(0, SHOWN);
  return renderText({
    columns: [
      { title: "function", align: "left" },
      { title: "ms", align: "right" },
      { title: "%", align: "right" },
    ],
    rows: rows.map(([name, ms]) => [name, ms.toFixed(0), ((100 * ms) / all).toFixed(1)]),
  });
}
