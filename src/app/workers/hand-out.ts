import { ModelError } from "../../errors.js";
import { adapted } from "../../models/wrap/adapted.js";
import { cached, requestKey } from "../../models/wrap/cached.js";
import type { Model, ModelReply, ModelRequest } from "../../types/index.js";
import type { Crew, Keeping } from "./crew.js";
import type { CallRecord } from "./do-calls.js";

/** A call that waits for a worker. */
interface Asked {
  readonly request: ModelRequest;
  resolve(): void;
  reject(reason: unknown): void;
}

/** Hands the calls of a model out to workers: what is asked while others are out goes with the next. */
export class HandedOutCalls {
  /** Asks the store, then the workers. */
  readonly model: Model;
  readonly #keeping: Keeping;
  readonly #asked = new Map<string, Asked>();
  #wake: () => void = () => undefined;
  #early: unknown;

  constructor({ id, capabilities, simulated }: Model, records: Keeping["records"]) {
    const { store } = records;
    const read = { get: (key: string) => store.get(key), put: () => undefined }; // the crew writes
    const complete = async (request: ModelRequest): Promise<ModelReply> => {
      const key = requestKey(id, request);
      await this.#ask(key, request);
      return store.get(key)!; // kept before its unit is done
    };
    this.model = adapted(cached({ id, capabilities, simulated, complete }, read));
    this.#keeping = {
      records,
      heard: () => undefined,
      unit: ({ unit, content }) => this.#done(unit, JSON.parse(content) as CallRecord), // a worker of this version wrote it
      learned: () => undefined,
    };
  }

  /** Ends when `asks` does, whose calls go out. Throws why it ended early. */
  async during<T>(crew: Crew, job: string, asks: () => Promise<T>): Promise<T> {
    await crew.begin(job, this.#keeping);
    let isOver = false;
    const asking = asks().finally(() => {
      isOver = true;
      this.#wake();
    });
    asking.catch(() => undefined); // awaited below
    while (!isOver && this.#early === undefined) {
      await new Promise(setImmediate); // all that are asked at once go out together
      const open = [...this.#asked];
      const inputs = new Map(open.map(([unit, { request }]) => [unit, JSON.stringify(request)]));
      const units = open.map(([unit]) => ({ cell: "", unit, at: 0 }));
      this.#early = await crew.settle(units, inputs).catch((error: unknown) => error);
      if (this.#early !== undefined) for (const { reject } of this.#asked.values()) reject(this.#early);
      else if (this.#asked.size === 0 && !isOver)
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
    return asking;
  }

  /** Takes over what workers have done; from then on they do nothing. */
  takeHome(crew: Crew): Promise<void> {
    return crew.takeHome(this.#keeping);
  }

  async #ask(key: string, request: ModelRequest): Promise<void> {
    if (this.#early !== undefined) throw this.#early;
    const answered = new Promise<void>((resolve, reject) => this.#asked.set(key, { request, resolve, reject }));
    this.#wake();
    await answered.finally(() => this.#asked.delete(key));
  }

  #done(key: string, { failed }: CallRecord): void {
    const asked = this.#asked.get(key);
    if (failed === undefined) asked?.resolve();
    else asked?.reject(new ModelError(failed, { retryable: false }));
  }
}
