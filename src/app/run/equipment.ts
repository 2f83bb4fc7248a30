import { cachedEmbedder } from "../../embedders/index.js";
import { furtherModels } from "../../further-models.js";
import { readOptions } from "../../options.js";
import type { Equipment } from "../../run/engine-settings.js";
import { drawing, drawsOf } from "../../run/plan/draws.js";
import { runOptions } from "../../run/plan/options.js";
import type { Arm } from "../../run/plan/plan.js";
import type { OpeningOf } from "../../run/shared-openings.js";
import type { TokenGauges } from "./estimate/token-gauges.js";
import type { RunModels } from "./models/models.js";
import type { Embedders } from "./models/open-embedders.js";
import type { RunRecords } from "./records/open-records.js";

interface Means {
  readonly models: RunModels;
  readonly embedders: Embedders;
  readonly records: Pick<RunRecords, "vectors">;
  /** Learns from replies how long a token is. */
  readonly gauges: Pick<TokenGauges, "watched">;
  /** What calls begin with alike, by model. */
  readonly openings: ReadonlyMap<string, OpeningOf>;
  /** All arms of the run: those that differ in their repeat alone draw from the same prompts. */
  readonly arms: readonly Arm[];
}

/** What arms work with. Arms of one embedder share its vectors, in memory or on disk. */
export function equipment({ models, embedders, records, gauges, openings, arms }: Means): (arm: Arm) => Equipment {
  const { vectors } = records;
  const kept = new Map(
    embedders.all.map((embedder) => [embedder, vectors === undefined ? embedder : cachedEmbedder(embedder, vectors)]),
  );
  return (arm) => {
    const { cell } = arm;
    const embedder = embedders.of(cell.options);
    return {
      model: drawing(gauges.watched(models.byId.get(cell.model)!, cell.method), drawsOf(arm, arms)), // every arm is planned over these models
      further: Object.fromEntries(
        Object.entries(furtherModels(cell)).map(([role, id]) => [role, models.byId.get(id)!]), // the same
      ),
      embedder: embedders.isCostly(cell.options) ? kept.get(embedder)! : embedder,
      temperature: readOptions(runOptions, cell.options).temperature,
      opening: openings.get(cell.model),
    };
  };
}
