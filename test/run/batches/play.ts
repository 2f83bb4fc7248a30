import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { run } from "../../../src/commands/library.js";
import { pricesAt } from "../../../src/models/prices.js";
import type { RunEvent } from "../../../src/plan/io.js";
import { seeded } from "../../../src/random/seeded.js";
import { rowsOf, runFiles, unitRecordsOf } from "../../../src/record/rows.js";
import type { Spend } from "../../../src/types/index.js";
import {
  type BatchServer,
  type Fate,
  type Moment,
  type Sending,
  startBatchServer,
} from "../../helpers/batch-server.js";
import { fakeClock } from "../../helpers/fake-clock.js";
import { armRecords } from "../../helpers/report-json.js";
import { reviewUser, writeReviews } from "../../helpers/review-data.js";

/** Where a process dies: at a moment of the server, or when so many replies of a wave are stored. */
export type Crash = { readonly at: Moment; readonly times: number } | { readonly at: "stored"; readonly times: number };

export interface BatchScript {
  readonly wire: "anthropic" | "openai";
  readonly crashes: readonly Crash[];
  readonly detach?: boolean;
  /** Shares of lines that end so. */
  readonly fates?: Partial<Record<Fate, number>>;
  /** What becomes of the first sendings. */
  readonly sendings?: readonly Sending[];
}

export interface BatchPlay {
  readonly waves: number;
  readonly kills: number;
  /** Lines billed, and those of them that brought no reply. */
  readonly billed: number;
  readonly spoilt: number;
  /** Broken promises; empty where all hold. */
  readonly offences: readonly string[];
}

/**
 * A run in batches that dies where the script says (the folder as it stands then goes on, the process does not), beside a run
 * without batches: nothing is lost, nothing is bought twice, the rows are the same.
 */
export async function playBatch(script: BatchScript, seed: string, cwd: string): Promise<BatchPlay> {
  const random = seeded(seed);
  writeReviews(
    join(cwd, "reviews"),
    Array.from({ length: 4 }, (_, i) => reviewUser(`u${i}`)),
  );
  const offences: string[] = [];
  const expect = (holds: boolean, what: string): void => {
    if (!holds) offences.push(`${seed}: ${what}`);
  };
  let spoilt = 0;
  let isDying = false;
  let onMoment = (_moment: Moment): void => undefined;
  const server = await startBatchServer({
    fate({ body }) {
      const fate = isFirst(server, body) ? fateOf(script.fates ?? {}, random.next()) : "succeeded";
      if (fate === "malformed" || fate === "missing") spoilt += 1;
      return fate;
    },
    sending: (n) => (isDying ? "failed" : (script.sendings?.[n] ?? "taken")),
    onMoment: (moment) => onMoment(moment),
  });
  const model = script.wire === "anthropic" ? "anthropic/claude-haiku-5-5" : "openai/gpt-4.1-mini";
  const baseUrl = script.wire === "anthropic" ? server.url : `${server.url}/v1`;
  const asked = {
    task: "lamp3",
    method: ["prompt", "pag"],
    data: "reviews",
    model,
    baseUrl,
  };
  const io = () => ({ cwd, env: KEYS, clock: fakeClock(START_MS), node: "v20.0.0", tell: () => undefined });
  let kills = 0;
  try {
    await run({ ...asked, out: "online" }, io());
    const [single, billedOnline] = [server.single, server.billed.size];
    expect(billedOnline === 0, "online calls were billed as lines");
    for (let process = 0; ; process++) {
      const out = join(cwd, `run-${process}`);
      const kill = new AbortController();
      const crash = script.crashes[process];
      let [left, isKilled] = [crash?.times ?? 0, false];
      const die = (): void => {
        left -= 1;
        if (isKilled || left > 0) return;
        isKilled = true;
        isDying = true;
        cpSync(out, join(cwd, `run-${process + 1}`), { recursive: true });
        kill.abort(new Error("killed"));
      };
      onMoment = (moment) => (moment === crash?.at ? die() : undefined);
      const onEvent = (event: RunEvent): void => (event.kind === "call" && crash?.at === "stored" ? die() : undefined);
      const request = { ...asked, out, batch: script.detach === true ? "detach" : true, kill: kill.signal, onEvent };
      const { ended } = await run(request, io());
      isDying = false;
      if (isKilled) {
        kills += 1;
        unlock(join(cwd, `run-${process + 1}`));
        continue;
      }
      if (ended === "done") break;
      expect(ended === "waiting" && script.detach === true, `ended as ${ended}`);
      if (process > MOST_PROCESSES) {
        expect(false, "it never ended");
        break;
      }
      cpSync(out, join(cwd, `run-${process + 1}`), { recursive: true });
    }
    const folder = lastRun(cwd);
    expect(server.single === single, `${server.single - single} requests went out one by one`);
    expect(sameRows(join(cwd, "online"), folder), "the rows are not those of the run without batches");
    const twice = [...server.billed.values()].reduce((sum, times) => sum + times - 1, 0);
    expect(twice <= spoilt, `${twice} requests were bought twice, ${spoilt} brought no reply`);
    if (spoilt === 0) {
      const [told, served] = [JSON.stringify(tokensIn(folder)), JSON.stringify(server.tokens)];
      expect(told === served, `tokens ${told} in the rows, ${served} at the server`);
      expect(
        isClose(usdIn(folder), usdServed(server, model)),
        `$${usdIn(folder)} in the table, $${usdServed(server, model)} at the server`,
      );
    }
    expect(server.breaches.length === 0, server.breaches.slice(0, 3).join("; "));
    const billed = [...server.billed.values()].reduce((sum, times) => sum + times, 0);
    return { waves: server.batches.length, kills, billed, spoilt, offences };
  } finally {
    await server.close();
  }
}

