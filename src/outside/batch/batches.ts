import { setMaxListeners } from "node:events";
import { BudgetError, ModelError } from "../../errors.js";
import { requestKey } from "../../log/entry.js";
import { estimatedPromptTokens } from "../../models/tokens.js";
import { onAbort, realTimer } from "../../net/deadline.js";
import { countOf, nounOf } from "../../text/count.js";
import type { Clock, Model, ModelReply, ModelRequest } from "../../types/index.js";
import {
  type BatchWait,
  foundBatch,
  type Line,
  lineId,
  NeverTaken,
  pollResults,
  Queue,
  StillOut,
  sendWave,
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
  /** Prefix of the names of waves: no two runs share it. 1 to 24 of [a-zA-Z0-9]. */
  readonly name: string;
  /** Sends requests again where it cannot be told if they were taken, or where their replies cannot be read. */
  readonly resend: boolean;
  /** Called with the number of requests that are out, once every worker waits for a batch. Absent: the run waits for batches. */
  onAllOut?(lines: number): void;
  tell(message: string): void;
}

/** Nothing happens for so long although a worker is busy: the queue is sent without its requests. */
const LULL_MS = 10_000;
/** Wait while others of the account fill the provider's queue; MOST_REFUSALS of them are two hours. */
const BUSY_MS = 300_000;

/**
 * Gathers the calls of a run's models into waves, sends each as one batch and hands out what it brings. A wave goes when
 * nobody can go on without it, or when it is full.
 */
export class Batches {
  readonly #settings: BatchesSettings;
  readonly #wait: BatchWait;
  readonly #queues: Queue[] = [];
  /** Waves that are out, by the key of each request that is not settled. */
  readonly #waves = new Map<string, Wave>();
  readonly #followed = new Set<Wave>();
  readonly #abandoned = new AbortController();
  #wavesSent: number;
  #isDue = false;
  #cancelLull = (): void => undefined;

