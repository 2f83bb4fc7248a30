import { dirname, join } from "node:path";
import { recordedEmbedder } from "../../embedders/cached.js";
import { embedderProvider, openEmbedder } from "../../embedders/index.js";
import { ModelError, UsageError } from "../../errors.js";
import { isCommand } from "../../exec/command.js";
import { openModel } from "../../models/index.js";
import { adapted } from "../../models/wrap/adapted.js";
import { cached, replaying } from "../../models/wrap/cached.js";
import { furtherModels } from "../../registry/further-models.js";
import { complete, readOptions } from "../../registry/options.js";
import { artifactsFolder, fileArtifacts } from "../../run/artifacts.js";
import { readJournal } from "../../run/journal.js";
import type { Manifest } from "../../run/manifest.js";
import { controlled, givenControl } from "../../run/plan/controls.js";
import { recordedApi } from "../../run/plan/model-options.js";
import { runOptions } from "../../run/plan/options.js";
import type { Arm, LoadedTask } from "../../run/plan/plan.js";
import type { KeyedRecords, StoredCall } from "../../run/replies.js";
import { type StoredVector, vectorOf } from "../../run/replies.js";
import type { Cell, Embedder, Model } from "../../types/index.js";
import { type Catalogue, catalogueOf } from "../catalogue.js";
import { allOptions } from "../common/all-options.js";
import type { Io } from "../io.js";
import { refuseChangedPlugins } from "../plugins/plugins.js";
import { filesOfCell, keptFile } from "../run/data/input-files.js";

/** The arms of a finished run that can be made again here, and why the others cannot. */
export interface ArmsAgain {
  readonly arms: readonly Arm[];
  /** One line each, naming what is missing. */
  readonly missing: readonly string[];
}

/** Takes the arms of a plan apart into what its names stand for. */
export function armsAgain(
  { plan, plugins }: Manifest,
  folder: string,
  loaded: ReadonlyMap<string, LoadedTask>,
  catalogue: Catalogue,
): ArmsAgain {
  const missing = new Set<string>();
  const changed = refusalOf(() => refuseChangedPlugins(folder, plugins, catalogue));
  if (changed !== undefined) return { arms: [], missing: [changed] };
  const arms = plan.cells.flatMap((cell): Arm[] => {
    const data = loaded.get(cell.task);
    const method = catalogue.methods.find(cell.method);
    if (data === undefined) missing.add(`${cell.task}: its data are not at hand (--data)`);
    else if (method?.callsElsewhere === true || isCommand(cell.method))
      missing.add(`${cell.method}: a program that may call out, its rows rest on no stored reply`);
    else if (method === undefined) missing.add(`${cell.method}: no such method here; give its plug-in with --plugin`);
    else
      return [
        {
          cell,
          loaded: data,
          method: controlled(method, givenControl(cell.options)["history.control"] ?? "right", {
            task: data.task,
            seed: cell.seed,
          }),
          options: readOptions(method.options, cell.options),
        },
      ];
    return [];
  });
  return { arms, missing: [...missing] };
}

/** The models of these arms, each answering from the stored replies alone. Throws UsageError on one that is unknown here. */
export async function modelsAgain(
  arms: readonly Arm[],
  { plan }: Manifest,
  replies: KeyedRecords<StoredCall>,
  io: Io,
): Promise<ReadonlyMap<string, Model>> {
  const byId = new Map<string, Model>();
  const store = {
    get: (key: string) => replies.get(key)?.reply,
    put: () => undefined, // nothing is answered that is not stored
  };
  for (const id of new Set(arms.flatMap(({ cell }) => [cell.model, ...Object.values(furtherModels(cell))]))) {
    const { baseUrl, endpoints } = plan;
    const settings = {
      env: io.env,
      concurrency: 1,
      sendsNothing: true,
      api: recordedApi(plan.cells, id) ?? ("auto" as const),
      ...(baseUrl === undefined ? {} : { baseUrl }),
    };
    const bare = await openModel(id, settings, catalogueOf(io).providers, endpoints);
    byId.set(id, adapted(cached(replaying(bare), store, { clock: io.clock }), { policy: "drop" }));
  }
  return byId;
}

/** The files that arms name, as they were kept beside the run. */
export function filesAgain(
  arms: readonly Arm[],
  folder: string,
  io: Io,
): { readonly texts: ReadonlyMap<string, string>; refuseMissing(arm: Arm): void } {
  const table = allOptions(catalogueOf(io));
  const artifacts = fileArtifacts(join(dirname(folder), artifactsFolder), { clock: io.clock });
  const names = new Set(arms.flatMap(({ cell }) => filesOfCell(cell.options, table)));
  const texts = new Map(
    [...names].flatMap((name) => {
      const text = keptFile(name, artifacts);
      return text === undefined ? [] : [[name, text] as const];
    }),
  );
  return {
    texts,
    refuseMissing({ cell }) {
      const gone = filesOfCell(cell.options, table).find((name) => !texts.has(name));
      if (gone !== undefined)
        throw new UsageError(`${cell.method}: the file ${gone} is not in ${artifactsFolder} beside the run`);
    },
  };
}

/** Opens embedders as a run had them: the embedded ones compute, for the others the stored vectors stand in. */
export function embeddersAgain(manifest: Manifest, vectorsFile: string, io: Io) {
  const among = catalogueOf(io).embedders;
  const vectors = new Map([...readJournal<StoredVector>(vectorsFile)].map((record) => [record.key, record]));
  /** Texts whose vector is in no record, by cell. */
  const missing = new Map<string, string>();
  /** Throws UsageError naming an embedder whose vectors are not there. */
  const open = async ({ id, method, options }: Cell): Promise<Embedder> => {
    const { embedder: named, "embedder.similarity": similarity } = readOptions(
      runOptions,
      complete(runOptions, options),
    );
    if (!embedderProvider(named, among).costly) return openEmbedder(named, { ...io, similarity }, among);
    const found = manifest.embedders?.find((one) => one.named === named && one.similarity === similarity);
    if (found === undefined || vectors.size === 0)
      throw new UsageError(`${method}: no vectors of embedder ${named} (${similarity}) in the run`);
    const get = (key: string): Float32Array | undefined => {
      const record = vectors.get(key);
      return record === undefined ? undefined : vectorOf(record);
    };
    return recordedEmbedder(found.id, { get }, (text) => {
      missing.set(id, `${method}: a vector of embedder ${named} is not in the run: ${text.slice(0, 40)}`);
      return new ModelError("the vector of a text is not in the run", { retryable: false });
    });
  };
  return { open, missing };
}

/** The message of the UsageError that `look` throws; undefined where it throws none. */
function refusalOf(look: () => void): string | undefined {
  try {
    look();
    return undefined;
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
}
