import { UsageError } from "../errors.js";
import type { Key } from "../log/entry.js";
import { onAbort } from "../net/deadline.js";
import { knownSecrets } from "../net/secrets.js";
import { Interrupted } from "../outside/stops.js";
import type { World } from "../run/world.js";
import type { Applied } from "./database.js";

/** An operation of the SQL function `apply_ops` (schema.ts). `content` is an entry of the log, as JSON. */
type Op =
  /** Claims a call for this worker. Answers `mine`, `wait` while another worker has it, or how it ended. */
  | { readonly op: "claim"; readonly key: Key }
  /** Gives up a claim without a try in flight. */
  | { readonly op: "release"; readonly key: Key }
  /** Starts a try that costs at most `usd`. Answers `go`, `later` while tries in flight may pass a cap, `ended`, or the cap. */
  | { readonly op: "take"; readonly key: Key; readonly attempt: number; readonly usd: number; readonly content: string }
  /** Ends a try without an answer: `calls` is 1 if it counts as billable, `uncertain` the US dollars that it may have cost. */
  | { readonly op: "settle"; readonly key: Key; readonly calls: number; readonly uncertain: number }
  /** Ends a call. Answers the entry that counts if another worker was first. */
  | { readonly op: "end"; readonly key: Key; readonly usd: number | undefined; readonly content: string }
  /** Adds an entry to the log. */
  | { readonly op: "log"; readonly content: string }
  /** Reserves the start of a call under the account's limits a minute. Answers how long to wait for it, or for asking again. */
  | {
      readonly op: "start";
      readonly account: string;
      readonly input: number;
      readonly output: number;
      readonly perMinute: object;
    }
  /** Lets no call of an account start for so many milliseconds. */
  | { readonly op: "hold"; readonly account: string; readonly ms: number };

/** A number: milliseconds until the operation can be repeated. `after`: milliseconds until the call may start. `end`: the entry that ended a call. */
export type OpAnswer =
  | "mine"
  | "wait"
  | "go"
  | "later"
  | "ended"
  | "stopped"
  | number
  | null
  | { readonly end?: string; readonly after?: number; readonly cap?: string };

interface PendingOp {
  readonly op: Op;
  /** True if the operation starts something: then it is rejected once the worker stops. */
  readonly isStart: boolean;
  resolve(answer: OpAnswer): void;
  reject(reason: unknown): void;
}

export type OpQueue = ReturnType<typeof openOpQueue>;

/**
 * Opens a worker's queue of operations on one run. Operations that are added while a statement is in work go together with the next one, in
 * order and in one transaction. While the database cannot be reached, all of them wait.
 */
export function openOpQueue({ io, stops }: World, apply: (ops: readonly Op[]) => Promise<Applied<OpAnswer>>) {
  const secrets = knownSecrets(io.env);
  const { signal: stop } = stops.stop;
  let pending: PendingOp[] = [];
  let sending: Promise<void> | undefined;
  const sendAll = async (): Promise<void> => {
    await Promise.resolve(); // operations of the same moment go together
    while (pending.length > 0) {
      const batch = pending.splice(0);
      try {
        const { state, answers = [] } = await apply(batch.map(({ op }) => op));
        if (state !== "open") stops.stop.abort(new Interrupted());
        const usual = state === "deleted" ? "stopped" : null;
        for (const [i, { resolve }] of batch.entries()) resolve(answers[i] ?? usual);
      } catch (error) {
        for (const { reject } of [...batch, ...pending.splice(0)]) reject(error);
      }
    }
    sending = undefined;
  };
  const add = async (op: Op, isStart: boolean): Promise<OpAnswer> => {
    if ("content" in op && secrets.some((secret) => op.content.includes(secret)))
      throw new UsageError("an entry would hold a key or login of the environment; nothing was written");
    return new Promise((resolve, reject) => {
      pending.push({ op, isStart, resolve, reject });
      sending ??= sendAll();
    });
  };
  onAbort(stop, () => {
    for (const { isStart, reject } of pending) if (isStart) reject(stop.reason);
    pending = pending.filter(({ isStart }) => !isStart);
  });
  return {
    /** Executes an operation, also once the worker stops. Returns its answer. */
    ask: (op: Op): Promise<OpAnswer> => add(op, false),
    /** Executes an operation that starts something. Throws once the worker stops. */
    async begin(op: Op): Promise<OpAnswer> {
      stop.throwIfAborted();
      const answer = await add(op, true);
      if (answer === "stopped") stop.throwIfAborted(); // `sendAll` has aborted it
      return answer;
    },
    /** Executes an operation whose answer nobody needs. */
    send: (op: Op): void => void add(op, false).catch(() => undefined), // the process ends without it
    /** Waits until all operations are executed. */
    async flushed(): Promise<void> {
      while (sending !== undefined) await sending;
    },
  };
}
