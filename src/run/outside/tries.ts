import type { Billed, Key } from "../../log/entry.js";
import type { Log } from "../../log/log.js";
import type { WaveLog } from "../../models/batch/waves.js";
import type { AttemptLog } from "../../models/wrap/budgeted.js";
import type { Clock } from "../../types/index.js";

/** The tries of a run: each stands in the log before it is sent, and its failure when it has ended. */
export class Tries {
  readonly #log: Log;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #sentMs = new Map<Key, number>();

  constructor(log: Log, clock: Pick<Clock, "monotonic">) {
    this.#log = log;
    this.#clock = clock;
  }

  /** For calls that go out one by one, or that wait for batches. */
  log(inBatches: boolean): AttemptLog {
    return {
      started: (key, upToUsd) => {
        this.#log.append({
          t: "try",
          key,
          ...(upToUsd === undefined ? {} : { upToUsd }),
          ...(inBatches ? { batch: true } : {}),
        });
        this.#sentMs.set(key, this.#clock.monotonic());
      },
      ended: (key, end, error) => {
        this.#sentMs.delete(key);
        this.#log.append({ t: "no", key, billed: billedOf[end], error });
      },
    };
  }

  /** Whole milliseconds since the last try of a key was sent; told once. */
  tookMs(key: Key): number | undefined {
    const sent = this.#sentMs.get(key);
    this.#sentMs.delete(key);
    return sent === undefined ? undefined : Math.round(this.#clock.monotonic() - sent);
  }
}

const billedOf = { refused: "none", failed: "yes", unknown: "unknown" } as const satisfies Record<string, Billed>;

/** The batches of a run: on the disk before they are sent. */
export function wavesIn(log: Log): WaveLog {
  const { state } = log;
  const isAnyOut = state.waves.size > 0 || [...state.open.values()].some(({ batch }) => batch);
  return {
    waves: [...state.waves.values()].map(({ id, model, at, lines, keys, batch }) => ({
      id,
      model,
      sinceMs: at,
      lines,
      keys: [...keys],
      batch,
    })),
    count: state.wavesSent,
    doubts: isAnyOut
      ? state.corrupt.map((line) => `line ${line} of ${log.path} is corrupt, which may say what is out in batches`)
      : [],
    intended({ id, sinceMs }, model, keys) {
      log.append({ t: "wave", id, model, at: sinceMs, keys });
      log.sync();
    },
    created(id, batch) {
      log.append({ t: "wave", id, batch });
      log.sync();
    },
    dropped: (id) => log.append({ t: "wave", id, state: "dropped" }),
  };
}
