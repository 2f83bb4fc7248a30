import { setMaxListeners } from "node:events";
import { BudgetError, ModelError } from "../../errors.js";
import { onAbort, realTimer } from "../../net/deadline.js";
import { nounOf } from "../../text/count.js";
import type { Clock, LineReader, Model, ModelReply, ModelRequest } from "../../types/index.js";
import { estimatedPromptTokens } from "../bytes-per-token.js";
import { requestKey } from "../wrap/cached.js";
import {
  brought,
  foundBatch,
  type KnownWave,
  type Line,
  learnDone,
  learnNotTaken,
  lineId,
  NeverTaken,
  nextLines,
  openQueue,
  type Patience,
  type Queue,
  StillOut,
  sent,
  type Wave,
  type WaveLog,
} from "./waves.js";

interface BatchesSettings {
  readonly log: WaveLog;
  readonly clock: Clock;
  /** Once aborted nothing is sent, and nobody waits for a batch, unless a cap is the reason. Aborted here where batches cannot be reached. */
  readonly stop: AbortController;
  /** Aborted: what is being sent is dropped, too. */
  readonly kill: AbortSignal;
  /** True when every worker waits for a reply. */
  allWait(): boolean;
  /** How the names of waves begin: no two runs share it. 1 to 24 of [a-zA-Z0-9]. */
  readonly name: string;
  /** Whether requests are sent again where it cannot be told if they were taken, or where their batch is gone. */
  readonly again: boolean;
  /** Called with the number of requests that are out, once every worker waits for a batch. Absent: the run waits for batches. */
  onAllOut?(lines: number): void;
  tell(line: string): void;
}

/**
 * Gathers the calls of a run's models into waves, sends each as one batch and hands out what it brings. A wave goes when
 * nobody can go on without it, or when it is full.
 */
export class Batches {
  readonly #settings: BatchesSettings;
  readonly #patience: Patience;
  readonly #queues: Queue[] = [];
  /** Waves that are out, by the key of each request that is not settled. */
  readonly #waves = new Map<string, Wave>();
  readonly #followed = new Set<Wave>();
  readonly #left = new AbortController();
  #wavesSent: number;
  #isDue = false;
  #cancelLull = (): void => undefined;

