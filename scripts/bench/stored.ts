import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LOG_FILE, openLog } from "../../src/log/log.js";
import { sha256 } from "../../src/text/content-id.js";

const REPLIES = 40_000;
const request = { messages: [{ role: "user", content: "x".repeat(2_000) }], maxTokens: 32, sample: 0 } as const;
const value = { text: "y".repeat(400), toolCalls: [], stop: "end", usage: { in: 500, out: 100 }, model: "m" };

/** `npm run bench -- stored`: what 40,000 calls of 2.5 kB cost a run's log, and how long it takes to open. */
export function main(): void {
  const folder = mkdtempSync(join(tmpdir(), "lamp-eval-stored-"));
  try {
    const log = openLog(folder);
    log.append({ t: "plan", plan: {} });
    const appended = timed(() => {
      for (let n = 0; n < REPLIES; n++) {
        const key = sha256(`${n}`);
        log.append({ t: "try", key, upToUsd: 0.001 });
        log.append({ t: "got", key, kind: "reply", value, request, usd: 0.001, ms: 50 });
      }
    });
    log.close();
    const megabytes = statSync(join(folder, LOG_FILE)).size / 1e6;
    console.log(
      `appended: ${(appended / REPLIES).toFixed(3)} ms a call (its try and its reply), ${megabytes.toFixed(0)} MB`,
    );
    const before = process.memoryUsage().rss;
    const opened = timed(() => openLog(folder).close());
    const held = (process.memoryUsage().rss - before) / 1e6;
    console.log(`opened: ${(opened / 1000).toFixed(2)} s, ${held.toFixed(0)} MB more`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function timed(work: () => void): number {
  const begun = performance.now();
  work();
  return performance.now() - begun;
}
