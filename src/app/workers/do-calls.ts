import { ModelError } from "../../errors.js";
import { Interrupted } from "../../run/engine.js";
import type { Model, ModelRequest } from "../../types/index.js";
import { catalogueOf } from "../catalogue.js";
import { timestamp } from "../common/timestamp.js";
import type { Io } from "../io.js";
import { type CallSettings, judgingModel, judgingModels } from "../judge/open-judge.js";
import { endpointsOf } from "../run/models/endpoints.js";
import { openStops, type Stops } from "../run/stops.js";
import { type Job, refuseOtherPlugins } from "./job.js";
import { type Begun, givenUp, type Hands, type Labor, type WorkerContext } from "./labor.js";

/** What came of a call whose reply is not kept. */
export interface CallRecord {
  /** Absent: the reply is kept. */
  readonly failed?: string;
}

/** Opens a judge's model here. Throws UsageError as the judge's own process would. */
export async function openCalls(job: Job, { concurrency, signal, kill, io }: WorkerContext): Promise<Labor> {
  const asked: CallSettings = { ...job.request, ...(concurrency === undefined ? {} : { concurrency }) };
  return new CallLabor(job, asked, await judgingModel(asked, io), openStops({ signal, kill }), io);
}

/** Single calls: a unit is a call, its input the request. */
class CallLabor implements Labor {
  readonly io: Io;
  readonly stops: Stops;
  readonly #job: Job;
  readonly #settings: CallSettings;
  readonly #provider: Model;

  constructor(job: Job, settings: CallSettings, provider: Model, stops: Stops, io: Io) {
    this.#job = job;
    this.#settings = settings;
    this.#provider = provider;
    this.stops = stops;
    this.io = io;
  }

  check(): void {
    refuseOtherPlugins(this.#job, catalogueOf(this.io));
  }

  async begin(hands: Hands): Promise<Begun> {
    const { store, purse, pace } = hands;
    const provider = this.#provider;
    const shared = { attempts: undefined, sharedPurse: purse, pace, stop: this.stops.stop };
    const models = judgingModels(provider, this.#settings, store, shared, this.io);
    return {
      width: models.widthOf(provider.id),
      unit: ({ unit }, deaths) => this.#call(unit, models.byId.get(provider.id)!, deaths, hands), // opened above
      inFlight: () => models.inFlight(),
      ended: () => Promise.resolve(),
    };
  }

  facts() {
    return endpointsOf([this.#provider], {}, this.#settings.baseUrl, timestamp(this.io));
  }

  async close(): Promise<void> {}

  async #call(key: string, model: Model, deaths: number, { exchange, input, end }: Hands): Promise<void> {
    const { kill } = this.stops;
    let failed = givenUp(deaths);
    if (failed === undefined)
      try {
        await model.complete(JSON.parse(await input(key)) as ModelRequest, kill); // as the judge's process wrote it
      } catch (error) {
        if (error instanceof Interrupted || kill.aborted) throw error;
        if (!(error instanceof ModelError) || error.scope !== "call") {
          await end(error);
          throw error;
        }
        failed = error.message;
      }
    const record: CallRecord = failed === undefined ? {} : { failed };
    await exchange.result("", key, JSON.stringify(record));
  }
}
