import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { realClock } from "../../src/app/process-io.js";
import { estimateRun, run } from "../../src/app/run/run.js";
import { methods } from "../../src/methods/index.js";
import { readJournal } from "../../src/run/journal.js";
import type { StoredCall } from "../../src/run/replies.js";
import { runFiles } from "../../src/run/rows.js";

/**
 * `npm run bench -- plan [TASKS]`: what a dry run expects of every method on the demo data, beside what the run with the embedded model
 * then sends. Its replies are not those of a real model: this shows the rehearsal, not the world.
 */
export async function main([tasks = "lamp2m,lamp3"]: readonly string[]): Promise<void> {
  const cwd = mkdtempSync(join(tmpdir(), "lamp-eval-plan-"));
  const io = { cwd, env: {}, clock: realClock, node: process.version, tell: () => undefined };
  const errors: number[] = [];
  console.log("task    method                        calls expected  sent     tokens in expected  sent       high");
  for (const task of tasks.split(","))
    for (const method of methods.names) {
      const request = { task, method, out: `${task}-${method}` };
      const { guesses } = await estimateRun(request, io);
      const { calls } = await run(request, io);
      const stored = [...readJournal<StoredCall>(join(cwd, request.out, runFiles.responses))];
      const tokens = stored.reduce((sum, { reply }) => sum + reply.usage.in, 0);
      const { expected, high } = guesses;
      errors.push(Math.abs(expected.tokensIn / tokens - 1));
      const cells = [
        ...[task.padEnd(6), method.padEnd(28), String(Math.round(expected.calls)).padStart(14)],
        ...[String(calls.sent).padStart(5), String(Math.round(expected.tokensIn)).padStart(21)],
        ...[String(tokens).padStart(9), String(high.tokensIn).padStart(11)],
      ];
      console.log(cells.join("  "));
    }
  rmSync(cwd, { recursive: true, force: true });
  const sorted = errors.sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  console.log(
    `prompt tokens expected against sent, median error of ${sorted.length} arms: ${(100 * median).toFixed(1)} %`,
  );
}