  constructor(settings: BatchesSettings) {
    const { clock, stop, kill, tell, onAllOut } = settings;
    const abandoned = this.#abandoned.signal;
    setMaxListeners(0, abandoned); // every wave listens to it
    this.#settings = settings;
    this.#wavesSent = settings.log.count;
    const sleep = (ms: number): Promise<void> => clock.sleep(ms, abandoned);
    const detach = (): Promise<void> => new Promise((_, reject) => onAbort(abandoned, () => reject(abandoned.reason)));
    const look = onAllOut === undefined ? sleep : detach;
    this.#wait = { sleep, look, now: () => clock.now(), kill, abandoned, tell };
    onAbort(stop.signal, () => this.#stopped(stop.signal.reason));
    onAbort(kill, () => this.#leave());
  }

  /** A model whose calls wait for batches. Throws TypeError where it has none. */
  of(model: Model): Model {
    const queue = new Queue(model);
    this.#queues.push(queue);
    for (const { keys, batch, id, sinceMs, lines, model: of } of this.#settings.log.waves)
      if (of === model.id) this.#open({ facts: { id, sinceMs, lines }, queue, keys, batch });
    return { ...model, complete: (request) => this.#complete(request, queue) };
  }

  get linesOut(): number {
    return this.#waves.size;
  }

  /** Call when a worker begins to wait. Two turns later, once others have added requests, it sends what is due. */
  check(): void {
    if (this.#isDue || this.#isStopped) return;
    this.#isDue = true;
    const turn = (): void => {
      this.#isDue = false;
      if (!this.#isStopped) this.#turn();
    };
    setImmediate(() => setImmediate(turn));
  }

  get #isStopped(): boolean {
    return this.#settings.stop.signal.aborted;
  }

  #open(known: Pick<Wave, "facts" | "queue" | "keys" | "batch"> & Partial<Wave>): Wave {
    const wave: Wave = {
      ...{ tokens: 0, texts: [], lines: new Set<Line>(), readers: undefined },
      state: "out",
      ...known,
    };
    for (const key of wave.keys) this.#waves.set(key, wave);
    return wave;
  }

  #complete(request: ModelRequest, queue: Queue): Promise<ModelReply> {
    if (this.#isStopped) return Promise.reject(unsent(queue.model));
    const key = requestKey(queue.model.id, request);
    return new Promise((resolve, reject) => {
      const line: Line = { key, request, tokens: estimatedPromptTokens(request), resolve, reject };
      const wave = this.#waves.get(key);
      const doubt = wave === undefined ? this.#doubt(queue) : undefined;
      if (doubt !== undefined) reject(doubt);
      else if (wave === undefined) queue.lines.push(line);
      else {
        wave.lines.add(line);
        if (wave.readers !== undefined) this.#settle(line, wave);
        else if (!this.#followed.has(wave)) this.#follow(wave);
      }
      this.check();
    });
  }

  /** Stops the run if the log is corrupt and may lack a sent request, unless --batch resend is set. */
  #doubt({ model }: Queue): StillOut | undefined {
    const { log, resend, stop } = this.#settings;
    if (resend || log.doubts.length === 0) return undefined;
    const what = `${model.id}: ${log.doubts.join("; ")}`;
    const error = stopping(`${what}; with --batch resend what is in no known batch is sent, and billed, again`);
    stop.abort(error);
    return new StillOut(error.message); // keeps the try open in the log: it may be billed
  }

  #turn(): void {
    const { allWait, onAllOut } = this.#settings;
    this.#cancelLull();
    const isDone = allWait();
    for (const queue of this.#queues)
      while (queue.lines.length > 0 && (isDone || queue.lines.length >= queue.mostLines)) if (!this.#send(queue)) break;
    const followed = [...this.#followed];
    if (isDone) {
      if (followed.length > 0 && followed.every(({ state }) => state === "parked")) onAllOut?.(this.linesOut);
    } else if (this.#queues.some(({ lines }) => lines.length > 0))
      this.#cancelLull = realTimer(LULL_MS, () => {
        for (const queue of this.#queues) while (!this.#isStopped && queue.lines.length > 0 && this.#send(queue));
      });
  }

  /** Sends a wave of the first lines. False where so much is out already that a batch must end first. */
  #send(queue: Queue): boolean {
    const { log, clock, name } = this.#settings;
    const id = `${name}${this.#wavesSent + 1}`;
    const { lines, texts, tokens } = queue.next(id);
    if (lines.length === 0) return false;
    const keys = lines.map(({ key }) => key);
    const facts = { id, sinceMs: clock.now(), lines: lines.length };
    log.intended(facts, queue.model.id, keys);
    this.#wavesSent += 1;
    queue.lines = queue.lines.slice(lines.length);
    queue.tokensOut += tokens;
    const known = { facts, queue, keys, batch: undefined };
    this.#follow(this.#open({ ...known, tokens, texts, lines: new Set(lines), state: "sending" }));
    return true;
  }

  #follow(wave: Wave): void {
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
    const { log, tell, onAllOut, resend } = this.#settings;
    const { facts, queue } = wave;
    const isNew = wave.state === "sending";
    const wait = { ...this.#wait, look: (ms: number) => this.#park(wave, ms) };
    if (wave.batch === undefined) {
      const batch = isNew ? await sendWave(wave, wait) : await foundBatch(wave, wait, facts.sinceMs);
      if (batch === undefined) throw new NeverTaken();
      log.created(facts.id, batch);
      Object.assign(wave, { batch, texts: [], state: "out" });
      const verb = nounOf(facts.lines, "is", "are");
      tell(`${queue.model.id}: ${countOf(facts.lines, "request")} ${verb} out as batch ${batch}`);
    }
    if (isNew && onAllOut !== undefined) await wait.look(0); // detached: the run ends here
    wave.readers = await pollResults(wave, wave.batch!, wait);
    queue.done(wave.tokens);
    const unread = wave.keys.filter((key) => !wave.readers?.has(lineId(key, facts.id)));
    for (const line of [...wave.lines]) if (resend || !unread.includes(line.key)) this.#settle(line, wave);
    if (resend || unread.length === 0) return;
    const what = `${unread.length} of the ${countOf(facts.lines, "reply", "replies")} of batch ${wave.batch} cannot be read`;
    this.#settings.stop.abort(
      stopping(`${queue.model.id}: ${what}; run the same command to read them again; ${buysAgain(unread.length)}`),
    );
    abandon(wave);
  }

  async #park(wave: Wave, ms: number): Promise<void> {
    const { state } = wave;
    wave.state = "parked";
    this.check();
    await this.#wait.look(ms).finally(() => {
      wave.state = state;
    });
  }

  #settle(line: Line, wave: Wave): void {
    const { queue, batch, facts, readers } = wave;
    wave.lines.delete(line);
    this.#waves.delete(line.key);
    try {
      const read = readers?.get(lineId(line.key, facts.id));
      const lost = `${queue.model.id}: batch ${batch} brought no readable line for it`;
      if (read === undefined) throw new ModelError(lost, { retryable: true, bill: "due" });
      const reply = read(line.request);
      line.resolve({ ...reply, usage: { ...reply.usage, batch: true } });
    } catch (error) {
      line.reject(error);
    }
  }

