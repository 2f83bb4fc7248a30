import { ModelError } from "../../errors.js";
import { nounOf } from "../../text/count.js";
import type { Clock } from "../../types.js";
import type { LaneStore } from "./store.js";

interface PatienceSettings {
  /** Who refuses, in a person's words: `openai/gpt-6-luna`. */
  readonly name: string;
  /** Without a reply for so long, while calls are refused, the run stops. */
  readonly giveUpAfterMs: number;
  readonly clock: Pick<Clock, "monotonic">;
}

/** How long a run bears servers that refuse every call, whether it asks them again or waits as long as they said. */
export class Patience {
  readonly #settings: PatienceSettings;
  readonly #servers: readonly LaneStore[];
  #last: ModelError | undefined;

  /** `servers`: all of them must refuse. */
  constructor(settings: PatienceSettings, servers: readonly LaneStore[]) {
    this.#settings = settings;
    this.#servers = servers;
  }

  /** The stop of the run, where this refusal was one too many. */
  tried(refusal: ModelError): ModelError | undefined {
    this.#last = refusal;
    return this.ended();
  }

  /** When it ends, on the clock, if no reply comes; undefined where a server does not refuse. */
  endsAtMs(): number | undefined {
    const since = this.#servers.map((store) => store.update(({ refusedSinceMs }) => refusedSinceMs));
    return since.reduce<number | undefined>((latest, ms) => {
      return latest === undefined || ms === undefined ? undefined : Math.max(latest, ms + this.#settings.giveUpAfterMs);
    }, Number.NEGATIVE_INFINITY);
  }

  /** The stop of the run, where it has ended. */
  ended(): ModelError | undefined {
    const { name, giveUpAfterMs, clock } = this.#settings;
    const atMs = this.endsAtMs();
    if (this.#last === undefined || atMs === undefined || clock.monotonic() < atMs) return undefined;
    const { message, status, bill } = this.#last;
    return new ModelError(`${message}; ${name} has refused every call for ${words(giveUpAfterMs)} (--give-up-after)`, {
      ...{ retryable: false, scope: "stop", status, bill },
    });
  }
}

function words(ms: number): string {
  const [amount, unit] = ms < 60_000 ? [ms / 1000, "second"] : [Math.round(ms / 6000) / 10, "minute"];
  return `${amount} ${nounOf(amount, unit)}`;
}
