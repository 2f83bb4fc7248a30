import type { VectorStore } from "../../embedders/cached.js";
import { ModelError } from "../../errors.js";
import type { AnswerKind, Failure, Got, Key } from "../../log/entry.js";
import type { Log, ReadLog } from "../../log/log.js";
import { failedAlike, ReplayMiss, type ResponseStore } from "../../models/wrap/cached.js";
import type { Json, ModelReply, ModelRequest, Usage } from "../../types/index.js";

/** A log that a run takes answers from (`--reuse`, `--replay`). */
export interface Reused {
  /** As it was named. */
  readonly name: string;
  readonly log: ReadLog;
  /** Models that it asked as this run does: same wire, server and abilities. */
  readonly models: Pick<ReadonlySet<string>, "has">;
  /** Whether its failures are failures of this run, too. */
  readonly isReplay: boolean;
}

/** Answers that several processes buy, each once. Whoever ends a key first, by an answer or a failure, decides for all. */
export interface SharedAnswers {
  /** How another process has ended the key by now; undefined: this one is to ask, and then to `end` or `release` it. */
  claim(key: Key, signal: AbortSignal): Promise<Got | Failure | undefined>;
  /** Returns the end that counts, once it is kept. */
  end(entry: Got | Failure): Promise<Got | Failure>;
  /** Nothing came of a claim. */
  release(key: Key): void;
}

/** The answers of a run: those in its own log, then those in the logs that it takes answers from, which are copied. */
export class Answers {
  readonly log: Log;
  readonly #others: readonly Reused[];
  /** Calls that failed in this process after all their tries: equal ones fail alike, unsent. */
  readonly #failed = new Map<Key, Failure>();
  #copied = 0;

  /** Where several processes buy. */
  readonly shared: SharedAnswers | undefined;

  constructor(log: Log, others: readonly Reused[] = [], shared?: SharedAnswers) {
    this.log = log;
    this.#others = others;
    this.shared = shared;
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
    return this.failed(key)?.error;
  }

  /** The failure of such a call. */
  failed(key: Key): Failure | undefined {
    const known = this.#failed.get(key);
    if (known !== undefined) return known;
    return this.#others.flatMap(({ log, isReplay }) => (isReplay ? (log.state.failed.get(key) ?? []) : []))[0];
  }

  fail(failure: Failure): void {
    this.#failed.set(failure.key, failure);
    this.log.append(failure);
  }

  /** Ends a key, and returns the end that counts: another process may have been first. */
  async end(entry: Got | Failure): Promise<Got | Failure> {
    if (this.shared !== undefined) return this.shared.end(entry);
    if (entry.t === "no") this.fail(entry);
    else if (this.get(entry.key) === undefined) this.log.append(entry);
    return entry;
  }

  /** Failures in the log are failures of this process, too. */
  keepFailures(): void {
    for (const [key, failure] of this.log.state.failed) this.#failed.set(key, failure);
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
  const { shared } = answers;
  const gotOf = (key: Key, request: ModelRequest, reply: ModelReply): Got => {
    const [usd, ms] = [price(reply.usage), reply.usage.batch === true ? undefined : tookMs(key)];
    return {
      t: "got",
      key,
      kind: "reply",
      value: reply as unknown as Json, // a reply is JSON
      request,
      ...(usd === undefined ? {} : { usd }),
      ...(ms === undefined ? {} : { ms }),
    };
  };
  const isFailure = (error: unknown): error is ModelError =>
    error instanceof ModelError && error.scope === "call" && !(error instanceof ReplayMiss) && !stop.aborted;
  return {
    get: (key) => replyIn(answers.get(key, model)),
    async claim(key, signal) {
      const failure = answers.failed(key);
      if (failure !== undefined) throw failedAlike(failure.error);
      return replyOf(await shared?.claim(key, signal));
    },
    put(key, request, reply) {
      const got = gotOf(key, request, reply);
      if (shared !== undefined) return shared.end(got).then(replyOf);
      answers.log.append(got);
      return undefined;
    },
    async failed(key, error) {
      if (!isFailure(error)) {
        shared?.release(key);
        return undefined;
      }
      const end = await answers.end({ t: "no", key, billed: "none", error: error.message, final: true });
      return end.t === "no" && end.error === error.message ? undefined : replyOf(end);
    },
  };
}

/** The reply that an answer is; undefined where it is none, as a log of somebody else may have it. */
function replyIn(found: Got | undefined): ModelReply | undefined {
  const value = found?.value as Partial<ModelReply> | null | undefined;
  return typeof value?.text === "string" && Number.isFinite(value.usage?.in) ? (value as ModelReply) : undefined;
}

/** The reply that ended a key. Throws where a failure did. */
function replyOf(end: Got | Failure | undefined): ModelReply | undefined {
  if (end?.t === "no") throw failedAlike(end.error);
  return end?.value as ModelReply | undefined; // `gotOf` made it
}

/** The vectors of a run's encoders. */
export const vectorsOf = (answers: Answers): VectorStore => ({
  get: (key) => vectorIn(answers.get(key)),
  put: (key, vector) => answers.log.append(gotVector(key, vector)),
});

/** The answer that a vector is. */
export const gotVector = (key: Key, vector: Float32Array): Got => ({
  t: "got",
  key,
  kind: "vector",
  value: { floats: textOf(vector) },
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
