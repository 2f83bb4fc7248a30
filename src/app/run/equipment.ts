import { cachedEmbedder } from "../../embedders/index.js";
import { furtherModels } from "../../further-models.js";
import { readOptions } from "../../options.js";
import type { Equipment } from "../../run/engine-settings.js";
import { fillingModel } from "../../run/estimate.js";
import type { AskedModel } from "../../run/kit.js";
import { drawing, drawsOf } from "../../run/plan/draws.js";
import { runOptions } from "../../run/plan/options.js";
import type { RunPart } from "../../run/plan/part.js";
import { isShard } from "../../run/plan/part.js";
import type { Arm } from "../../run/plan/plan.js";
import type { OpeningOf } from "../../run/shared-openings.js";
import type { Model } from "../../types.js";
import type { TokenGauges } from "./estimate/token-gauges.js";
import type { RunModels } from "./models/models.js";
import type { Embedders } from "./models/open-embedders.js";
import type { RunRecords } from "./records/open-records.js";
import type { WatchedCalls } from "./shared.js";

interface Means {
  readonly models: RunModels;
  readonly embedders: Embedders;
  readonly records: Pick<RunRecords, "vectors" | "handed">;
  readonly part: RunPart | undefined;
  /** Hears of the calls for what all users share, where nothing else is bought. */
  readonly calls: WatchedCalls;
  /** Learns from replies how long a token is. */
  readonly gauges: Pick<TokenGauges, "watched">;
  /** What calls begin with alike, by model. */
  readonly openings: ReadonlyMap<string, OpeningOf>;
  /** All arms of the run: those that differ in their repeat alone draw from the same prompts. */
  readonly arms: readonly Arm[];
}

/** What arms work with. Arms of one embedder share its vectors, in memory or on disk. */
export function equipment({
  models,
  embedders,
  records,
  part,
  calls,
  gauges,
  openings,
  arms,
}: Means): (arm: Arm) => Equipment {
  const { vectors, handed } = records;
  const stored = vectors === undefined ? undefined : (handed?.vectors(vectors) ?? vectors);
  const kept = new Map(
    embedders.all.map((embedder) => [embedder, stored === undefined ? embedder : cachedEmbedder(embedder, stored)]),
  );
  return (arm) => {
    const { cell } = arm;
    const embedder = embedders.of(cell.options);
    return {
      ...modelsOf(drawing(gauges.watched(models.byId.get(cell.model)!, cell.method), drawsOf(arm, arms))), // every arm is planned over these models
      further: Object.fromEntries(
        Object.entries(furtherModels(cell)).map(([role, id]) => [role, modelsOf(models.byId.get(id)!)]), // the same
      ),
      embedder: embedders.isCostly(cell.options) ? kept.get(embedder)! : embedder,
      temperature: readOptions(runOptions, cell.options).temperature,
      opening: openings.get(cell.model),
    };
  };

  function modelsOf(model: Model): AskedModel {
    if (part === undefined) return { model };
    if (isShard(part)) return { model, sharedModel: models.shared.get(model.id)! }; // the same ids
    return { model: fillingModel(model.id, model.capabilities), sharedModel: calls.watched(model) };
  }
}