  constructor(settings: BatchesSettings) {
    const { clock, stop, kill, tell, onAllOut } = settings;
    const left = this.#left.signal;
    setMaxListeners(0, left); // every wave listens to it
    this.#settings = settings;
    this.#wavesSent = settings.log.count;
    const sleep = (ms: number): Promise<void> => clock.sleep(ms, left);
    const look = onAllOut === undefined ? sleep : (): Promise<void> => untilAborted(left);
    this.#patience = { sleep, look, now: () => clock.now(), kill, left, tell };
    onAbort(stop.signal, () => this.#stopped(stop.signal.reason));
    onAbort(kill, () => this.#leave());
  }

  /** A model whose calls wait for batches. Throws TypeError where it has none. */
  of(model: Model): Model {
    const queue = openQueue(model);
    this.#queues.push(queue);
    for (const wave of this.#settings.log.waves) if (wave.model === model.id) this.#takeUp(wave, queue);
    return { ...model, complete: (request) => this.#complete(request, queue) };
  }

  get linesOut(): number {
    return this.#waves.size;
  }

  /** To be called whenever a worker begins to wait: once all others have gone on, it looks whether a wave is to be sent. */
  check(): void {
    const { stop } = this.#settings;
    if (this.#isDue || stop.signal.aborted) return;
    this.#isDue = true;
    const turn = (): void => {
      this.#isDue = false;
      if (!stop.signal.aborted) this.#turn();
    };
    setImmediate(() => setImmediate(turn));
  }

  #takeUp({ keys, batch, id, sinceMs, lines }: KnownWave, queue: Queue): void {
    const wave: Wave = {
      ...{ facts: { id, sinceMs, lines }, queue, keys, tokens: 0, texts: [], batch, lines: new Set<Line>() },
      ...{ isFollowed: false, isLeaving: false, isParked: false, readers: undefined },
    };
    for (const key of keys) this.#waves.set(key, wave);
  }

  #complete(request: ModelRequest, queue: Queue): Promise<ModelReply> {
    if (this.#settings.stop.signal.aborted) return Promise.reject(unsent(queue.model));
    const key = requestKey(queue.model.id, request);
    return new Promise((resolve, reject) => {
      const line: Line = { key, request, tokens: estimatedPromptTokens(request), resolve, reject };
      const wave = this.#waves.get(key);
      const doubt = wave === undefined ? this.#doubt(queue) : undefined;
      if (doubt !== undefined) reject(doubt);
      else if (wave === undefined) queue.lines.push(line);
      else this.#attach(line, wave);
      this.check();
    });
  }

  /** Stops the run where a request in no known wave may be out all the same, unless that was said to be no matter. */
  #doubt({ model }: Queue): StillOut | undefined {
    const { log, again, stop } = this.#settings;
    if (again || log.doubts.length === 0) return undefined;
    const what = `${model.id}: ${log.doubts.join("; ")}`;
    const error = new ModelError(`${what}; with --batch resend what is in no known batch is sent, and billed, again`, {
      ...{ retryable: false, scope: "stop", bill: "none" },
    });
    stop.abort(error);
    return new StillOut(error.message); // an end of its try would be an end of the doubt
  }

  #attach(line: Line, wave: Wave): void {
    wave.lines.add(line);
    if (wave.readers !== undefined) this.#settle(line, wave, wave.readers);
    else if (!wave.isFollowed) this.#follow(wave);
  }

  #turn(): void {
    const { allWait, onAllOut } = this.#settings;
    this.#cancelLull();
    const everybody = allWait();
    for (const queue of this.#queues)
      while (queue.lines.length > 0 && (everybody || queue.lines.length >= queue.mostLines))
        if (!this.#send(queue)) break;
    if (everybody) {
      const followed = [...this.#followed];
      if (followed.length > 0 && followed.every(({ isParked }) => isParked)) onAllOut?.(this.linesOut);
    } else if (this.#queues.some(({ lines }) => lines.length > 0))
      this.#cancelLull = realTimer(LULL_MS, () => this.#sendAll());
  }

  /** After a long time without news: a worker waits for something else than replies. */
  #sendAll(): void {
    if (this.#settings.stop.signal.aborted) return;
    for (const queue of this.#queues) while (queue.lines.length > 0 && this.#send(queue));
  }

  /** Sends a wave of the first lines. False where so much is out already that a batch must end first. */
  #send(queue: Queue): boolean {
    const { log, clock, name } = this.#settings;
    const id = `${name}${this.#wavesSent + 1}`;
    const { lines, texts, tokens } = nextLines(queue, id);
    if (lines.length === 0) return false;
    const keys = lines.map(({ key }) => key);
    const facts = { id, sinceMs: clock.now(), lines: lines.length };
    log.intended(facts, queue.model.id, keys);
    this.#wavesSent += 1;
    queue.lines = queue.lines.slice(lines.length);
    queue.tokensOut += tokens;
    const wave: Wave = {
      ...{ facts, queue, keys, tokens, texts, batch: undefined, lines: new Set(lines) },
      ...{ isFollowed: false, isLeaving: true, isParked: false, readers: undefined },
    };
    for (const key of keys) this.#waves.set(key, wave);
    this.#follow(wave);
    return true;
  }

  #follow(wave: Wave): void {
    wave.isFollowed = true;
    this.#followed.add(wave);
    this.#bring(wave)
      .catch((error: unknown) => this.#failed(wave, error))
      .catch((error: unknown) => this.#settings.stop.abort(error)) // no record of it could be written
      .finally(() => {
        this.#followed.delete(wave);
        this.check();
      });
  }

  async #bring(wave: Wave): Promise<void> {
    const { log, tell, onAllOut } = this.#settings;
    const { facts, queue, isLeaving: isNew } = wave;
    const patience = { ...this.#patience, look: (ms: number) => this.#parked(wave, ms) };
    if (wave.batch === undefined) {
      const batch = isNew ? await sent(wave, patience) : await foundBatch(wave, patience, facts.sinceMs);
      if (batch === undefined) throw new NeverTaken();
      log.created(facts.id, batch);
      Object.assign(wave, { batch, texts: [], isLeaving: false });
      tell(
        `${queue.model.id}: ${facts.lines} ${nounOf(facts.lines, "request is", "requests are")} out as batch ${batch}`,
      );
    }
    if (isNew && onAllOut !== undefined) await patience.look(0);
    wave.readers = await brought(wave, wave.batch ?? "", patience);
    learnDone(queue, wave.tokens);
    for (const line of [...wave.lines]) this.#settle(line, wave, wave.readers);
  }

  async #parked(wave: Wave, ms: number): Promise<void> {
    wave.isParked = true;
    this.check();
    await this.#patience.look(ms).finally(() => {
      wave.isParked = false;
    });
  }

  #settle(line: Line, wave: Wave, readers: ReadonlyMap<string, LineReader>): void {
    wave.lines.delete(line);
    this.#waves.delete(line.key);
    try {
      const read = readers.get(lineId(line.key, wave.facts.id));
      if (read === undefined) throw missing(wave);
      const reply = read(line.request);
      line.resolve({ ...reply, usage: { ...reply.usage, batch: true } });
    } catch (error) {
      line.reject(error);
    }
  }

  async #failed(wave: Wave, error: unknown): Promise<void> {
    const { again, stop, tell } = this.#settings;
    if (this.#left.signal.aborted) return abandon(wave);
    if (error instanceof NeverTaken) return this.#notTaken(wave, error);
    if (!(error instanceof ModelError)) return stop.abort(error);
    const isGone = error.status === 404 || error.status === 410 || error.scope === "call";
    if (isGone && again) {
      tell(
        `${error.message}; ${wave.keys.length} ${nounOf(wave.keys.length, "request is", "requests are")} sent again`,
      );
      return this.#notTaken(wave, new NeverTaken());
    }
    stop.abort(isGone ? gone(wave, error) : error);
  }

  /** Its lines go out anew, or fail, as the reason says. */
  async #notTaken(wave: Wave, why: NeverTaken): Promise<void> {
    const { queue, facts, keys, tokens } = wave;
    const lines = [...wave.lines];
    this.#settings.log.dropped(facts.id);
    for (const key of keys) this.#waves.delete(key);
    if (!learnNotTaken(queue, { tokens, lines: lines.length }, why)) {
      for (const line of lines) line.reject(why.reason);
      return;
    }
    if (why.overLimit && queue.tokensOut === 0) await this.#patience.sleep(BUSY_MS).catch(() => undefined);
    if (this.#settings.stop.signal.aborted) for (const line of lines) line.reject(unsent(queue.model));
    else queue.lines = [...lines, ...queue.lines];
  }

  /** Lines in no wave are not sent. Batches are waited for no more, unless a cap is the reason: what is out is paid for. */
  #stopped(reason: unknown): void {
    this.#cancelLull();
    for (const queue of this.#queues) {
      for (const line of queue.lines) line.reject(unsent(queue.model));
      queue.lines = [];
    }
    if (!(reason instanceof BudgetError) || this.#settings.onAllOut !== undefined) this.#leave();
  }

  #leave(): void {
    this.#left.abort(new StillOut("no longer waited for"));
    for (const wave of this.#followed) if (!wave.isLeaving) abandon(wave);
  }
}

/** Nothing happens for so long although a worker is busy: the queue is sent without its requests. */
const LULL_MS = 10_000;
/** Others of the account fill its queue; some two hours of it. */
const BUSY_MS = 300_000;

/** Its lines stay out; a later run asks for them. */
function abandon(wave: Wave): void {
  for (const line of wave.lines) line.reject(new StillOut(`out in ${wave.batch ?? "a batch"}`));
  wave.lines.clear();
}

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => onAbort(signal, () => reject(signal.reason)));

/** The run stops. */
const unsent = ({ id }: Model): ModelError => new ModelError(`${id}: not sent`, { retryable: false, bill: "none" });

/** The batch has ended without it. */
const missing = ({ queue, batch }: Wave): ModelError =>
  new ModelError(`${queue.model.id}: batch ${batch} brought no readable line for it`, { retryable: true, bill: "due" });

/** Whether the provider still has the wave, or ever had it, cannot be found out. */
const gone = ({ queue, batch, keys }: Wave, error: ModelError): ModelError => {
  const what = batch === undefined ? "whether it was taken cannot be told" : `batch ${batch} cannot be read`;
  return new ModelError(
    `${queue.model.id}: ${what}: ${error.message}; with --batch resend ${keys.length === 1 ? "its request is" : `its ${keys.length} requests are`} sent, and billed, again`,
    { retryable: false, scope: "stop", status: error.status, bill: "none" },
  );
};
