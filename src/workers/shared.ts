import { BudgetError, ModelError } from "../errors.js";
import { type Answer, type Entry, type Failure, isEntry, type Key } from "../log/entry.js";
import type { Log } from "../log/log.js";
import { emptyState } from "../log/state.js";
import type { SharedAnswers } from "../outside/answers.js";
import type { SharedBudget } from "../outside/caps.js";
import type { SharedPace } from "../outside/servers.js";
import { jsonIn } from "../text/json.js";
import type { Clock } from "../types/index.js";
import type { DatabaseReply, OpQueue } from "./op-queue.js";

/** Between two looks at what another worker has out, or at caps that tries in flight stand in the way of. */
const LOOK_MS = 250;

export type Shared = ReturnType<typeof openShared>;

/** Opens what all workers of a run share. `stop` fires when nothing may begin. */
export function openShared(ops: OpQueue, clock: Clock, stop: AbortSignal) {
  const known = new Map<Key, Answer>();
  /** A worker has no file: the run's process copies the entries into its log. Answers that this process has bought are read from here. */
  const log: Log = {
    path: "the workers' database",
    state: emptyState(),
    get: (key) => known.get(key),
    append(entry) {
      if (entry.t === "failure") ops.tell({ op: "log", content: JSON.stringify(entry) }); // tries come with `take`, answers with `end`
    },
    *entries() {},
    sync: () => undefined,
    close: () => undefined,
  };
  const answers: SharedAnswers = {
    async claim(key, signal) {
      for (;;) {
        const found = await ops.begin({ op: "claim", key });
        if (found === "mine") return undefined;
        if (typeof found === "object") return endIn(found);
        await clock.sleep(LOOK_MS, AbortSignal.any([signal, stop]));
      }
    },
    release: (key) => ops.tell({ op: "release", key }),
    async end(entry) {
      const usd = entry.t === "answer" ? entry.usd : undefined;
      const found = await ops.ask({ op: "end", key: entry.key, usd, content: JSON.stringify(entry) });
      const counts = endIn(found) ?? entry;
      if (counts.t === "answer") known.set(counts.key, counts);
      return counts;
    },
  };
  const pace: SharedPace = {
    async start({ name: account, userLimits }, { input, output }, signal) {
      for (;;) {
        const said = await ops.begin({ op: "start", account, input, output, perMinute: userLimits });
        const ms = typeof said === "object" ? said?.after : said; // a number: held so long, then ask again; `after`: sleep, then go
        if (typeof ms === "number" && ms >= 1) await clock.sleep(ms, AbortSignal.any([signal, stop]));
        if (typeof said !== "number") return;
      }
    },
    hold: ({ name: account }, ms) => ops.tell({ op: "hold", account, ms }),
  };
  let attempts = 0;
  const budget: SharedBudget = {
    async take(upToUsd, key) {
      attempts += 1;
      const content = JSON.stringify({ t: "try", key, upToUsd } satisfies Entry);
      const said = await ops.begin({ op: "take", key, usd: upToUsd, attempt: attempts, content });
      if (said === "later") return said;
      if (said === "ended")
        throw new ModelError("another worker has ended this call", { retryable: false, bill: "none" });
      if (typeof said === "object" && said?.cap !== undefined) return new BudgetError(said.cap);
      return ({ answered, calls, unknownBilledUpToUsd: uncertain }) => {
        if (answered !== true) ops.tell({ op: "settle", key, calls, uncertain }); // else with its end
      };
    },
    changed: (signal) => clock.sleep(LOOK_MS, signal),
  };
  return { log, answers, pace, budget };
}

/** The entry that ended a call; undefined where none has. Throws ModelError on what no worker of this version wrote. */
function endIn(answer: DatabaseReply): Answer | Failure | undefined {
  if (typeof answer !== "object" || answer?.end === undefined) return undefined;
  const entry = jsonIn(answer.end);
  if (isEntry(entry) && (entry.t === "answer" || entry.t === "failure")) return entry as Answer | Failure;
  throw new ModelError("its end in the workers' database is none", { retryable: false, bill: "none" });
}
