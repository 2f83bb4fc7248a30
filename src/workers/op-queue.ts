import { UsageError } from "../errors.js";
import { onAbort } from "../net/deadline.js";
import { knownSecrets } from "../net/secrets.js";
import { Interrupted } from "../outside/stops.js";
import type { World } from "../run/world.js";
import type { Applied } from "./database.js";

/** One operation of the SQL function `apply_ops` (schema.ts). */
type Op = { readonly op: string; readonly content?: string } & Readonly<Record<string, unknown>>;
export type DatabaseReply =
  | string
  | number
  | null
  | { readonly end?: string; readonly after?: number; readonly cap?: string };

interface PendingOp {
  readonly op: Op;
  /** It begins something: once the worker stops, it is refused. */
  readonly begins: boolean;
  resolve(answer: DatabaseReply): void;
  reject(reason: unknown): void;
}

export type OpQueue = ReturnType<typeof openOpQueue>;

/**
 * Opens what a worker asks and tells of one run. What comes up while a statement is out goes with the next one, in order and in one
 * transaction. While the database is away all of it waits here: nothing new starts, and answers are kept when it is back.
 */
export function openOpQueue({ io, stops }: World, apply: (ops: readonly Op[]) => Promise<Applied<DatabaseReply>>) {
  const secrets = knownSecrets(io.env); // they may stand in no entry
  const { signal: stop } = stops.stop; // once it fires nothing is begun; what came in is still told
  let waiting: PendingOp[] = [];
  let out: Promise<void> | undefined;
  const send = async (): Promise<void> => {
    await Promise.resolve(); // what comes up in the same moment goes together
    while (waiting.length > 0) {
      const batch = waiting.splice(0);
      try {
        const { state, answers = [] } = await apply(batch.map(({ op }) => op));
        if (state !== "open") stops.stop.abort(new Interrupted());
        for (const [i, { resolve }] of batch.entries()) resolve(answers[i] ?? (state === "deleted" ? "stopped" : null));
      } catch (error) {
        for (const { reject } of [...batch, ...waiting.splice(0)]) reject(error);
      }
    }
    out = undefined;
  };
  /** Ends when the operation is done, also after the worker was told to stop. */
  const ask = async (op: Op, begins = false): Promise<DatabaseReply> => {
    if (secrets.some((secret) => op.content?.includes(secret)))
      throw new UsageError("an entry would hold a key or login of the environment; nothing was written");
    return new Promise((resolve, reject) => {
      waiting.push({ op, begins, resolve, reject });
      out ??= send();
    });
  };
  onAbort(stop, () => {
    for (const { begins, reject } of waiting) if (begins) reject(stop.reason);
    waiting = waiting.filter(({ begins }) => !begins);
  });
  return {
    ask,
    /** Asks for something that begins. Throws once the worker stops. */
    async begin(op: Op): Promise<DatabaseReply> {
      stop.throwIfAborted();
      const answer = await ask(op, true);
      if (answer === "stopped") stop.throwIfAborted(); // `send` has stopped it
      return answer;
    },
    tell: (op: Op): void => void ask(op).catch(() => undefined), // the process ends without it
    /** Ends when everything that was told is there. */
    async flushed(): Promise<void> {
      while (out !== undefined) await out;
    },
  };
}
