import { cachedEmbedder, embeddedBy, memoryVectors } from "../embedders/cached.js";
import { BudgetError, ModelError } from "../errors.js";
import type { Entry, Failure, Got, Key } from "../log/entry.js";
import type { Log } from "../log/log.js";
import { emptyState } from "../log/state.js";
import type { SharedPurse } from "../models/wrap/budgeted.js";
import { failedAlike } from "../models/wrap/cached.js";
import { gotVector, type SharedAnswers, vectorIn } from "../run/outside/answers.js";
import type { SharedPace } from "../run/outside/paced.js";
import type { Clock, Embedder } from "../types/index.js";
import type { BoardRun } from "./board.js";
import type { Exchange } from "./exchange.js";

/** Between two looks at what another worker has out, or at caps that tries in flight stand in the way of. */
const LOOK_MS = 250;

/** What all workers of a run share. */
export interface Shared {
  /** Takes entries that follow from calls; replies that this process has ended are read from it. */
  readonly log: Log;
  readonly answers: SharedAnswers;
  readonly purse: SharedPurse;
  readonly pace: SharedPace;
}

/** Opens it. `caps`: as they are now; `stop` fires when nothing may begin. */
export function openShared(
  exchange: Exchange,
  { clock, stop, caps }: { readonly clock: Clock; readonly stop: AbortSignal; caps(): Promise<Caps | undefined> },
): Shared {
  const known = new Map<Key, Got>();
  let attempts = 0;
  return {
    log: {
      ...noLog,
      get: (key) => known.get(key),
      append(entry) {
        if (entry.t === "no") exchange.tell({ op: "log", content: JSON.stringify(entry) }); // tries come with `take`, answers with `end`
      },
    },
    answers: {
      async claim(key, signal) {
        for (;;) {
          const found = await exchange.begin({ op: "claim", key });
          if (found === "mine") return undefined;
          if (typeof found === "object") return entryIn(found?.end);
          await clock.sleep(LOOK_MS, AbortSignal.any([signal, stop]));
        }
      },
      async end(entry) {
        const usd = entry.t === "got" ? entry.usd : undefined;
        const found = await exchange.ask({ op: "end", key: entry.key, usd, content: JSON.stringify(entry) });
        const counts = (typeof found === "object" ? entryIn(found?.end) : undefined) ?? entry;
        if (counts.t === "got" && counts.kind === "reply") known.set(counts.key, counts);
        return counts;
      },
      release: (key) => exchange.tell({ op: "release", key }),
    },
    purse: {
      async take(upToUsd, key) {
        attempts += 1;
        const content = JSON.stringify({ t: "try", key, upToUsd } satisfies Entry);
        const said = await exchange.begin({ op: "take", key, usd: upToUsd, attempt: attempts, content });
        if (said === "later") return said;
        if (said === "ended")
          throw new ModelError("another worker has ended this call", { retryable: false, bill: "none" });
        if (said === "calls") return new BudgetError(`--max-calls ${(await caps())?.maxCalls} is reached`);
        if (said === "usd")
          return new BudgetError(
            `--max-usd ${(await caps())?.maxUsd} would be passed (next call up to $${upToUsd.toFixed(4)})`,
          );
        return {
          settle({ answered, calls, uncertainUsd: uncertain }) {
            if (answered !== true) exchange.tell({ op: "settle", key, calls, uncertain }); // else with its end
          },
        };
      },
      changed: (signal) => clock.sleep(LOOK_MS, signal),
    },
    pace: {
      async start({ name: account, own }, { input, output }, signal) {
        for (;;) {
          const said = await exchange.begin({ op: "start", account, input, output, perMinute: own });
          const ms = typeof said === "object" ? said?.after : said; // a number: the account is held so long
          if (typeof ms === "number" && ms >= 1) await clock.sleep(ms, AbortSignal.any([signal, stop]));
          if (typeof said !== "number") return;
        }
      },
      hold: ({ name: account }, ms) => exchange.tell({ op: "hold", account, ms }),
    },
  };
}

type Caps = Pick<BoardRun, "maxCalls" | "maxUsd">;

/** A worker has no file: the run's process copies the entries into its log. */
const noLog: Omit<Log, "get" | "append"> = {
  path: "the workers' database",
  state: emptyState(),
  *entries() {},
  sync: () => undefined,
  close: () => undefined,
};

const entryIn = (text: string | undefined): Got | Failure | undefined =>
  text === undefined ? undefined : (JSON.parse(text) as Got | Failure); // a worker of this version wrote it

/** An embedder of a run that many workers share: each text is computed once. */
export function sharedEmbedder(
  embedder: Embedder,
  { answers }: Pick<Shared, "answers">,
  signal: AbortSignal,
): Embedder {
  const shared = embeddedBy(embedder, async (texts, keys) => {
    const kept = new Map<Key, Float32Array>();
    const mine: (readonly [Key, string])[] = [];
    try {
      for (const [key, text] of keys.map((key, i) => [key, texts[i]!] as const).sort()) {
        const end = await answers.claim(key, signal); // in one order, so that no two workers wait for each other
        if (end === undefined) mine.push([key, text]);
        else kept.set(key, vectorOf(end));
      }
      const computed = mine.length === 0 ? [] : await embedder.embed(mine.map(([, text]) => text));
      const ends = await Promise.all(mine.map(([key], n) => answers.end(gotVector(key, computed[n]!))));
      for (const end of ends) kept.set(end.key, vectorOf(end));
    } catch (error) {
      for (const [key] of mine) answers.release(key);
      throw error;
    }
    return keys.map((key) => kept.get(key)!); // each was wanted
  });
  return cachedEmbedder(shared, memoryVectors());
}

function vectorOf(end: Got | Failure): Float32Array {
  if (end.t === "no") throw failedAlike(end.error);
  return vectorIn(end)!; // of this key none but vectors are kept
}
