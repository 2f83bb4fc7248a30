import { join, relative, resolve } from "node:path";
import { noModel } from "../app/exec/no-model.js";
import { demoModel } from "../app/run/demo-profile.js";
import { printEstimates } from "../app/run/dry-run.js";
import { executeRun } from "../app/run/execute.js";
import { type Prepared, prepareRun } from "../app/run/prepare.js";
import type { RunSettings } from "../app/run/settings.js";
import { lockFolder, readManifest, runName } from "../run/manifest.js";
import type { RunFlags } from "./add-run-flags.js";
import { exitCodes } from "./exit-code.js";
import type { Terminal } from "./terminal.js";

/** Plans, runs or resumes, and prints the tables. Returns the exit code. */
export async function startRun(
  settings: RunSettings,
  { dryRun, json, replay, report }: Pick<RunFlags, "dryRun" | "json" | "replay" | "report">,
  io: Terminal,
): Promise<number> {
  const prepared = await prepareRun(settings, io, dryRun === true, replay);
  io.err(openingLine(settings, prepared));
  for (const warning of prepared.warnings) io.err(warning);
  if (dryRun === true) {
    await printEstimates(prepared, json === true, io);
    return exitCodes.done;
  }
  const folder = resolve(
    io.cwd,
    settings.out ?? join("results", `${runName(prepared.plan)}${replay === undefined ? "" : "-replay"}`),
  );
  const release = lockFolder(folder);
  try {
    const shown = relative(io.cwd, folder) || ".";
    const code = await executeRun(prepared, settings, { folder, shown, json: json === true }, io);
    if (report === true && readManifest(folder)?.finishedAt !== undefined)
      await (await import("../app/report/figures.js")).writeFiguresAndPage(folder, io);
    return code;
  } finally {
    release();
  }
}

// --- internal ---

/** What is run on what, and whether its numbers mean anything. */
function openingLine({ data, models, tasks, sweep }: RunSettings, prepared: Prepared): string {
  const demo = data === undefined ? "the built-in demo data (synthetic)" : `data ${data}`;
  const embedded = prepared.models.every(({ simulated }) => simulated);
  const own = prepared.models.every((model) => model === noModel);
  const numbers = embedded ? "; its numbers are SIMULATED" : "";
  const missing = [
    data === undefined ? "--data DIR" : "",
    models.length === 0 && !own ? "--model PROVIDER/ID" : "",
  ].filter(Boolean);
  const hint = missing.length === 0 ? "" : `; for real ones: ${missing.join(" ")}`;
  const kind = sweep === undefined ? "" : `, sweep ${sweep.kind}`;
  const named = models.length === 0 ? demoModel : models.join(", ");
  return `lamp-eval run${kind}: ${tasks.join(", ")} on ${demo}, ${own ? "programs without a model" : `${embedded ? "the embedded model" : "model"} ${named}`}${numbers}${hint}`;
}
