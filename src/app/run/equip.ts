import { dirname, join } from "node:path";
import { cachedEmbedder, type VectorStore } from "../../embedders/cached.js";
import { furtherModels } from "../../registry/further-models.js";
import { readOptions } from "../../registry/options.js";
import { artifactsFolder, fileArtifacts } from "../../run/artifacts.js";
import type { EngineSettings, Equipment, Rows } from "../../run/engine-settings.js";
import { drawing, drawsOf } from "../../run/plan/draws.js";
import { runOptions } from "../../run/plan/options.js";
import type { Arm } from "../../run/plan/plan.js";
import type { TokenGauges } from "./estimate/token-gauges.js";
import type { Batching } from "./models/batching.js";
import type { RunModels } from "./models/models.js";
import type { Embedders } from "./models/open-embedders.js";
import type { Prepared } from "./prepare.js";

/** What a run's engine works with besides what was prepared. */
interface Equipped {
  readonly models: RunModels;
  readonly rows: Rows;
  readonly vectors: VectorStore | undefined;
  readonly gauges: TokenGauges;
  readonly batching?: Batching | undefined;
}

/** The engine of a prepared run, but for its arms. */
export function engineOf(
  { arms, tools, programs, embedders, files, settings, folder, stops, io }: Prepared,
  { models, rows, vectors, gauges, batching }: Equipped,
): Omit<EngineSettings, "arms" | "onRow"> {
  const artifacts = fileArtifacts(join(dirname(folder), artifactsFolder), { clock: io.clock });
  return {
    equip: equipment({ models, embedders, vectors, gauges, arms }),
    tool: tools.tool,
    programs,
    concurrency: settings.batch?.atWork ?? (({ cell }) => ({ of: cell.model, width: models.widthOf(cell.model) })),
    // A batch takes hours: users go out together, whatever the cap.
    ...(batching === undefined ? { used: () => models.used() } : { waits: batching.waits }),
    online: settings.online,
    deadlineSeconds: settings.deadlineSeconds,
    rows,
    artifacts,
    files,
    stop: stops.stop,
    kill: stops.kill,
  };
}

interface Means {
  readonly models: RunModels;
  readonly embedders: Embedders;
  readonly vectors: VectorStore | undefined;
  /** Learns from replies how long a token is. */
  readonly gauges: Pick<TokenGauges, "watched">;
  /** All arms of the run: those that differ in their repeat alone draw from the same prompts. */
  readonly arms: readonly Arm[];
}

/** What arms work with. Arms of one embedder share its vectors, in memory or on disk. */
function equipment({ models, embedders, vectors, gauges, arms }: Means): (arm: Arm) => Equipment {
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
    };
  };
}
