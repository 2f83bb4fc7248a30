import { cachedEmbedder, memoryVectors } from "../../embedders/cached.js";
import { ModelError } from "../../errors.js";
import { tokensOf } from "../../models/call-tokens.js";
import { handedOut, Interrupted } from "../../run/engine.js";
import type { Manifest } from "../../run/manifest-shape.js";
import type { Arm } from "../../run/plan/plan.js";
import { sha256 } from "../../text/content-id.js";
import { timestamp } from "../common/timestamp.js";
import { engineOf } from "../run/equip.js";
import { TokenGauges } from "../run/estimate/token-gauges.js";
import { endpointsOf, readModelRecords, recallEndpoints } from "../run/models/endpoints.js";
import { openRunModels } from "../run/models/models.js";
import { firstRefusal } from "../run/models/probe-agents.js";
import { type Prepared, prepare } from "../run/prepare.js";
import { type Job, refuseOtherPlan, refuseOtherPlugins } from "./job.js";
import { type Begun, givenUp, type Hands, type Labor, type WorkerContext } from "./labor.js";
import { RowsByUnit, remoteEmbedder } from "./remote.js";

/** Prepares the run here as its own process did. Throws UsageError as that would. */
export async function openUnits(job: Job, worker: WorkerContext): Promise<Labor> {
  const { concurrency, signal, kill } = worker;
  const width = concurrency === undefined ? {} : { concurrency };
  const asked = { ...job.request, ...width, signal, kill, onEvent: () => undefined };
  const prepared = await prepare(asked, worker.io);
  const { models, settings, stops, commands, io } = prepared;
  const probes: NonNullable<Manifest["probes"]> = {};
  return {
    stops,
    check() {
      refuseOtherPlugins(job, settings.catalogue);
      refuseOtherPlan(job, prepared.plan);
    },
    begin: (hands) => begun(job, prepared, probes, hands),
    facts: () => ({
      ...endpointsOf(models, {}, settings.baseUrl, timestamp(io)),
      ...(Object.keys(probes).length === 0 ? {} : { probes }),
    }),
    close: () => commands.close(),
  };
}

/** Fills `probes`. */
async function begun(
  job: Job,
  prepared: Prepared,
  probes: NonNullable<Manifest["probes"]>,
  hands: Hands,
): Promise<Begun> {
  const { arms, models: providers, embedders, settings, stops, tools, io } = prepared;
  const { exchange, store, purse, pace } = hands;
  recallEndpoints(providers, job);
  const ignore = (): void => undefined;
  const models = openRunModels(providers, settings, store, {
    ...{ clock: io.clock, env: io.env, attempts: undefined, stop: stops.stop, sharedPurse: purse, pace },
    ...{ tell: io.tell, onCall: ignore, onReply: ignore, onRetry: ignore },
  });
  await tools.check();
  tools.keepSearches({
    put: (search) => void exchange.keep("search", sha256(JSON.stringify(search)), JSON.stringify(search)).catch(ignore),
  });
  await readModelRecords(providers, { signal: stops.kill, nowMs: io.clock.now(), tell: io.tell });
  await models.readSlots(stops.kill);
  const refusal = await firstRefusal(arms, models, stops, (name, usage) => {
    probes[name] ??= { day: timestamp(io).slice(0, 10), ...tokensOf(usage) };
  });
  if (refusal !== undefined && !stops.stop.signal.aborted) await hands.end(refusal);
  const shared = new Map(
    embedders.all.map((one) => [one, cachedEmbedder(remoteEmbedder(one, exchange, stops.kill), memoryVectors())]),
  );
  const embedderOf = (options: Arm["cell"]["options"]) => {
    const own = embedders.of(options);
    return embedders.isCostly(options) ? shared.get(own)! : own; // every costly one is in `all`
  };
  const rows = new RowsByUnit();
  const engine = engineOf(
    { ...prepared, embedders: { ...embedders, of: embedderOf } },
    { models, rows, vectors: undefined, gauges: new TokenGauges() },
  );
  const { work, ended } = handedOut({ ...engine, arms });
  return {
    width: Math.max(...arms.map(({ cell }) => models.widthOf(cell.model))),
    async unit({ cell: id, unit: name, at }, deaths) {
      const arm = arms.find(({ cell }) => cell.id === id);
      const unit = arm?.loaded.units.at(at);
      if (arm === undefined || unit?.id !== name) throw new Error(`unit ${name} of cell ${id} is not in the plan`);
      const why = givenUp(deaths);
      try {
        await work(why === undefined ? arm : failing(arm, why), unit);
      } catch (error) {
        rows.drop(id, name);
        if (!(error instanceof Interrupted)) await hands.end(error);
        throw error;
      }
      for (const { cell, unit: of, ...records } of rows.taken(id, name))
        await exchange.result(cell, of, JSON.stringify(records));
    },
    ended,
  };
}

const failing = (arm: Arm, why: string): Arm => ({
  ...arm,
  method: { ...arm.method, personalize: () => Promise.reject(new ModelError(why, { retryable: false })) },
});
