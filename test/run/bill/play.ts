import { cpSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { run } from "../../../src/commands/library.js";
import { lexical } from "../../../src/models/providers/offline/lexical.js";
import { seeded } from "../../../src/random/seeded.js";
import { rowsOf, unitRecordsOf } from "../../../src/record/rows.js";
import { fakeClock } from "../../helpers/fake-clock.js";
import { type CountedCall, lexicalReply, messagesWire } from "../../helpers/lexical-server.js";
import { moneyIn, repliesIn } from "../../helpers/planted-log.js";
import { PromptCache } from "../../helpers/prompt-cache.js";
import { replyBody } from "../../helpers/provider-replies.js";
import { type Fault, type ServedRequest, startProviderServer } from "../../helpers/provider-server.js";
import { reviewUser, writeReviews } from "../../helpers/review-data.js";
import { manifestIn } from "../../helpers/stored-run.js";

/** What the server billed in one schedule, and where the table says something else. */
export interface Bill {
  readonly tokens: number;
  readonly usd: number;
  /** Of these, replies that never reached the run as a whole. */
  readonly unheard: number;
  readonly unheardTokens: number;
  readonly unheardUsd: number;
  readonly kills: number;
  /** Of all that was billed. */
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly offences: readonly string[];
}

/** `told`: cache tokens as the server likes; `cached`: agents, and a server that keeps the provider's rules for its cache. */
export type BillKind = "told" | "cached";

/**
 * One run of two methods through random faults and kills, against a server that tells other tokens with every reply, cache reads and
 * writes among them, now and then a prompt of the dearer tier, and keeps a bill of its own.
 */
export async function playBill(seed: string, cwd: string, kind: BillKind = "told"): Promise<Bill> {
  const random = seeded(seed);
  const below = (bound: number): number => random.below(bound);
  const badShare = random.next() * 0.4;
  const killsAt = Array.from({ length: below(3) }, () => 2 + below(30));
  writeReviews(
    join(cwd, "reviews"),
    Array.from({ length: 8 }, (_, i) => reviewUser(`u${i}`)),
  );
  const billed: BilledReply[] = [];
  let onArrival = (): void => undefined;
  const cache = new PromptCache(WIRE.cache);
  const prompts = new Map<ServedRequest, ReturnType<PromptCache["count"]>>();
  const server = await startProviderServer({
    onArrival(request) {
      if (kind === "cached") prompts.set(request, cache.count(WIRE.blocks(request.body), request.index * MS_PER_CALL));
    },
    fault() {
      onArrival();
      const fault = random.next() < badShare ? FAULTS[below(FAULTS.length)] : undefined;
      isBilled = fault === undefined || fault.kind !== "status";
      return fault;
    },
    reply(request) {
      const counted = prompts.get(request);
      if (counted !== undefined) {
        counted.begun();
        const out = 1 + billed.length; // no two alike
        const usage = usageOf({ ...counted, out });
        if (isBilled) billed.push({ usage, usd: usdOf(usage) });
        return lexicalReply(WIRE, request.body, lexical(WIRE.request(request.body)), { ...counted, out });
      }
      const usage = {
        input_tokens: 100 + below(900) + (below(8) === 0 ? 40_000 : 0) + (below(30) === 0 ? 80_000 : 0),
        cache_read_input_tokens: below(3) === 0 ? below(5000) : 0,
        cache_creation_input_tokens: below(3) === 0 ? below(5000) : 0,
        output_tokens: 1 + billed.length, // no two alike
      };
      if (isBilled) billed.push({ usage, usd: usdOf(usage) });
      return message(request, usage);
    },
  });
  let isBilled = true;
  let kills = 0;
  const io = { cwd, env: KEYS, clock: fakeClock(START_MS), node: "v20.0.0", tell: () => undefined };
  const request = {
    ...{ task: "lamp3", data: "reviews", model: "anthropic/claude-haiku-5-5" },
    ...(kind === "told"
      ? { method: ["prompt", "pag"] }
      : { method: ["persona-agent"], users: 4, options: { "wiki.mode": "replay" } }),
    ...{ baseUrl: server.url, concurrency: 1 + below(8), maxFailed: 1 },
  };
  let out = "run-0";
  try {
    for (let turn = 0; ; turn++) {
      out = `run-${turn}`;
      const kill = new AbortController();
      const killAfter = billed.length + (killsAt[turn] ?? Number.POSITIVE_INFINITY);
      let isKilled = false;
      onArrival = () => {
        if (isKilled || billed.length < killAfter) return;
        isKilled = true;
        cpSync(join(cwd, out), join(cwd, `run-${turn + 1}`), { recursive: true });
        kill.abort(new Error("killed"));
      };
      const { ended } = await run({ ...request, out, kill: kill.signal }, io);
      if (isKilled) {
        kills += 1;
        unlock(join(cwd, `run-${turn + 1}`));
      } else if (ended === "done" && rowsOf(join(cwd, out)).every(({ outcome }) => outcome.kind !== "failed")) break;
      else cpSync(join(cwd, out), join(cwd, `run-${turn + 1}`), { recursive: true });
    }
  } finally {
    await server.close();
  }
  return billOf(seed, join(cwd, out), billed, { kills, usd: await tableUsd(request, out, io) });
}

interface ServedUsage {
  readonly input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly output_tokens: number;
}

interface BilledReply {
  readonly usage: ServedUsage;
  readonly usd: number;
}

const WIRE = messagesWire(512);
/** How far the server's clock goes on with each call: entries of its cache live for five minutes of it. */
const MS_PER_CALL = 1_000;

const usageOf = ({ in: all, read, written, out }: CountedCall): ServedUsage => ({
  ...{ input_tokens: all - read - written, output_tokens: out },
  ...{ cache_read_input_tokens: read, cache_creation_input_tokens: written },
});

const START_MS = Date.UTC(2026, 10, 1);
const KEYS = { ANTHROPIC_API_KEY: "sk-fake-0123456789" };

const FAULTS: readonly Fault[] = [
  { kind: "status", status: 429 },
  { kind: "status", status: 529 },
  { kind: "status", status: 500 },
  { kind: "cut" },
  { kind: "malformed" },
];

/** The provider's page, not the program's table: the whole call by the size of its prompt. */
function usdOf(usage: ServedUsage): number {
  const {
    input_tokens: plain,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: write,
    output_tokens: out,
  } = usage;
  const isLong = plain + read + write > 100_000;
  const [input, output, reads, writes] = isLong ? [0.5, 2.5, 0.05, 0.625] : [0.1, 0.5, 0.01, 0.125];
  return (plain * input! + out * output! + read * reads! + write * writes!) / 1e6;
}

const message = ({ body }: ServedRequest, usage: ServedUsage): unknown =>
  replyBody("messages", { model: body.model, text: "5", more: { usage } });

const promptOf = (usage: ServedUsage): number =>
  usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens;

const tokensOf = ({ usage }: BilledReply): number => promptOf(usage) + usage.output_tokens;

/** What the table of the finished run says, asked for once more: nothing is sent. */
async function tableUsd(
  request: Parameters<typeof run>[0],
  out: string,
  io: Parameters<typeof run>[1],
): Promise<number> {
  const { summaries, manifest } = await run({ ...request, out }, io);
  const probes = Object.values(manifest.probes ?? {}).map((probe) =>
    usdOf(usageOf({ ...probe, read: probe.cacheRead ?? 0, written: probe.cacheWrite ?? 0 })),
  );
  return [...summaries.map(({ usd = Number.NaN }) => usd), ...probes].reduce((sum, usd) => sum + usd, 0);
}

function billOf(
  seed: string,
  folder: string,
  billed: readonly BilledReply[],
  told: { readonly kills: number; readonly usd: number },
): Bill {
  const spent = { calls: 0, in: 0, out: 0, cacheRead: 0, cacheWrite: 0 };
  const probes = Object.values(manifestIn(folder)?.probes ?? {}).map((probe) => ({
    spend: { probe: { calls: 1, ...probe } },
  }));
  for (const { spend } of [...rowsOf(folder), ...unitRecordsOf(folder), ...probes])
    for (const { calls, in: tokensIn, out, cacheRead = 0, cacheWrite = 0 } of Object.values(spend)) {
      spent.calls += calls;
      spent.in += tokensIn;
      spent.out += out;
      spent.cacheRead += cacheRead;
      spent.cacheWrite += cacheWrite;
    }
  const heardOut = new Set(repliesIn(folder).map(({ reply }) => reply.usage.out)); // the server tells no two alike
  const [heard, unheard] = [billed, billed].map((all, other) =>
    all.filter(({ usage }) => heardOut.has(usage.output_tokens) === (other === 0)),
  ) as [BilledReply[], BilledReply[]];
  const sum = (all: readonly BilledReply[], part: (one: BilledReply) => number) =>
    all.reduce((total, one) => total + part(one), 0);
  const { tries, unknownBilledUpToUsd } = moneyIn(folder);
  const offences: string[] = [];
  const expect = (name: string, table: number, server: number, within = 0): void => {
    if (!(Math.abs(table - server) <= within))
      offences.push(`${seed}: ${name} ${table} in the table, ${server} billed`);
  };
  expect("calls", spent.calls, heard.length);
  expect(
    "prompt tokens",
    spent.in,
    sum(heard, ({ usage }) => promptOf(usage)),
  );
  expect(
    "reply tokens",
    spent.out,
    sum(heard, ({ usage }) => usage.output_tokens),
  );
  expect(
    "cache reads",
    spent.cacheRead,
    sum(heard, ({ usage }) => usage.cache_read_input_tokens),
  );
  expect(
    "cache writes",
    spent.cacheWrite,
    sum(heard, ({ usage }) => usage.cache_creation_input_tokens),
  );
  expect(
    "dollars",
    told.usd,
    sum(heard, ({ usd }) => usd),
    1e-9,
  );
  if (tries < billed.length) offences.push(`${seed}: ${tries} billable tries, ${billed.length} billed`);
  const unheardUsd = sum(unheard, ({ usd }) => usd);
  if (unheard.length > 0 && unknownBilledUpToUsd === 0)
    offences.push(`${seed}: $${unheardUsd} billed unheard, none set aside`);
  return {
    ...{ tokens: sum(billed, tokensOf), usd: sum(billed, ({ usd }) => usd), kills: told.kills, offences },
    cacheRead: sum(billed, ({ usage }) => usage.cache_read_input_tokens),
    cacheWrite: sum(billed, ({ usage }) => usage.cache_creation_input_tokens),
    ...{ unheard: unheard.length, unheardTokens: sum(unheard, tokensOf), unheardUsd },
  };
}

function unlock(folder: string): void {
  for (const name of readdirSync(folder)) if (name.startsWith("lock")) rmSync(join(folder, name));
}
