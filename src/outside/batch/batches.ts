import { setMaxListeners } from "node:events";
import { BudgetError, ModelError } from "../../errors.js";
import { requestKey } from "../../log/entry.js";
import type { Log } from "../../log/log.js";
import { estimatedPromptTokens } from "../../models/tokens.js";
import { onAbort } from "../../net/deadline.js";
import { countOf, nounOf } from "../../text/count.js";
import type { Clock, Model, ModelReply, ModelRequest } from "../../types/index.js";
import { BatchQueue, lineId, NotTaken, type PendingRequest } from "./queue.js";
import { type BatchWait, findBatch, pollResults, type SentBatch, StillInBatch, sendBatch } from "./sent-batch.js";

interface BatchesSettings {
  readonly log: Log;
  readonly clock: Clock;
  /** Once aborted nothing is sent, and nobody waits for a batch, unless a cap is the reason. Aborted here where a batch cannot be collected. */
  readonly stop: AbortController;
  /** Once aborted, what is being sent is dropped, too. */
  readonly kill: AbortSignal;
  /** True when every worker waits for a reply. */
  allWait(): boolean;
  /** Prefix of the ids of batches: no two runs share it. 1 to 24 of [a-zA-Z0-9]. */
  readonly name: string;
  /** Sends requests again whose batch, or whose line in it, cannot be found or read. */
  readonly resend: boolean;
  /** Called with the number of requests in batches, once every worker waits for one. Absent: the run waits for batches. */
  onAllSent?(requests: number): void;
  tell(message: string): void;
}

/** Gathers the calls of a run's models into batches and hands out what they bring. A batch goes when all workers wait, or when it is full. */
export class Batches {
  readonly #settings: BatchesSettings;
  readonly #queues: BatchQueue[] = [];
  /** By the key of each request that has not ended. */
  readonly #batchOf = new Map<string, SentBatch>();
  readonly #followed = new Set<SentBatch>();
  readonly #abandoned = new AbortController();
  #isCheckDue = false;

