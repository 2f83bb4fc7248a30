import { setMaxListeners } from "node:events";
import { BudgetError, ModelError } from "../../errors.js";
import { requestKey } from "../../log/entry.js";
import type { Log } from "../../log/log.js";
import { estimatedPromptTokens } from "../../models/tokens.js";
import { onAbort } from "../../net/deadline.js";
import { countOf, nounOf } from "../../text/count.js";
import type { Clock, Model, ModelReply, ModelRequest } from "../../types/index.js";
import { BatchQueue, BatchRejected, lineId, type PendingRequest } from "./queue.js";
import { type BatchWait, findBatch, pollResults, type SentBatch, StillInBatch, sendBatch } from "./sent-batch.js";

interface BatchesSettings {
  readonly log: Log;
  readonly clock: Clock;
  /** Once aborted, nothing is sent and no batch is waited for, unless a cap is the reason. Aborted here where a batch cannot be collected. */
  readonly stop: AbortController;
  /** Once aborted, a batch that is being sent is dropped too. */
  readonly kill: AbortSignal;
  /** Tells whether every task of the run waits for a reply. */
  allWait(): boolean;
  /** Prefix of the ids of batches, unique to the run. 1 to 24 of [a-zA-Z0-9]. */
  readonly name: string;
  /** Requests whose batch, or whose line in it, cannot be found or read are sent again (`--batch resend`). */
  readonly resend: boolean;
  /** Called with the number of requests in batches once all tasks wait for one (`--batch detach`). Absent: the run waits for its batches. */
  onAllSent?(requests: number): void;
  tell(message: string): void;
}

/** Collects the calls of a run's models into batches, and returns their replies. A batch is sent when all tasks wait, or when it is full. */
export class Batches {
  readonly #settings: BatchesSettings;
  readonly #queues: BatchQueue[] = [];
  /** By the key of each request without a reply. */
  readonly #batchOf = new Map<string, SentBatch>();
  /** Batches that are being sent or waited for. */
  readonly #followed = new Set<SentBatch>();
  /** Aborted when no batch is waited for any more. */
  readonly #abandoned = new AbortController();
  #isCheckDue = false;