/** A folder's rows and units without what tells batches from single calls. */
export function comparable(folder: string): unknown {
  const plain = <T extends { readonly spend: Spend }>(record: T): unknown => ({
    ...record,
    spend: Object.fromEntries(Object.entries(record.spend).map(([phase, { batch: _, ...totals }]) => [phase, totals])),
  });
  return [rowsOf(folder).map(plain), unitRecordsOf(folder).map(plain)];
}

const START_MS = Date.UTC(2026, 10, 1);
const KEYS = { OPENAI_API_KEY: "sk-fake-0123456789", ANTHROPIC_API_KEY: "sk-fake-0123456789" };
const MOST_PROCESSES = 60;

const sameRows = (a: string, b: string): boolean => JSON.stringify(comparable(a)) === JSON.stringify(comparable(b));

/** A request that failed once is answered the next time. */
const isFirst = ({ batches }: BatchServer, body: unknown): boolean => {
  const text = JSON.stringify(body);
  return batches.flatMap(({ lines }) => lines).filter((line) => JSON.stringify(line.body) === text).length === 1;
};

function fateOf(shares: Partial<Record<Fate, number>>, drawn: number): Fate {
  let below = 0;
  for (const [fate, share] of Object.entries(shares) as [Fate, number][]) {
    below += share;
    if (drawn < below) return fate;
  }
  return "succeeded";
}

const usdServed = ({ tokens }: BatchServer, model: string): number =>
  pricesAt(START_MS).ofCall(model, { ...tokens, batch: true }) ?? 0;

function usdIn(folder: string): number {
  return armRecords(readFileSync(join(folder, runFiles.json), "utf8")).reduce((sum, { usd }) => sum + (usd ?? 0), 0);
}

function tokensIn(folder: string): BatchServer["tokens"] {
  const all = [...rowsOf(folder), ...unitRecordsOf(folder)].flatMap(({ spend }) => Object.values(spend));
  return all.reduce((sum, { in: prompt, out }) => ({ in: sum.in + prompt, out: sum.out + out }), { in: 0, out: 0 });
}

const isClose = (a: number, b: number): boolean => Math.abs(a - b) < 1e-9;

const lastRun = (cwd: string): string => {
  const runs = readdirSync(cwd)
    .filter((name) => /^run-\d+$/.test(name) && existsSync(join(cwd, name, runFiles.json)))
    .sort((a, b) => Number(a.slice(4)) - Number(b.slice(4)));
  return join(cwd, runs.at(-1) ?? "");
};

/** A killed process's lock is taken over by any other; here both are one process. */
function unlock(folder: string): void {
  for (const name of readdirSync(folder)) if (name.startsWith("lock")) rmSync(join(folder, name));
}
