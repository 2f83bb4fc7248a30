import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { seeded } from "../../../src/random/seeded.js";
import { startBatchServer } from "../../helpers/batch-server.js";
import { moneyIn, repliesIn } from "../../helpers/planted-log.js";
import { replyBody } from "../../helpers/provider-replies.js";
import { type Fault, startProviderServer } from "../../helpers/provider-server.js";
import { reviewUser, writeReviews } from "../../helpers/review-data.js";

/** What the server billed, and what the tables of the runs say. */
export interface KilledBill {
  readonly calls: number;
  readonly kills: number;
  readonly errors: number;
  readonly billedUsd: number;
  /** Of these, replies that no process lived to hear. */
  readonly unheardUsd: number;
  readonly tableUsd: number;
  readonly offences: readonly string[];
}

/**
 * Two runs whose processes are killed (SIGKILL) and begun again until they are done, against servers that keep a bill of their own:
 * one of single calls among errors, one in batches; with cache reads, writes for five minutes and for an hour, and reasoning
 * tokens. `users`: so many in each run, five calls a user.
 */
export async function playKilledBill(seed: string, cwd: string, users: number, kills: number): Promise<KilledBill> {
  const random = seeded(seed);
  const below = (bound: number): number => random.below(bound);
  const data = Array.from({ length: users }, (_, i) => reviewUser(`u${i}`));
  writeReviews(join(cwd, "reviews"), data);
  const total = { calls: 0, kills: 0, errors: 0, billedUsd: 0, unheardUsd: 0, tableUsd: 0 };
  const offences: string[] = [];
  const billed: ServedUsage[] = []; // no two replies have equally many tokens
  const ofLines = new Map<string, ServedUsage>();
  let isBilled = true;
  let watch = (): void => undefined;
  const provider = await startProviderServer({
    latencyMs: 2,
    onArrival: () => watch(),
    fault({ attempt }) {
      const fault = below(8) === 0 ? FAULTS[below(FAULTS.length)] : undefined;
      const kept = fault?.kind === "status" && fault.status === 400 && attempt > 1 ? undefined : fault;
      isBilled = kept?.kind !== "status";
      if (kept !== undefined) total.errors += 1;
      return kept;
    },
    reply({ body }) {
      const usage = usageOf(below, billed.length + 1);
      if (isBilled) billed.push(usage);
      return message(body, usage);
    },
  });
  const batches = await startBatchServer({
    onMoment: () => watch(),
    answer(body) {
      const key = JSON.stringify(body);
      const usage = ofLines.get(key) ?? usageOf(below, ofLines.size + 1);
      ofLines.set(key, usage);
      return message(body, usage);
    },
  });

  /** Until it is done; killed where `moments` have been watched. */
  async function playRun(out: string, baseUrl: string, more: object, between: number): Promise<number> {
    const request = { task: "lamp3", method: ["prompt", "pag"], data: "reviews", model: "anthropic/claude-haiku-5-5" };
    const settings = { ...request, baseUrl, out, concurrency: 8, maxFailed: 1, ...more };
    for (let turn = 0; turn < MOST_TURNS; turn++) {
      const child = spawn(process.execPath, ["--import", "tsx", CHILD, cwd, JSON.stringify(settings)], {
        env: { ...process.env, ANTHROPIC_API_KEY: "sk-fake-0123456789" },
        stdio: ["ignore", "pipe", "inherit"],
      });
      let left = turn < kills ? 1 + below(between) : Number.POSITIVE_INFINITY;
      watch = () => {
        left -= 1;
        if (left === 0) child.kill("SIGKILL");
      };
      let text = "";
      child.stdout.on("data", (chunk) => {
        text += chunk;
      });
      const signal = await new Promise((resolve) => child.once("close", (_code, by) => resolve(by)));
      if (signal === "SIGKILL") total.kills += 1;
      else {
        const { done, usd } = JSON.parse(text) as { done: boolean; usd: number };
        if (done) return usd;
      }
    }
    offences.push(`${seed}: ${out} never ended`);
    return Number.NaN;
  }

  const expect = (run: string, table: number, server: number): void => {
    if (!(Math.abs(table - server) < 1e-9)) offences.push(`${seed}: ${run} $${table} in the table, $${server} billed`);
  };
  const sum = (usages: readonly ServedUsage[]): number => usages.reduce((usd, usage) => usd + usdOf(usage), 0);
  try {
    const single = await playRun("single", provider.url, {}, (5 * users) / (kills + 1));
    const heardOut = new Set(repliesIn(join(cwd, "single")).map(({ reply }) => reply.usage.out));
    const unheard = billed.filter((usage) => !heardOut.has(usage.output_tokens));
    total.unheardUsd = sum(unheard);
    expect("single calls:", single, sum(billed) - total.unheardUsd);
    const { tries } = moneyIn(join(cwd, "single"));
    if (tries < billed.length) offences.push(`${seed}: ${tries} tries counted, ${billed.length} replies billed`);
    const batch = await playRun("batch", batches.url, { batch: true }, 3);
    const lines = [...batches.billed].flatMap(([key, times]) => Array(times).fill(ofLines.get(key)!) as ServedUsage[]);
    expect("batches:", batch, sum(lines) / 2);
    total.calls = billed.length + lines.length;
    total.billedUsd = sum(billed) + sum(lines) / 2;
    total.tableUsd = single + batch;
  } finally {
    await provider.close();
    await batches.close();
  }
  return { ...total, offences };
}

const CHILD = fileURLToPath(new URL("./child.ts", import.meta.url));
const MOST_TURNS = 40;

const FAULTS: readonly Fault[] = [
  ...[400, 429, 500, 502, 503, 529].map((status): Fault => ({ kind: "status", status })),
  { kind: "cut" },
  { kind: "malformed" },
];

interface ServedUsage {
  readonly input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_creation: { readonly ephemeral_5m_input_tokens: number; readonly ephemeral_1h_input_tokens: number };
  readonly output_tokens: number;
  readonly output_tokens_details: { readonly thinking_tokens: number };
}

function usageOf(below: (bound: number) => number, out: number): ServedUsage {
  const some = (most: number): number => (below(3) === 0 ? below(most) : 0);
  const [ephemeral_5m_input_tokens, ephemeral_1h_input_tokens] = [some(5000), some(5000)];
  return {
    input_tokens: 100 + below(900) + (below(8) === 0 ? 40_000 : 0) + (below(30) === 0 ? 80_000 : 0),
    cache_read_input_tokens: some(5000),
    cache_creation_input_tokens: ephemeral_5m_input_tokens + ephemeral_1h_input_tokens,
    cache_creation: { ephemeral_5m_input_tokens, ephemeral_1h_input_tokens },
    output_tokens: out,
    output_tokens_details: { thinking_tokens: below(out) },
  };
}

const message = ({ model }: { readonly model: string }, usage: ServedUsage): unknown =>
  replyBody("messages", { model, text: "5", more: { usage } });

/** The provider's page, not the program's table: Haiku 5.5, the whole call by the size of its prompt. */
function usdOf(usage: ServedUsage): number {
  const { input_tokens: plain, cache_read_input_tokens: read, cache_creation: written, output_tokens: out } = usage;
  const [short, hour] = [written.ephemeral_5m_input_tokens, written.ephemeral_1h_input_tokens];
  const share = plain + read + short + hour > 100_000 ? 5 : 1;
  return (share * (plain * 0.1 + read * 0.01 + short * 0.125 + hour * 0.2 + out * 0.5)) / 1e6;
}
