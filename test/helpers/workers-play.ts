import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { readLog } from "../../src/log/log.js";
import { openaiDialect, startAgentServer } from "../e2e/agents-server.js";
import { type CliProcess, startCli } from "../e2e/cli-process.js";
import { startPostgres } from "./postgres.js";
import { chatReply, promptOf } from "./rated-server.js";
import { reviewUser, writeReviews } from "./review-data.js";
import { comparable } from "./run-folder.js";

export interface PlaySettings {
  readonly users: number;
  readonly methods: string;
  /** More flags of the run. */
  readonly flags?: readonly string[];
  /** Flags of the run of many workers alone: a cap that ends it. */
  readonly caps?: readonly string[];
  /** Default: one without a price. */
  readonly model?: string;
  readonly workers: number;
  readonly concurrency: number;
  readonly latencyMs: number;
  /** How long one worker is stopped. */
  readonly stopMs: number;
  tell?(line: string): void;
}

export interface Played {
  /** Files in which the run is not as one process leaves it. */
  readonly differing: readonly string[];
  readonly calls: number;
  /** Calls of the run of many workers that arrived at the server, and their tokens. */
  readonly arrived: { readonly calls: number; readonly in: number; readonly out: number };
  /** Requests that one process sends fewer times (draws of samples are equal requests), and the most that may be: calls in flight at a process that was killed or stopped. */
  readonly boughtAgain: number;
  readonly mayBuyAgain: number;
  /** Billable tries in the log of the run. */
  readonly tries: number;
  readonly seconds: number;
  readonly exit: number | null;
  readonly messages: string;
}

/**
 * A run of many workers against a counting server: the run's own process is killed and started again, two workers are killed and
 * replaced, one is stopped for a while, and PostgreSQL crashes; then its files are compared with those of one undisturbed process.
 */
export async function playWorkers(bin: string, settings: PlaySettings): Promise<Played> {
  const {
    users,
    methods,
    flags = [],
    caps = [],
    model = "openai/local",
    workers: count,
    concurrency,
    latencyMs,
    stopMs,
    tell = () => undefined,
  } = settings;
  const cwd = mkdtempSync(join(tmpdir(), "lamp-eval-play-"));
  writeReviews(
    join(cwd, "reviews"),
    Array.from({ length: users }, (_, i) => reviewUser(`u${String(i).padStart(5, "0")}`, 4)),
  );
  const arrived = new Map<string, number>();
  let [out, tokens] = [0, 0];
  let isSlow = false;
  const server = await startAgentServer(openaiDialect, {
    latencyMs,
    forget: true,
    reply: (request) => chatReply(request, String((promptOf(request).length % 5) + 1)),
    onArrival: (request) => {
      const key = JSON.stringify(request.body);
      tokens += Math.ceil(promptOf(request).length / 4);
      arrived.set(key, (arrived.get(key) ?? 0) + 1);
      out += 1;
    },
    fault: () => {
      out -= 1;
      return isSlow ? { kind: "slow", delayMs: 2_000 } : undefined;
    },
  });
  const postgres = await startPostgres(bin, []);
  const env = { ...openaiDialect.env, LAMP_EVAL_WORKERS: postgres.url };
  const run = (folder: string, ...more: readonly string[]): CliProcess =>
    startCli(
      [
        ...`run --task lamp3 --method ${methods} --data reviews --model ${model} --base-url ${server.url}/v1 --set wiki.mode=off --out ${folder}`.split(
          " ",
        ),
        ...flags,
        ...more,
      ],
      { cwd, env },
    );
  const worker = (): CliProcess =>
    startCli(["worker", "--concurrency", String(concurrency), "--base-url", `${server.url}/v1`], { cwd, env });
  const started: CliProcess[] = [];
  const hire = (): CliProcess => {
    const one = worker();
    started.push(one);
    return one;
  };
  try {
    tell("one process alone");
    const alone = await run("alone", "--concurrency", String(concurrency * count)).exit;
    if (alone.code !== 0) throw new Error(`alone: ${alone.stderr}`);
    const calls = [...arrived.values()].reduce((sum, n) => sum + n, 0);
    const needed = new Map(arrived);
    arrived.clear();
    tokens = 0;
    const startedAt = performance.now();
    const crew = Array.from({ length: count }, hire);
    let master = run("together", "--workers", ...caps);
    let mayBuyAgain = 0;
    const share = () => {
      try {
        return Number(postgres.psql("select count(*) from lamp_eval.call where ended is not null")) / calls;
      } catch {
        return 0; // it has just crashed
      }
    };
    const lose = (): void => {
      mayBuyAgain += concurrency; // a reply that has arrived and is not stored yet counts, too
    };
    const replace = (n: number): void => {
      lose();
      crew[n]!.kill("SIGKILL");
      crew[n] = hire();
    };
    const events: readonly (readonly [number, string, () => void | Promise<void>])[] = [
      [
        0.1,
        "the run's process is killed",
        async () => {
          isSlow = true; // the workers go on, and must have work left when it has started again
          master.kill("SIGKILL");
          await master.exit;
          master = run("together", "--workers", ...caps);
          await delay(2_000);
          isSlow = false;
        },
      ],
      [0.25, "a worker is killed", () => replace(0)],
      [0.4, "another is killed", () => replace(1)],
      [
        0.5,
        `one is stopped for ${stopMs / 1000} s`,
        () => {
          lose();
          crew[2]!.kill("SIGSTOP");
          setTimeout(() => crew[2]!.kill("SIGCONT"), stopMs);
        },
      ],
      [
        0.7,
        "PostgreSQL crashes",
        async () => {
          postgres.crash();
          await delay(3_000);
          postgres.start();
        },
      ],
    ];
    for (const [at, what, happen] of events) {
      while (share() < at && !master.ended) await delay(100);
      if (master.ended) throw new Error(`${what}: the run had ended: ${master.messages}`);
      tell(`${what} (${Math.round(share() * 100)} % of ${calls} calls, ${out} in flight)`);
      await happen();
    }
    const { code, stderr } = await master.exit;
    if (code !== 0 && caps.length === 0)
      throw new Error([stderr, ...started.map(({ messages }) => messages)].join("\n---\n"));
    const seconds = (performance.now() - startedAt) / 1000;
    const sent = [...arrived.values()].reduce((sum, n) => sum + n, 0);
    const [one, many] = [comparable(join(cwd, "alone")), comparable(join(cwd, "together"))];
    return {
      differing: Object.keys(one).filter((name) => one[name] !== many[name]),
      calls,
      arrived: { calls: sent, in: tokens, out: sent }, // `chatReply` says so
      boughtAgain: [...arrived].reduce((sum, [key, n]) => sum + Math.max(0, n - (needed.get(key) ?? 0)), 0),
      tries: readLog(join(cwd, "together", "log.jsonl")).state.money.tries,
      ...{ mayBuyAgain, seconds, exit: code, messages: stderr },
    };
  } finally {
    for (const one of started) {
      one.kill("SIGCONT");
      one.kill("SIGKILL");
    }
    await Promise.all(started.map((one) => one.exit));
    postgres.close();
    await server.close().catch(() => undefined);
    rmSync(cwd, { recursive: true, force: true });
  }
}
