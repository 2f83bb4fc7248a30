import { ModelError } from "../../errors.js";
import { Interrupted } from "../../run/engine.js";
import type { Model, ModelRequest } from "../../types/index.js";
import { catalogueOf } from "../catalogue.js";
import { timestamp } from "../common/timestamp.js";
import { type CallSettings, judgingModel, judgingModels } from "../judge/open-judge.js";
import { endpointsOf } from "../run/models/endpoints.js";
import { openStops, type Stops } from "../run/stops.js";
import { type Job, refuseOtherPlugins } from "./job.js";
import { givenUp, type Hands, type Labor, type WorkerContext } from "./labor.js";

/** What came of a call whose reply is not kept. */
export interface CallRecord {
  /** Absent: the reply is kept. */
  readonly failed?: string;
}

/** Opens a judge's model here: a unit is a call, its input the request. Throws UsageError as the judge's own process would. */
export async function openCalls(job: Job, { concurrency, signal, kill, io }: WorkerContext): Promise<Labor> {
  const settings: CallSettings = { ...job.request, ...(concurrency === undefined ? {} : { concurrency }) };
  const provider = await judgingModel(settings, io);
  const stops = openStops({ signal, kill });
  return {
    stops,
    check: () => refuseOtherPlugins(job, catalogueOf(io)),
    async begin(hands) {
      const { store, purse, pace, exchange } = hands;
      const shared = { attempts: undefined, sharedPurse: purse, pace, stop: stops.stop };
      const models = judgingModels(provider, settings, store, shared, io);
      const model = models.byId.get(provider.id)!; // opened above
      return {
        width: models.widthOf(provider.id),
        async unit({ unit }, deaths) {
          const failed = givenUp(deaths) ?? (await failureOf(unit, model, stops, hands));
          const record: CallRecord = failed === undefined ? {} : { failed };
          await exchange.result("", unit, JSON.stringify(record));
        },
        ended: () => Promise.resolve(),
      };
    },
    facts: () => endpointsOf([provider], {}, settings.baseUrl, timestamp(io)),
    close: () => Promise.resolve(),
  };
}

/** Makes the call. Returns why it failed; undefined: its reply is kept. */
async function failureOf(
  key: string,
  model: Model,
  { kill }: Stops,
  { input, end }: Hands,
): Promise<string | undefined> {
  try {
    await model.complete(JSON.parse(await input(key)) as ModelRequest, kill); // as the judge's process wrote it
    return undefined;
  } catch (error) {
    if (error instanceof Interrupted || kill.aborted) throw error;
    if (error instanceof ModelError && error.scope === "call") return error.message;
    await end(error);
    throw error;
  }
}
