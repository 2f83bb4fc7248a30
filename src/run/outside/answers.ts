import type { VectorStore } from "../../embedders/cached.js";
import { ModelError } from "../../errors.js";
import type { AnswerKind, Got, Key } from "../../log/entry.js";
import type { Log, ReadLog } from "../../log/log.js";
import { ReplayMiss, type ResponseStore } from "../../models/wrap/cached.js";
import type { Json, ModelReply, Usage } from "../../types/index.js";

/** A log that a run takes answers from (`--reuse`, `--replay`). */
export interface Reused {
  /** As it was named. */
  readonly name: string;
  readonly log: ReadLog;
  /** Models that it asked as this run does: same wire, server and abilities. */
  readonly models: ReadonlySet<string>;
  /** Whether its failures are failures of this run, too. */
  readonly isReplay: boolean;
}

/** The answers of a run: those in its own log, then those in the logs that it takes answers from, which are copied. */
export class Answers {
  readonly log: Log;
  readonly #others: readonly Reused[];
  /** Calls that failed in this process after all their tries: equal ones fail alike, unsent. */
  readonly #failed = new Map<Key, string>();
  #copied = 0;

  constructor(log: Log, others: readonly Reused[] = []) {
    this.log = log;
    this.#others = others;
  }

  /** How many answers came from other logs. */
  get copied(): number {
    return this.#copied;
  }

  /** `model`: the one that is asked, of a reply. */
  get(key: Key, model?: string): Got | undefined {
    const own = this.log.get(key);
    if (own !== undefined) return own;
    for (const { name, log, models } of this.#others) {
      const found = model === undefined || models.has(model) ? log.get(key) : undefined;
      if (found === undefined) continue;
      const copy = { ...found, from: name };
      this.log.append(copy);
      this.#copied += 1;
      return copy;
    }
    return undefined;
  }

  put(key: Key, kind: AnswerKind, value: Json): void {
    this.log.append({ t: "got", key, kind, value });
  }

  /** Why a call is not to be made: it failed in this process, or in the run that is replayed. */
  failure(key: Key): string | undefined {
    const known = this.#failed.get(key);
    if (known !== undefined) return known;
    return this.#others.flatMap(({ log, isReplay }) => (isReplay ? (log.state.failed.get(key) ?? []) : []))[0];
  }

  fail(key: Key, error: string): void {
    this.#failed.set(key, error);
    this.log.append({ t: "no", key, billed: "none", error, final: true });
  }
}

interface ReplySettings {
  readonly model: string;
  /** US dollars of a usage; undefined where no price is known. */
  price(usage: Usage): number | undefined;
  /** Milliseconds since the request of this key was sent; undefined where none was. */
  tookMs(key: Key): number | undefined;
  /** Fires when no new call may start: what fails then may not have failed by itself. */
  readonly stop: AbortSignal;
}

/** The replies of one model. */
export function repliesOf(answers: Answers, { model, price, tookMs, stop }: ReplySettings): ResponseStore {
  return {
    get: (key) => answers.get(key, model)?.value as ModelReply | undefined, // kept below
    put(key, request, reply) {
      const [usd, ms] = [price(reply.usage), reply.usage.batch === true ? undefined : tookMs(key)];
      answers.log.append({
        t: "got",
        key,
        kind: "reply",
        value: reply as unknown as Json, // a reply is JSON
        request,
        ...(usd === undefined ? {} : { usd }),
        ...(ms === undefined ? {} : { ms }),
      });
    },
    failure: (key) => answers.failure(key),
    fail(key, error) {
      const isOfCall = error instanceof ModelError && error.scope === "call";
      if (isOfCall && !(error instanceof ReplayMiss) && !stop.aborted) answers.fail(key, error.message);
    },
  };
}

/** The vectors of a run's encoders. */
export const vectorsOf = (answers: Answers): VectorStore => ({
  get: (key) => vectorIn(answers.get(key)),
  put: (key, vector) => answers.put(key, "vector", { floats: textOf(vector) }),
});

/** The vector of an answer; undefined where it holds none. */
export function vectorIn(found: Got | undefined): Float32Array | undefined {
  if (found?.kind !== "vector") return undefined;
  return floatsOf((found.value as { readonly floats: string }).floats); // as it is put
}

/** 32-bit floats, little-endian, as base64. */
function textOf(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [i, value] of vector.entries()) bytes.writeFloatLE(value, i * 4);
  return bytes.toString("base64");
}

function floatsOf(text: string): Float32Array {
  const bytes = Buffer.from(text, "base64");
  return Float32Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(i * 4));
}
