/** A pending task: a user, a question or a shared value; not a process of `src/workers`. */
export interface PendingTask {
  /** Returns the promise, without which the task cannot go on. */
  waitFor<T>(reply: Promise<T>): Promise<T>;
  end(): void;
}

/** Counts the tasks of a run, and those of them that wait for a reply or for a shared value. */
export class Waits {
  #tasks = 0;
  #waiting = 0;
  readonly #onWait: () => void;

  /** `onWait`: called when a task begins to wait, or ends. */
  constructor(onWait: () => void) {
    this.#onWait = onWait;
  }

  /** True if all tasks wait. */
  get allWait(): boolean {
    return this.#waiting === this.#tasks;
  }

  begin(): PendingTask {
    let pending = 0;
    let ended = false;
    this.#tasks += 1;
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
        this.#tasks -= 1;
        if (pending > 0) this.#waiting -= 1;
        this.#onWait();
      },
    };
  }
}
