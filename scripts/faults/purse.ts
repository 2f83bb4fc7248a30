import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { seeded } from "../../src/random/seeded.js";
import { startRatedServer } from "../../test/helpers/rated-server.js";
import { reviewUser, writeReviews } from "../../test/helpers/review-data.js";

/**
 * `npm run faults -- purse [COUNT] [SEED]` (after `npm run build`): real processes, two or three at once, that share one purse of calls, some of
 * them killed and begun again, against a server that counts; exit code 1 where the cap is passed, or not used up.
 */
export async function main([count = "10", seed = "purse"]: readonly string[]): Promise<void> {
  const offences: string[] = [];
  let [calls, kills] = [0, 0];
  for (let n = 1; n <= Number(count); n++) {
    const played = await play(`${seed}/${n}`);
    calls += played.calls;
    kills += played.kills;
    offences.push(...played.offences);
  }
  console.log(`${count} purses, ${kills} processes killed, ${calls} calls at the server`);
  for (const offence of offences) console.log(offence);
  console.log(`${offences.length} caps passed or not used up`);
  if (offences.length > 0) process.exitCode = 1;
}

interface Played {
  readonly calls: number;
  readonly kills: number;
  readonly offences: readonly string[];
}

const program = fileURLToPath(new URL("../../bin/lamp-eval.js", import.meta.url));
const METHODS = ["prompt", "pag", "rag"];

async function play(seed: string): Promise<Played> {
  const random = seeded(seed);
  const cwd = mkdtempSync(join(tmpdir(), "lamp-eval-purse-"));
  writeReviews(
    join(cwd, "reviews"),
    Array.from({ length: 12 }, (_, i) => reviewUser(`u${i}`)),
  );
  const cap = 30 + random.below(30); // of 84 calls that all of them together would make
  const refused = new Set<number>();
  const server = await startRatedServer({
    latencyMs: 20,
    fault({ index }) {
      if (random.below(10) > 0) return undefined;
      refused.add(index);
      return { kind: "status", status: 429 };
    },
  });
  const billable = (): number => server.requests.filter(({ index }) => !refused.has(index)).length;
  let [kills, killed] = [0, 0];
  const one = async (method: string, mayDie: boolean): Promise<number> => {
    const line = `run --task lamp3 --method ${method} --data reviews --model openai/local --base-url ${server.url}/v1 --concurrency 6 --purse lab.purse --max-calls ${cap} --out ${method}`;
    const child = spawn(process.execPath, [program, ...line.split(" ")], {
      cwd,
      env: { PATH: process.env.PATH, OPENAI_API_KEY: "sk-fake-0123456789" },
      stdio: "ignore",
    });
    const ended = new Promise<number>((resolve) => child.once("close", (code) => resolve(code ?? -1)));
    if (mayDie) {
      const from = billable() + 3 + random.below(8);
      const watch = setInterval(() => {
        if (billable() < from || child.exitCode !== null) return;
        clearInterval(watch);
        kills += 1;
        killed += 1;
        child.kill("SIGKILL");
      }, 5);
      await ended.finally(() => clearInterval(watch));
    }
    return ended;
  };
  const offences: string[] = [];
  try {
    await Promise.all(METHODS.map((method, m) => one(method, m === 0)));
    for (let again = 0; again < 3; again++) await Promise.all(METHODS.map((method) => one(method, false)));
    const sent = billable();
    if (sent > cap) offences.push(`${seed}: ${sent} calls under a cap of ${cap}`);
    // what a killed process had reserved and not yet sent is counted, and never arrives: at most its calls in flight
    if (sent < cap - 6 * killed) offences.push(`${seed}: ${sent} calls of a cap of ${cap}`);
    return { calls: sent, kills, offences };
  } finally {
    await server.close();
    rmSync(cwd, { recursive: true, force: true });
  }
}
