import { join } from "node:path";
import { wikiOptions } from "../../agent/tools/wikipedia.js";
import { ModelError, UsageError } from "../../errors.js";
import { ReplayMiss, requestKey } from "../../models/wrap/cached.js";
import { furtherModels } from "../../registry/further-models.js";
import { complete, readOptions } from "../../registry/options.js";
import { absent, type Check, passedOr, type RowInFile, unchecked } from "../../report/verify.js";
import type { Asked, Cassette } from "../../run/cassette/cassette.js";
import { askedByOrigin } from "../../run/cassette/cassette-writer.js";
import { runArms } from "../../run/engine.js";
import { readJournal } from "../../run/journal.js";
import type { CallOrigin } from "../../run/kit.js";
import type { Manifest } from "../../run/manifest.js";
import { runOptions } from "../../run/plan/options.js";
import type { Arm, LoadedTask } from "../../run/plan/plan.js";
import type { StoredCall } from "../../run/replies.js";
import { KeyedRecords } from "../../run/replies.js";
import { originKey, runFiles } from "../../run/rows.js";
import { nounOf } from "../../text/count.js";
import type { Embedder, Json, UnitRecord } from "../../types/index.js";
import { catalogueOf } from "../catalogue.js";
import type { Io } from "../io.js";
import { recordedFailure } from "../replay/replay.js";
import { probeAgents, serverName } from "../run/models/probe-agents.js";
import { noTools, openRunTools, type RunTools } from "../run/models/tools.js";
import { type ArmsAgain, armsAgain, embeddersAgain, filesAgain, modelsAgain } from "./again-arms.js";
import { RowsAgain } from "./again-rows.js";
import { readPlaced } from "./files.js";

/** A run, as its folder and its data have it. */
interface RunAgain {
  readonly folder: string;
  readonly manifest: Manifest;
  /** The data that are at hand, by task. */
  readonly loaded: ReadonlyMap<string, LoadedTask>;
  readonly rows: readonly RowInFile[];
}

/**
 * Runs the methods again over the stored replies and searches alone: outcome, spend and incidents of every row and unit are
 * those that stand in the folder.
 */
export async function checkAgain(run: RunAgain, io: Io): Promise<Check[]> {
  const { folder, manifest, loaded } = run;
  if (manifest.plan.imported !== undefined)
    return [unchecked(NAME, "the rows are imported predictions, no reply is stored")];
  const planned = armsAgain(manifest, folder, loaded, catalogueOf(io));
  if (planned.arms.length === 0) return planned.missing.map((what) => absent(NAME, what));
  const replies = new KeyedRecords<StoredCall>(join(folder, runFiles.responses));
  try {
    return await madeAgain(run, planned, replies, io);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return [absent(NAME, error.message)];
  } finally {
    replies.close();
  }
}

const NAME = "recomputed";
/** Units and questions in work at once: nothing is waited for, so few are enough. */
const IN_WORK = 4;

async function madeAgain(
  run: RunAgain,
  planned: ArmsAgain,
  replies: KeyedRecords<StoredCall>,
  io: Io,
): Promise<Check[]> {
  const { folder, manifest } = run;
  const { arms } = planned;
  const finished = manifest.finishedAt !== undefined;
  const models = await modelsAgain(arms, manifest, replies, io);
  const files = filesAgain(arms, folder, io);
  const embedders = embeddersAgain(manifest, join(folder, runFiles.vectors), io);
  const byCell = new Map<string, Embedder>();
  const missing = [...planned.missing];
  const able: Arm[] = [];
  for (const arm of arms) {
    try {
      files.refuseMissing(arm);
      byCell.set(arm.cell.id, await embedders.open(arm.cell));
      able.push(arm);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      missing.push(error.message);
    }
  }
  const asked = askedByOrigin(folder);
  const byOrigin = new Map(asked.map((one) => [originKey(one), one]));
  const recorded = {
    asked,
    callOf: () => undefined,
    askedFor: (at: Pick<Asked, "cell" | "unit" | "question">) => byOrigin.get(originKey(at)),
  };
  const probed = new Set(Object.keys(manifest.probes ?? {}));
  const units = readPlaced<UnitRecord>(folder, runFiles.units).records;
  const rows = new RowsAgain(run.rows, units, finished);
  const explain = (error: unknown, at: CallOrigin): Error | undefined => {
    if (!(error instanceof ReplayMiss)) return undefined;
    const id = requestKey(error.model, error.request).slice(0, ID_LENGTH);
    rows.unanswered(at, id);
    const failure = recordedFailure(id, at, at.cell, recorded);
    return new ModelError(failure ?? `no reply to request ${id} is stored`, { retryable: false, cause: error });
  };
  const stop = new AbortController();
  for (const model of models.values())
    for (let server = 0; server === 0 || probed.has(serverName(model.id, server)); server++)
      await probeAgents(
        able.filter(({ cell }) => cell.model === model.id),
        model,
        stop.signal,
        { bare: !probed.has(model.id), server },
      );
  const reason = await runArms({
    arms: able,
    equip: ({ cell }) => ({
      model: models.get(cell.model)!, // opened for these arms
      further: Object.fromEntries(
        Object.entries(furtherModels(cell)).map(([role, id]) => [role, models.get(id)!]), // the same
      ),
      embedder: byCell.get(cell.id)!, // the same
      temperature: readOptions(runOptions, complete(runOptions, cell.options)).temperature,
    }),
    tool: openTools(folder, able, recorded, io).tool,
    files: files.texts,
    concurrency: IN_WORK,
    clock: io.clock,
    online: able.some(({ cell }) => cell.options.online === true),
    rows,
    stop,
    kill: stop.signal,
    explain,
  });
  if (reason !== undefined) throw reason;
  missing.push(...embedders.missing.values());
  const { compared, problems } = rows.compare(embedders.missing);
  const said = `${compared} ${nounOf(compared, "row and its unit", "rows and their units")} made again from ${replies.size} stored ${nounOf(replies.size, "reply", "replies")}`;
  return [passedOr(NAME, problems, said), ...[...new Set(missing)].map((what) => absent(NAME, what))];
}

type Recorded = Pick<Cassette, "asked" | "askedFor" | "callOf">;

/** How traces name requests: the first digits of the key. */
const ID_LENGTH = 16;

/** The tools over the stored searches. */
function openTools(folder: string, arms: readonly Arm[], { askedFor }: Recorded, io: Io): RunTools {
  if (!arms.some(({ method, options }) => (method.needs?.(options).tools.length ?? 0) > 0)) return noTools;
  const searches = [...readJournal<Json & object>(join(folder, runFiles.searches))];
  const given = Object.assign({}, ...arms.map(({ cell }) => cell.options));
  const known = Object.fromEntries(Object.entries(given).filter(([name]) => name in wikiOptions)) as typeof given;
  const recorded = { shown: runFiles.searches, searches, fixture: undefined, askedFor };
  return openRunTools(known, io, { demo: false, searching: [], recorded });
}
