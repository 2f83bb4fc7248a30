import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../../src/library.js";
import { before, type LimitCode, learning } from "./limits/code.js";
import { fastClock, startLimitedServer } from "./limits/limited-server.js";
import type { ServerRules } from "./limits/limiter.js";
import { requestsOf } from "./limits/requests.js";
import { boundOf, rows } from "./limits/rows.js";

/**
 * `npm run bench -- limits-loopback [TREE]`: over sockets of this machine. Two rows of `limits` with time ten and five times as fast,
 * 1,000 calls behind 30 requests a second in real time, and a run over three endpoints with three limits. With the folder of a built
 * tree of before, its code beside.
 */
export async function main([tree]: string[]): Promise<void> {
  const codes: [string, LimitCode][] = [["learned", learning(64)]];
  if (tree !== undefined) codes.push(["before, 50 slots", await before(tree, 50)]);
  for (const [row, times] of [
    [rows[0]!, 10],
    [rows[3]!, 5],
    [rows[6]!, 1],
    [rows[7]!, 1],
    [rows[8]!, 1],
  ] as const) {
    const bound = boundOf(row);
    console.log(`${row.name}: ${row.calls} calls, time x ${times}; bound ${bound.toFixed(0)} s`);
    for (const [name, code] of codes)
      console.log(`  ${name.padEnd(18)} ${await overSockets(code, row.rules, row.calls, times, bound)}`);
  }
  console.log(`three endpoints with three limits, one run: ${await mixedRun()}`);
}

async function overSockets(
  code: LimitCode,
  rules: ServerRules,
  calls: number,
  times: number,
  bound: number,
): Promise<string> {
  const clock = fastClock(times);
  const server = await startLimitedServer(rules, clock);
  try {
    const model = code.wrap(await code.open(server.url), clock);
    const { signal } = new AbortController();
    const startMs = clock.monotonic();
    const ends = await Promise.allSettled(requestsOf(calls).map((request) => model.complete(request, signal)));
    const seconds = (clock.monotonic() - startMs) / 1000;
    const failed = ends.filter(({ status }) => status === "rejected").length;
    const { refused, mostInFlight } = server.limiter;
    return `${seconds.toFixed(0)} s (${(seconds / bound).toFixed(2)} of the bound), ${refused} refused (${((refused / calls) * 100).toFixed(1)} %), ${failed} failed, at most ${mostInFlight} in flight`;
  } finally {
    await server.close();
  }
}

/** Every question of the demo data to three models, whose endpoints allow 60, 120 and 240 requests a minute. */
async function mixedRun(): Promise<string> {
  const times = 5;
  const clock = fastClock(times);
  const limits = [60, 120, 240];
  const servers = await Promise.all(
    limits.map((requests) =>
      startLimitedServer({ requests, replyMs: 2_000, headers: "openai", retryAfter: true }, clock),
    ),
  );
  const folder = mkdtempSync(join(tmpdir(), "lamp-eval-limits-"));
  try {
    const endpoints = Object.fromEntries(
      servers.map(({ url }, i) => [`e${limits[i]}`, { provider: "openai", baseUrl: url, concurrency: 32 }]),
    );
    const { ended } = await run(
      {
        task: "lamp3",
        method: "prompt",
        repeats: 2,
        model: limits.map((limit) => `e${limit}/bench`),
        endpoints,
        out: join(folder, "run"),
        onEvent: () => undefined,
      },
      { clock },
    );
    const served = servers.map((server) => server.served());
    const calls = served.map((one) => one.calls);
    const firstMs = Math.min(...served.map((one) => one.firstMs)); // without reading the data and loading an SDK
    const seconds = (Math.max(...served.map((one) => one.lastMs)) - firstMs) / 1000;
    const bound = Math.max(...limits.map((limit, i) => ((calls[i]! - limit) / limit) * 60));
    const refused = servers.reduce((sum, { limiter }) => sum + limiter.refused, 0);
    return `${ended}, ${calls.join(" + ")} calls in ${seconds.toFixed(0)} s, ${(seconds / bound).toFixed(2)} of the slowest one's bound of ${bound.toFixed(0)} s; ${refused} refused; time x ${times}`;
  } finally {
    await Promise.all(servers.map((server) => server.close()));
    rmSync(folder, { recursive: true, force: true });
  }
}