  async #failed(wave: Wave, error: unknown): Promise<void> {
    const { resend, stop, tell } = this.#settings;
    const { queue, batch, keys } = wave;
    if (this.#abandoned.signal.aborted) return abandon(wave);
    if (error instanceof NeverTaken) return this.#notTaken(wave, error);
    const isGone =
      error instanceof ModelError && (error.status === 404 || error.status === 410 || error.scope === "call");
    if (!isGone) return stop.abort(error);
    if (resend) {
      tell(`${error.message}; ${countOf(keys.length, "request")} ${nounOf(keys.length, "is", "are")} sent again`);
      return this.#notTaken(wave, new NeverTaken());
    }
    const what = batch === undefined ? "whether it was taken cannot be told" : `batch ${batch} cannot be read`;
    const text = `${queue.model.id}: ${what}: ${error.message}; ${buysAgain(keys.length)}`;
    stop.abort(stopping(text, error.status));
  }

  /** Its lines go out anew, or fail, as the reason says. */
  async #notTaken(wave: Wave, why: NeverTaken): Promise<void> {
    const { queue, facts, keys, tokens } = wave;
    const lines = [...wave.lines];
    this.#settings.log.dropped(facts.id);
    for (const key of keys) this.#waves.delete(key);
    if (!queue.notTaken(tokens, lines.length, why)) {
      for (const line of lines) line.reject(why.reason);
      return;
    }
    if (why.overLimit && queue.tokensOut === 0) await this.#wait.sleep(BUSY_MS).catch(() => undefined);
    if (this.#isStopped) for (const line of lines) line.reject(unsent(queue.model));
    else queue.lines = [...lines, ...queue.lines];
  }

  /** Lines in no wave are not sent. Batches are waited for no more, unless a cap is the reason: what is out is paid for. */
  #stopped(reason: unknown): void {
    this.#cancelLull();
    for (const queue of this.#queues) for (const line of queue.lines.splice(0)) line.reject(unsent(queue.model));
    if (!(reason instanceof BudgetError) || this.#settings.onAllOut !== undefined) this.#leave();
  }

  #leave(): void {
    this.#abandoned.abort(new StillOut("no longer waited for"));
    for (const wave of this.#followed) if (wave.state !== "sending") abandon(wave);
  }
}

/** Its lines stay out; a later run asks for them. */
function abandon(wave: Wave): void {
  for (const line of wave.lines) line.reject(new StillOut(`out in ${wave.batch ?? "a batch"}`));
  wave.lines.clear();
}

/** Makes the error of a request that is not sent because the run stops. */
const unsent = ({ id }: Model): ModelError => new ModelError(`${id}: not sent`, { retryable: false, bill: "none" });

const buysAgain = (requests: number): string =>
  `with --batch resend ${requests === 1 ? "its request is" : `its ${requests} requests are`} sent, and billed, again`;

const stopping = (text: string, status?: number): ModelError =>
  new ModelError(text, { retryable: false, scope: "stop", status, bill: "none" });