  constructor(settings: BatchesSettings) {
    this.#settings = settings;
    setMaxListeners(0, this.#abandoned.signal); // every batch listens to it
    onAbort(settings.stop.signal, () => this.#onStop(settings.stop.signal.reason));
    onAbort(settings.kill, () => this.#abandonAll());
  }

  /** Returns a model whose calls wait for batches. Throws TypeError if its provider has none. */
  of(model: Model): Model {
    const queue = new BatchQueue(model);
    this.#queues.push(queue);
    for (const { id, lines, keys, providerId, ...batch } of this.#settings.log.state.batches.values())
      if (batch.model === model.id)
        this.#add({ facts: { id, lines }, queue, keys: [...keys], providerId, state: "sent" });
    return { ...model, complete: (request) => this.#complete(request, queue) };
  }

  get requestsInBatches(): number {
    return this.#batchOf.size;
  }

  /** Sends the batches that are due, two turns of the event loop later: other tasks may add requests until then. */
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

  #add(fields: Omit<SentBatch, "tokens" | "lines" | "waiting" | "readers"> & Partial<SentBatch>): SentBatch {
    const batch: SentBatch = { tokens: 0, lines: [], waiting: new Set(), readers: undefined, ...fields };
    for (const key of batch.keys) this.#batchOf.set(key, batch);
    return batch;
  }

  #complete(request: ModelRequest, queue: BatchQueue): Promise<ModelReply> {
    if (this.#isStopped) return Promise.reject(notSent(queue.model));
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

  /** Sends a batch of the first pending requests. Returns false where another batch must end first. */
  #send(queue: BatchQueue): boolean {
    const { log, clock, name } = this.#settings;
    const id = `${name}${log.state.batchesSent + 1}`; // ids are unique
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
    if (isNew && onAllSent !== undefined) await wait.poll(0); // never resolves: the run ends
    const readers = await pollResults(batch, providerId, wait);
    batch.readers = readers;
    batch.queue.ended(batch.tokens);
    const unread = batch.keys.filter((key) => !readers.has(lineId(key, batch.facts.id)));
    for (const pending of [...batch.waiting]) if (resend || !unread.includes(pending.key)) this.#answer(pending, batch);
    if (resend || unread.length === 0) return;
    const replies = countOf(batch.facts.lines, "reply", "replies");
    this.#stopFor(batch, `${unread.length} of the ${replies} of batch ${providerId} cannot be read`, unread.length);
  }

  /** Sends a batch, or looks for one whose sending got no answer. Returns the provider's id. */
  async #idOf(batch: SentBatch, wait: BatchWait): Promise<string> {
    const { facts, queue } = batch;
    const id = batch.state === "sending" ? await sendBatch(batch, wait) : await findBatch(batch, wait);
    if (id === undefined) throw new BatchRejected();
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

  /** Ends a request by the result of its batch. */
  #answer(pending: PendingRequest, batch: SentBatch): void {
    const { queue, providerId, facts, readers } = batch;
    batch.waiting.delete(pending);
    this.#batchOf.delete(pending.key);
    try {
      const read = readers?.get(lineId(pending.key, facts.id));
      const missing = `${queue.model.id}: batch ${providerId} brought no readable line for it`;
      if (read === undefined) throw new ModelError(missing, { retryable: true, bill: "due" });
      const reply = read(pending.request);
      pending.resolve({ ...reply, usage: { ...reply.usage, batch: true } });
    } catch (error) {
      pending.reject(error);
    }
  }

  async #failed(batch: SentBatch, error: unknown): Promise<void> {
    const { resend, stop } = this.#settings;
    if (this.#abandoned.signal.aborted) return abandon(batch);
    if (error instanceof BatchRejected) return this.#rejected(batch, error);
    if (!(error instanceof ModelError)) return stop.abort(error);
    if (error.status !== 404 && error.status !== 410 && error.scope !== "call") return stop.abort(error);
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

  /** Stops the run because of requests that may have been billed. The message names the command that sends them again. */
  #stopFor(batch: SentBatch, what: string, requests: number, status?: number): void {
    const are = requests === 1 ? "its request is" : `its ${requests} requests are`;
    const next = `run the same command to ask for it again; with --batch resend ${are} sent, and billed, again`;
    const text = `${batch.queue.model.id}: ${what}; ${next}`;
    this.#settings.stop.abort(new ModelError(text, { retryable: false, scope: "stop", status, bill: "none" }));
    abandon(batch);
  }

  /** Queues the requests of a rejected batch again, or rejects them with the reason. */
  async #rejected(batch: SentBatch, why: BatchRejected): Promise<void> {
    const { queue, facts, keys, tokens } = batch;
    const requests = [...batch.waiting];
    this.#settings.log.append({ t: "batch", id: facts.id, state: "dropped" });
    for (const key of keys) this.#batchOf.delete(key);
    if (!queue.rejected(tokens, requests.length, why)) {
      for (const { reject } of requests) reject(why.reason);
      return;
    }
    if (why.isOverLimit && queue.tokensInFlight === 0)
      await this.#settings.clock.sleep(ACCOUNT_BUSY_MS, this.#abandoned.signal).catch(() => undefined);
    if (this.#isStopped) for (const { reject } of requests) reject(notSent(queue.model));
    else queue.pending = [...requests, ...queue.pending];
  }

  /** Rejects the requests that are in no batch. At a cap, batches are still waited for: they are billed. */
  #onStop(reason: unknown): void {
    for (const queue of this.#queues) for (const { reject } of queue.pending.splice(0)) reject(notSent(queue.model));
    if (!(reason instanceof BudgetError) || this.#settings.onAllSent !== undefined) this.#abandonAll();
  }

  #abandonAll(): void {
    this.#abandoned.abort(new StillInBatch("no longer waited for"));
    for (const batch of this.#followed) if (batch.state !== "sending") abandon(batch);
  }
}

/** Ends the wait for a batch. A later process collects it. */
function abandon({ waiting, providerId }: SentBatch): void {
  for (const { reject } of waiting) reject(new StillInBatch(`out in ${providerId ?? "a batch"}`));
  waiting.clear();
}

/** Returns the error of a request that is not sent because the run stops. */
const notSent = ({ id }: Model): ModelError => new ModelError(`${id}: not sent`, { retryable: false, bill: "none" });

const ACCOUNT_BUSY_MS = 300_000; // wait for other programs of the account, which fill the provider's queue
