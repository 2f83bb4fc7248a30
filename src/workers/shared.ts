import { BudgetError, ModelError } from "../errors.js";
import { type Answer, type Entry, type Failure, isEntry, type Key } from "../log/entry.js";
import type { Log } from "../log/log.js";
import { emptyState } from "../log/state.js";
import type { SharedAnswers } from "../outside/answers.js";
import type { SharedBudget } from "../outside/caps.js";
import type { SharedPace } from "../outside/servers.js";
import { jsonIn } from "../text/json.js";
import type { Clock } from "../types/index.js";
import type { OpAnswer, OpQueue } from "./op-queue.js";

/** Interval of looks at a call of another worker, or at a cap that tries in flight may pass. */
const POLL_MS = 250;

/** What all workers of a run share: log, answers, rate limits and caps. */
export interface Shared {
  readonly log: Log;
  readonly answers: SharedAnswers;
  readonly pace: SharedPace;
  readonly budget: SharedBudget;
}

/** Opens what workers share over the operations of one worker. `stop` fires when nothing may start. */
export function openShared(ops: OpQueue, clock: Clock, stop: AbortSignal): Shared {
  const ownAnswers = new Map<Key, Answer>();
  return {
    log: databaseLog(ops, ownAnswers),
    answers: sharedAnswers(ops, ownAnswers, (signal) => clock.sleep(POLL_MS, AbortSignal.any([signal, stop]))),
    pace: sharedPace(ops, (ms, signal) => clock.sleep(ms, AbortSignal.any([signal, stop]))),
    budget: sharedBudget(ops, clock),
  };
}

/** A worker has no log file: the run's process copies entries from the database. It can read the answers that it has bought itself. */
const databaseLog = (ops: OpQueue, ownAnswers: ReadonlyMap<Key, Answer>): Log => ({
  path: "the workers' database",
  state: emptyState(),
  get: (key) => ownAnswers.get(key),
  append(entry) {
    if (entry.t === "failure") ops.send({ op: "log", content: JSON.stringify(entry) }); // `take` adds tries, `end` answers
  },
  *entries() {},
  sync: () => undefined,
  close: () => undefined,
});

const sharedAnswers = (
  ops: OpQueue,
  ownAnswers: Map<Key, Answer>,
  sleep: (signal: AbortSignal) => Promise<void>,
): SharedAnswers => ({
  async claim(key, signal) {
    for (;;) {
      const answer = await ops.begin({ op: "claim", key });
      if (answer === "mine") return undefined;
      if (typeof answer === "object") return endIn(answer);
      await sleep(signal);
    }
  },
  release: (key) => ops.send({ op: "release", key }),
  async end(entry) {
    const usd = entry.t === "answer" ? entry.usd : undefined;
    const answer = await ops.ask({ op: "end", key: entry.key, usd, content: JSON.stringify(entry) });
    const end = endIn(answer) ?? entry;
    if (end.t === "answer") ownAnswers.set(end.key, end);
    return end;
  },
});

const sharedPace = (ops: OpQueue, sleep: (ms: number, signal: AbortSignal) => Promise<void>): SharedPace => ({
  async start({ name: account, userLimits }, { input, output }, signal) {
    for (;;) {
      const answer = await ops.begin({ op: "start", account, input, output, perMinute: userLimits });
      const isHeld = typeof answer === "number"; // then ask again
      const startMs = typeof answer === "object" ? (answer?.after ?? 0) : 0;
      const waitMs = isHeld ? answer : startMs;
      if (waitMs >= 1) await sleep(waitMs, signal);
      if (!isHeld) return;
    }
  },
  hold: ({ name: account }, ms) => ops.send({ op: "hold", account, ms }),
});

function sharedBudget(ops: OpQueue, clock: Clock): SharedBudget {
  let attempts = 0;
  return {
    async take(upToUsd, key) {
      attempts += 1;
      const content = JSON.stringify({ t: "try", key, upToUsd } satisfies Entry);
      const answer = await ops.begin({ op: "take", key, usd: upToUsd, attempt: attempts, content });
      if (answer === "later") return answer;
      if (answer === "ended")
        throw new ModelError("another worker has ended this call", { retryable: false, bill: "none" });
      if (typeof answer === "object" && answer?.cap !== undefined) return new BudgetError(answer.cap);
      return ({ answered, calls, unknownBilledUpToUsd: uncertain }) => {
        if (answered !== true) ops.send({ op: "settle", key, calls, uncertain }); // an answer is settled by its `end`
      };
    },
    changed: (signal) => clock.sleep(POLL_MS, signal),
  };
}

/** Returns the entry that ended a call; undefined if there is none. Throws ModelError on any other content of the database. */
function endIn(answer: OpAnswer): Answer | Failure | undefined {
  if (typeof answer !== "object" || answer?.end === undefined) return undefined;
  const entry = jsonIn(answer.end);
  if (isEntry(entry) && (entry.t === "answer" || entry.t === "failure")) return entry as Answer | Failure;
  throw new ModelError("its end in the workers' database is none", { retryable: false, bill: "none" });
}
