/**
 * `lamp-eval report` and every other command that reads rows, on a made-up run of a million of them, in processes of their own:
 * seconds, of them by the processor, and peak memory.
 * `npm run bench -- report [ROWS] [FOLDER]`: a folder that is there is used again. Needs `npm run build`.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runFiles } from "../../src/run/run-rows.js";
import { writeSyntheticRun } from "./runs/synthetic-run.js";

const MOST_MB = 450;

export async function main([rows = "1000000", given, ...only]: string[]): Promise<void> {
  const folder = given ?? join(mkdtempSync(join(tmpdir(), "lamp-eval-bench-")), "run");
  if (!existsSync(join(folder, runFiles.manifest))) {
    console.log(`writing ${rows} rows to ${folder}`);
    writeSyntheticRun(folder, { rows: Number(rows) });
  }
  const chosen = only.length === 0 ? forms(folder) : [only];
  for (const args of chosen) {
    const { seconds, cpuSeconds, megabytes, failed } = measure(args);
    console.log(
      `${args.join(" ")}: ${seconds.toFixed(1)} s, CPU ${cpuSeconds.toFixed(1)} s, peak ${megabytes.toFixed(0)} MB${failed}`,
    );
    if (failed !== "" || megabytes > MOST_MB) process.exitCode = 1;
  }
}

const forms = (folder: string): string[][] => [
  ["report", folder],
  ["report", folder, "--format", "json"],
  ["report", folder, "--format", "latex"],
  ["report", folder, "--per-user"],
  ["report", folder, "--intervals"],
  ["compare", folder, "--method", "prompt", "--method-b", "rag"],
  ["gate", folder, "--write-baseline", `${folder}.baseline.json`, "--max-failed", "0.02"],
  ["gate", folder, "--baseline", `${folder}.baseline.json`, "--max-failed", "0.02"],
  ["show", folder, "--question", "question-7"],
  ["verify", folder],
  ["rescore", folder],
  ["report", folder, "--html", "--out", `${folder}.html`],
];

const command = fileURLToPath(new URL("../../bin/lamp-eval.js", import.meta.url));
/** Tells on leaving how much memory the process had at most, in kilobytes, and the microseconds of processor time it took. */
const telling = `data:text/javascript,process.on("exit",()=>{const u=process.resourceUsage();console.error("PEAK="+u.maxRSS+" CPU="+(u.userCPUTime+u.systemCPUTime))})`;

function measure(args: readonly string[]) {
  const begin = performance.now();
  const child = spawnSync(process.execPath, ["--import", telling, command, ...args], {
    encoding: "utf8",
    maxBuffer: 2 ** 30,
  });
  const [, peak, cpu] = /PEAK=(\d+) CPU=(\d+)/.exec(child.stderr) ?? [];
  return {
    seconds: (performance.now() - begin) / 1000,
    cpuSeconds: Number(cpu ?? Number.NaN) / 1e6,
    megabytes: Number(peak ?? Number.NaN) / 1024,
    failed: child.status === 0 ? "" : `, exit ${child.status}: ${child.stderr.slice(-300)}`,
  };
}
