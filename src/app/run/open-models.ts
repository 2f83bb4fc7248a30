import { UsageError } from "../../errors.js";
import { noModel } from "../../exec/no-model.js";
import { openModel } from "../../models/index.js";
import { pricesAt } from "../../models/prices.js";
import { withoutUrlSecrets } from "../../secrets/url.js";
import type { Method, Model } from "../../types.js";
import type { Io } from "../io.js";
import { demoModel } from "./demo-profile.js";
import { sharedCaps } from "./purse-caps.js";
import type { RunSettings } from "./settings.js";

/**
 * The bare models of a run, at least one. Throws UsageError on a name, key or price that is missing, and where embedded and
 * real models would stand side by side. Programs alone need no model: without `--model` they get one that answers nothing.
 */
export async function openModels(
  settings: RunSettings,
  chosen: readonly Method[],
  io: Io,
  dryRun: boolean,
): Promise<readonly Model[]> {
  const { models: names, baseUrl, endpoints, concurrency, catalogue } = settings;
  if (names.length === 0 && chosen.every(({ callsElsewhere }) => callsElsewhere === true)) return [noModel];
  refuseSharedServer(
    names.filter((name) => endpoints[name.slice(0, name.indexOf("/"))] === undefined),
    baseUrl,
  );
  const opened: Model[] = [];
  for (const name of names.length === 0 ? [demoModel] : names)
    opened.push(
      await openModel(
        name,
        {
          env: io.env,
          concurrency,
          sendsNothing: dryRun,
          ...(baseUrl === undefined ? {} : { baseUrl }),
        },
        catalogue.providers,
        endpoints,
      ),
    );
  refuseMixed(opened);
  for (const model of opened) refuseUnpriced(model, settings, io);
  return opened;
}

// --- internal ---

/** Throws UsageError where models of two providers would be asked at the one --base-url. */
function refuseSharedServer(names: readonly string[], baseUrl: string | undefined): void {
  const makers = new Set(names.map((name) => name.slice(0, name.indexOf("/"))));
  if (baseUrl !== undefined && makers.size > 1)
    throw new UsageError(
      `--base-url ${withoutUrlSecrets(baseUrl)}: the models are of several providers (${[...makers].join(", ")}); make a run for each`,
    );
}

function refuseMixed(models: readonly Model[]): void {
  const [simulated, real] = [models.find((model) => model.simulated), models.find((model) => !model.simulated)];
  if (simulated !== undefined && real !== undefined)
    throw new UsageError(
      `--model ${simulated.id},${real.id}: numbers of the embedded model are SIMULATED and never stand beside real ones; make a run for each`,
    );
}

/** Throws UsageError where a cap in dollars meets a model without a price, before the run has a folder. */
function refuseUnpriced({ id }: Model, settings: RunSettings, io: Io): void {
  const { prices } = settings;
  const maxUsd = settings.maxUsd ?? sharedCaps(settings, io)?.maxUsd;
  if (maxUsd !== undefined && pricesAt(io.clock.now(), prices).ofCall(id, { in: 1, out: 1 }) === undefined)
    throw new UsageError(
      `--max-usd ${maxUsd}: no price is known for ${id}; name one with --prices, or use --max-calls`,
    );
}
