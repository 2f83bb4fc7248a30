import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../../../src/commands/library.js";
import { methods } from "../../../src/methods/index.js";
import { rowsOf, unitRecordsOf } from "../../../src/record/rows.js";
import { fakeClock } from "../../../test/helpers/fake-clock.js";
import {
  type CountedCall,
  converseWire,
  type LexicalWire,
  messagesWire,
  responsesWire,
  startLexicalServer,
} from "../../../test/helpers/lexical-server.js";

/** US dollars per million tokens, as the provider's page has them. */
interface Page {
  readonly in: number;
  readonly read: number;
  readonly write: number;
  readonly out: number;
}

/** A model behind the protocol and the cache rules of its provider. */
export interface Wired {
  readonly model: string;
  readonly wire: LexicalWire;
  readonly page: Page;
  /** Where the model is named by an endpoint of the run's own. */
  readonly quirks?: string;
}

const HAIKU: Page = { in: 0.1, read: 0.01, write: 0.125, out: 0.5 };

export const wires: readonly Wired[] = [
  { model: "anthropic/claude-haiku-5-5", wire: messagesWire(512), page: HAIKU },
  { model: "bedrock/global.anthropic.claude-haiku-5-5", wire: converseWire(512), page: HAIKU },
  {
    model: "api/gpt-5.6-luna",
    wire: responsesWire(true),
    page: { in: 0.2, read: 0.02, write: 0.25, out: 1.2 },
    quirks: "openai",
  },
  {
    model: "api/gpt-5-mini",
    wire: responsesWire(false),
    page: { in: 0.25, read: 0.025, write: 0.25, out: 2 },
    quirks: "openai",
  },
];

/** What one run came to, by the server's own count. */
export interface Played {
  readonly calls: number;
  readonly in: number;
  readonly read: number;
  readonly written: number;
  readonly inputUsd: number;
  /** What was answered to every question, as one text. */
  readonly replies: string;
  /** Where the run's records or table say something else than the server. */
  readonly offences: readonly string[];
}

/** One run of a method with the setting of `--cache`, behind a server that caches. */
export async function playCaching(
  method: string,
  { model, wire, page, quirks }: Wired,
  where: { readonly task: string; readonly folder: string | undefined; readonly users: number },
  cache: "auto" | "off",
  latencyMs = 20,
): Promise<Played> {
  const cwd = mkdtempSync(join(tmpdir(), "lamp-eval-caching-"));
  const counted: CountedCall[] = [];
  const server = await startLexicalServer(wire, {
    latencyMs,
    msPerCall: MS_PER_CALL,
    onCall: (call) => counted.push(call),
  });
  const own = quirks === undefined ? {} : ownEndpoint(model, page, server.url, quirks);
  try {
    const { summaries, manifest } = await run(
      {
        ...{ task: where.task, method, model, users: where.users, out: "run" },
        ...(where.folder === undefined ? {} : { data: where.folder }),
        ...(quirks === undefined ? { baseUrl: server.url } : own),
        options: { ...optionsOf(method), "server.cache": cache },
      },
      { cwd, env: KEYS, clock: fakeClock(START_MS), node: process.version, tell: () => undefined },
    );
    const probe = Object.values(manifest.probes ?? {}).map(({ in: tokensIn, out, cacheRead = 0, cacheWrite = 0 }) => ({
      ...{ calls: 1, in: tokensIn, out, read: cacheRead, written: cacheWrite },
    }));
    const spent = spentIn(join(cwd, "run"), probe);
    const sum = (part: keyof CountedCall): number => counted.reduce((total, call) => total + call[part], 0);
    const told = { calls: counted.length, in: sum("in"), read: sum("read"), written: sum("written"), out: sum("out") };
    const inputUsd = inputUsdOf(told, page);
    const probeUsd = probe.reduce((total, one) => total + inputUsdOf(one, page) + (one.out * page.out) / 1e6, 0);
    const tableUsd = summaries.reduce((total, { usd = Number.NaN }) => total + usd, probeUsd);
    const serverUsd = inputUsd + (told.out * page.out) / 1e6;
    const offences = (Object.keys(told) as (keyof typeof told)[]).flatMap((name) =>
      spent[name] === told[name] ? [] : [`${name}: ${spent[name]} in the records, ${told[name]} at the server`],
    );
    if (!(Math.abs(tableUsd - serverUsd) < 1e-9))
      offences.push(`$${tableUsd} in table and manifest, $${serverUsd} at the server`);
    const replies = rowsOf(join(cwd, "run")).map(({ user, question, outcome }) => [user, question, outcome]);
    return { ...told, inputUsd, offences, replies: JSON.stringify(replies) };
  } finally {
    await server.close();
    rmSync(cwd, { recursive: true, force: true });
  }
}

const START_MS = Date.UTC(2026, 10, 1);
const KEYS = {
  ANTHROPIC_API_KEY: "sk-fake-0123456789",
  OPENAI_API_KEY: "sk-fake-0123456789",
  AWS_REGION: "eu-central-1",
  AWS_BEARER_TOKEN_BEDROCK: "fake-0123456789",
};

/** Demonstrations, the same for all questions, are longer than the shortest prefix of every provider; pages come from the demo's own. */
const settings: Readonly<Record<string, string | number>> = { "icl.k": 24, "wiki.mode": "replay" };

const optionsOf = (method: string): Record<string, string | number> =>
  Object.fromEntries(Object.entries(settings).filter(([knob]) => knob in methods.get(method).options));

/** Eight calls in flight that take two seconds each. */
const MS_PER_CALL = 250;

const ownEndpoint = (model: string, page: Page, url: string, quirks: string) => ({
  endpoints: { api: { provider: "openai", baseUrl: `${url}/v1`, keyEnv: "OPENAI_API_KEY", quirks } },
  prices: [{ model, in: page.in, out: page.out, cacheRead: page.read, cacheWrite: page.write }],
});

const inputUsdOf = (told: Omit<CountedCall, "out">, page: Page): number =>
  ((told.in - told.read - told.written) * page.in + told.read * page.read + told.written * page.write) / 1e6;

const PARTS = ["calls", "in", "read", "written", "out"] as const;
type Spent = Record<(typeof PARTS)[number], number>;

/** Of rows and units; the probe belongs to none. */
function spentIn(folder: string, probes: readonly Spent[]): Spent {
  const spent = { calls: 0, in: 0, read: 0, written: 0, out: 0 };
  for (const probe of probes) for (const part of PARTS) spent[part] += probe[part];
  for (const { spend } of [...rowsOf(folder), ...unitRecordsOf(folder)])
    for (const { calls, in: tokensIn, out, cacheRead = 0, cacheWrite = 0 } of Object.values(spend)) {
      spent.calls += calls;
      spent.in += tokensIn;
      spent.out += out;
      spent.read += cacheRead;
      spent.written += cacheWrite;
    }
  return spent;
}
