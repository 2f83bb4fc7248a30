/** A pending task: a unit, a question or a shared value; no process of `src/workers`. */
export interface PendingTask {
  /** Returns the promise, without which the task cannot go on. */
  waitFor<T>(reply: Promise<T>): Promise<T>;
  end(): void;
}

/** Counts who works on a run, and who of them waits for a reply or for a value that another builds. */
export class Waits {
  #working = 0;
  #waiting = 0;
  readonly #onWait: () => void;

  /** `onWait`: told whenever somebody begins to wait, or ends. */
  constructor(onWait: () => void) {
    this.#onWait = onWait;
  }

  /** True where nobody can go on by himself. */
  get allWait(): boolean {
    return this.#waiting === this.#working;
  }

  begin(): PendingTask {
    let pending = 0;
    let ended = false;
    this.#working += 1;
    const settled = (): void => {
      pending -= 1;
      if (pending === 0 && !ended) this.#waiting -= 1;
    };
    return {
      waitFor: (reply) => {
        pending += 1;
        if (pending === 1 && !ended) this.#waiting += 1;
        this.#onWait();
        return reply.finally(settled);
      },
      end: () => {
        if (ended) return;
        ended = true;
        this.#working -= 1;
        if (pending > 0) this.#waiting -= 1;
        this.#onWait();
      },
    };
  }
}