  constructor(settings: BatchesSettings) {
    this.#settings = settings;
    setMaxListeners(0, this.#abandoned.signal); // every batch listens to it
    onAbort(settings.stop.signal, () => this.#stopped(settings.stop.signal.reason));
    onAbort(settings.kill, () => this.#leave());
  }

  /** Returns a model whose calls wait for batches. Throws TypeError where it has none. */
  of(model: Model): Model {
    const queue = new BatchQueue(model);
    this.#queues.push(queue);
    for (const { id, lines: count, keys, model: of, providerId } of this.#settings.log.state.batches.values())
      if (of === model.id)
        this.#add({ facts: { id, lines: count }, queue, keys: [...keys], providerId, state: "sent" });
    return { ...model, complete: (request) => this.#complete(request, queue) };
  }

  get requestsInBatches(): number {
    return this.#batchOf.size;
  }

  /** Call when a worker begins to wait. Two turns later, once others have added requests, it sends what is due. */
  check(): void {
    if (this.#isCheckDue || this.#isStopped) return;
    this.#isCheckDue = true;
    const sendDue = (): void => {
      this.#isCheckDue = false;
      if (!this.#isStopped) this.#sendDue();
    };
    setImmediate(() => setImmediate(sendDue));
  }

  get #isStopped(): boolean {
    return this.#settings.stop.signal.aborted;
  }

  #add(known: Omit<SentBatch, "tokens" | "lines" | "waiting" | "readers"> & Partial<SentBatch>): SentBatch {
    const batch: SentBatch = { tokens: 0, lines: [], waiting: new Set(), readers: undefined, ...known };
    for (const key of batch.keys) this.#batchOf.set(key, batch);
    return batch;
  }

  #complete(request: ModelRequest, queue: BatchQueue): Promise<ModelReply> {
    if (this.#isStopped) return Promise.reject(unsent(queue.model));
    const key = requestKey(queue.model.id, request);
    return new Promise((resolve, reject) => {
      const pending: PendingRequest = { key, request, tokens: estimatedPromptTokens(request), resolve, reject };
      const batch = this.#batchOf.get(key);
      if (batch === undefined) queue.pending.push(pending);
      else {
        batch.waiting.add(pending);
        if (batch.readers !== undefined) this.#answer(pending, batch);
        else if (!this.#followed.has(batch)) this.#follow(batch);
      }
      this.check();
    });
  }

  #sendDue(): void {
    const { allWait, onAllSent } = this.#settings;
    const isAllWaiting = allWait();
    for (const queue of this.#queues)
      while (queue.pending.length > 0 && (isAllWaiting || queue.pending.length >= queue.mostLines))
        if (!this.#send(queue)) break;
    const isAllSent = [...this.#followed].every(({ state }) => state === "polling");
    if (isAllWaiting && this.#followed.size > 0 && isAllSent) onAllSent?.(this.requestsInBatches);
  }

  /** Sends a batch of the first requests. Returns false where another batch must end first. */
  #send(queue: BatchQueue): boolean {
    const { log, clock, name } = this.#settings;
    const id = `${name}${log.state.batchesSent + 1}`; // none comes twice
    const { requests, lines, tokens } = queue.next(id);
    if (requests.length === 0) return false;
    const keys = requests.map(({ key }) => key);
    log.append({ t: "batch", id, model: queue.model.id, at: clock.now(), keys });
    log.sync();
    queue.pending = queue.pending.slice(requests.length);
    queue.tokensInFlight += tokens;
    const facts = { id, lines: requests.length };
    const sent = { tokens, lines, waiting: new Set(requests), providerId: undefined, state: "sending" } as const;
    this.#follow(this.#add({ facts, queue, keys, ...sent }));
    return true;
  }

  #follow(batch: SentBatch): void {
    this.#followed.add(batch);
    this.#collect(batch)
      .catch((error: unknown) => this.#failed(batch, error))
      .catch((error: unknown) => this.#settings.stop.abort(error)) // the log could not be written
      .finally(() => {
        this.#followed.delete(batch);
        this.check();
      });
  }

  async #collect(batch: SentBatch): Promise<void> {
    const { onAllSent, resend } = this.#settings;
    const wait = this.#waitOf(batch);
    const isNew = batch.state === "sending";
    const providerId = batch.providerId ?? (await this.#idOf(batch, wait));
    if (isNew && onAllSent !== undefined) await wait.poll(0); // the run ends here
    const readers = await pollResults(batch, providerId, wait);
    batch.readers = readers;
    batch.queue.ended(batch.tokens);
    const unread = batch.keys.filter((key) => !readers.has(lineId(key, batch.facts.id)));
    for (const pending of [...batch.waiting]) if (resend || !unread.includes(pending.key)) this.#answer(pending, batch);
    if (resend || unread.length === 0) return;
    const replies = countOf(batch.facts.lines, "reply", "replies");
    this.#stopFor(batch, `${unread.length} of the ${replies} of batch ${providerId} cannot be read`, unread.length);
  }

  /** Returns the provider's id of a batch that is to be sent, or whose sending got no answer. */
  async #idOf(batch: SentBatch, wait: BatchWait): Promise<string> {
    const { facts, queue } = batch;
    const id = batch.state === "sending" ? await sendBatch(batch, wait) : await findBatch(batch, wait);
    if (id === undefined) throw new NotTaken();
    this.#settings.log.append({ t: "batch", id: facts.id, providerId: id });
    this.#settings.log.sync();
    batch.providerId = id;
    batch.lines = [];
    batch.state = "sent";
    const are = nounOf(facts.lines, "is", "are");
    this.#settings.tell(`${queue.model.id}: ${countOf(facts.lines, "request")} ${are} out as batch ${id}`);
    return id;
  }

  #waitOf(batch: SentBatch): BatchWait {
    const { clock, kill, tell, onAllSent } = this.#settings;
    const abandoned = this.#abandoned.signal;
    const sleep = (ms: number): Promise<void> => clock.sleep(ms, abandoned);
    const never = (): Promise<void> => new Promise((_, reject) => onAbort(abandoned, () => reject(abandoned.reason)));
    const poll = async (ms: number): Promise<void> => {
      const { state } = batch;
      batch.state = "polling";
      this.check();
      await (onAllSent === undefined ? sleep(ms) : never());
      batch.state = state;
    };
    return { sleep, poll, kill, abandoned, tell };
  }

  /** Ends a request by what its batch brought. */
  #answer(pending: PendingRequest, batch: SentBatch): void {
    const { queue, providerId, facts, readers } = batch;
    batch.waiting.delete(pending);
    this.#batchOf.delete(pending.key);
    try {
      const read = readers?.get(lineId(pending.key, facts.id));
      const lost = `${queue.model.id}: batch ${providerId} brought no readable line for it`;
      if (read === undefined) throw new ModelError(lost, { retryable: true, bill: "due" });
      const reply = read(pending.request);
      pending.resolve({ ...reply, usage: { ...reply.usage, batch: true } });
    } catch (error) {
      pending.reject(error);
    }
  }

  async #failed(batch: SentBatch, error: unknown): Promise<void> {
    const { resend, stop } = this.#settings;
    if (this.#abandoned.signal.aborted) return abandon(batch);
    if (error instanceof NotTaken) return this.#notTaken(batch, error);
    if (!(error instanceof ModelError)) return stop.abort(error);
    const isLost = error.status === 404 || error.status === 410 || error.scope === "call";
    if (!isLost) return stop.abort(error);
    if (resend) {
      batch.readers = new Map(); // each request fails, and is tried again
      batch.queue.ended(batch.tokens);
      for (const pending of [...batch.waiting]) this.#answer(pending, batch);
      return;
    }
    const { providerId, keys } = batch;
    const what =
      providerId === undefined ? "whether it was taken cannot be told" : `batch ${providerId} cannot be read`;
    this.#stopFor(batch, `${what}: ${error.message}`, keys.length, error.status);
  }

  /** Stops the run because of requests that may have been bought, and names the command that buys them again. */
  #stopFor(batch: SentBatch, what: string, requests: number, status?: number): void {
    const are = requests === 1 ? "its request is" : `its ${requests} requests are`;
    const next = `run the same command to ask for it again; with --batch resend ${are} sent, and billed, again`;
    const text = `${batch.queue.model.id}: ${what}; ${next}`;
    this.#settings.stop.abort(new ModelError(text, { retryable: false, scope: "stop", status, bill: "none" }));
    abandon(batch);
  }

  /** Puts the requests of a batch that was not taken into the queue again, or rejects them with the reason. */
  async #notTaken(batch: SentBatch, why: NotTaken): Promise<void> {
    const { queue, facts, keys, tokens } = batch;
    const requests = [...batch.waiting];
    this.#settings.log.append({ t: "batch", id: facts.id, state: "dropped" });
    for (const key of keys) this.#batchOf.delete(key);
    if (!queue.notTaken(tokens, requests.length, why)) {
      for (const { reject } of requests) reject(why.reason);
      return;
    }
    if (why.isOverLimit && queue.tokensInFlight === 0)
      await this.#settings.clock.sleep(ACCOUNT_BUSY_MS, this.#abandoned.signal).catch(() => undefined);
    if (this.#isStopped) for (const { reject } of requests) reject(unsent(queue.model));
    else queue.pending = [...requests, ...queue.pending];
  }

  /** Rejects requests that are in no batch. Batches are waited for no more, unless a cap is the reason: they are paid for. */
  #stopped(reason: unknown): void {
    for (const queue of this.#queues) for (const { reject } of queue.pending.splice(0)) reject(unsent(queue.model));
    if (!(reason instanceof BudgetError) || this.#settings.onAllSent !== undefined) this.#leave();
  }

  #leave(): void {
    this.#abandoned.abort(new StillInBatch("no longer waited for"));
    for (const batch of this.#followed) if (batch.state !== "sending") abandon(batch);
  }
}

/** Ends the wait for a batch; a later run collects it. */
function abandon({ waiting, providerId }: SentBatch): void {
  for (const { reject } of waiting) reject(new StillInBatch(`out in ${providerId ?? "a batch"}`));
  waiting.clear();
}

/** Makes the error of a request that is not sent because the run stops. */
const unsent = ({ id }: Model): ModelError => new ModelError(`${id}: not sent`, { retryable: false, bill: "none" });

const ACCOUNT_BUSY_MS = 300_000; // other programs of the account fill the provider's queue
