import { isDeepStrictEqual } from "node:util";
import { wikiOptions } from "../../agent/tools/wikipedia.js";
import { recordedEmbedder } from "../../embedders/cached.js";
import { embedderProvider, openEmbedder } from "../../embedders/index.js";
import { ModelError, UsageError } from "../../errors.js";
import { isCommand } from "../../exec/command.js";
import { openModel } from "../../models/index.js";
import { adapted } from "../../models/wrap/adapted.js";
import { cached, ReplayMiss, replaying, requestKey } from "../../models/wrap/cached.js";
import { furtherModels } from "../../registry/further-models.js";
import { complete, readOptions } from "../../registry/options.js";
import { absent, type Check, passedOr } from "../../report/verify.js";
import { runArms } from "../../run/engine.js";
import type { Equipment } from "../../run/engine-settings.js";
import type { CallOrigin } from "../../run/kit.js";
import { controlled, givenControl } from "../../run/plan/controls.js";
import { recordedApi } from "../../run/plan/model-options.js";
import { runOptions } from "../../run/plan/options.js";
import type { Arm, LoadedTask } from "../../run/plan/plan.js";
import { vectorOf } from "../../run/replies.js";
import { originKey, runFiles } from "../../run/rows.js";
import { CallMeter } from "../../run/spend.js";
import { nounOf } from "../../text/count.js";
import type { Cell, Embedder, Model } from "../../types/index.js";
import { catalogueOf } from "../catalogue.js";
import { allOptions } from "../common/all-options.js";
import { namesIn } from "../common/names.js";
import type { Io } from "../io.js";
import { refuseChangedPlugins } from "../plugins/plugins.js";
import { recordedFailure } from "../replay/replay.js";
import { filesOfCell } from "../run/data/input-files.js";
import { noTools, openRunTools } from "../run/models/tools.js";
import { RowsAgain } from "./again-rows.js";
import type { RunRecords } from "./records.js";

/** What the methods of a run give over its stored replies. */
export interface MadeAgain {
  readonly rows: RowsAgain;
  /** Why cells could not be made again, by cell; a line names what is missing. */
  readonly missing: ReadonlyMap<string, string>;
  /** Every request that was made, by the first digits of its key: the whole key, and the model that was asked. */
  readonly asked: ReadonlyMap<string, { readonly key: string; readonly model: string }>;
}

/** Units and questions in work at once: nothing is waited for, so few are enough. */
const IN_WORK = 4;
/** How traces name requests: the first digits of the key. */
const ID_LENGTH = 16;

/**
 * Runs the methods of a run again over its stored replies and searches alone, as far as they and the data (`loaded`, by task) are
 * at hand. Sends nothing and loads no code.
 */
export async function makeAgain(run: RunRecords, loaded: ReadonlyMap<string, LoadedTask>, io: Io): Promise<MadeAgain> {
  const { manifest } = run;
  const rows = new RowsAgain(run.rows, run.units, manifest.finishedAt !== undefined);
  const missing = new Map<string, string>();
  const asked = new Map<string, { readonly key: string; readonly model: string }>();
  const equip = equipper(run, { missing, asked }, io);
  const able = new Map<Arm, Equipment>();
  const files = new Map<string, string>();
  for (const cell of manifest.plan.cells)
    try {
      const arm = armAgain(cell, run, loaded, io);
      for (const name of filesOfCell(cell.options, allOptions(catalogueOf(io)))) files.set(name, fileAgain(name, run));
      able.set(arm, await equip(cell));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      missing.set(cell.id, error.message);
    }
  const byOrigin = new Map(run.asked.map((one) => [originKey(one), one]));
  const recorded = {
    asked: run.asked,
    callOf: () => undefined,
    askedFor: (at: Pick<CallOrigin, "cell" | "unit" | "question">) => byOrigin.get(originKey(at)),
  };
  const stop = new AbortController();
  const arms = [...able.keys()];
  const searching = arms.some(({ method, options }) => (method.needs?.(options).tools.length ?? 0) > 0);
  const options = Object.assign({}, ...arms.map(({ cell }) => cell.options)) as Cell["options"];
  const given = Object.fromEntries(Object.entries(options).filter(([name]) => name in wikiOptions));
  const tools = { ...recorded, shown: runFiles.searches, searches: run.searches, fixture: undefined };
  const reason = await runArms({
    arms,
    equip: (arm) => able.get(arm)!, // of these arms
    tool: searching ? openRunTools(given, io, { demo: false, searching: [], recorded: tools }).tool : noTools.tool,
    files,
    concurrency: IN_WORK,
    clock: io.clock,
    online: arms.some(({ cell }) => cell.options.online === true),
    rows,
    stop,
    kill: stop.signal,
    explain(error, at) {
      if (!(error instanceof ReplayMiss)) return undefined;
      const id = requestKey(error.model, error.request).slice(0, ID_LENGTH);
      rows.unanswered(at, id);
      const failure = recordedFailure(id, at, at.cell, recorded);
      return new ModelError(failure ?? `no reply to request ${id} is stored`, { retryable: false, cause: error });
    },
  });
  if (reason !== undefined) throw reason;
  return { rows, missing, asked };
}

const NAME = "recomputed";

/** Rows and units of these cells are those that the stored replies give, and so is what the manifest says of their requests. */
export function checkAgain(cells: readonly Cell[], run: RunRecords, again: MadeAgain): Check[] {
  const missing = new Set(cells.flatMap(({ id }) => again.missing.get(id) ?? []));
  const made = new Set(cells.flatMap(({ id }) => (again.missing.has(id) ? [] : [id])));
  const { compared, problems } = again.rows.compare((cell) => made.has(cell));
  for (const cell of made) problems.push(...repeatProblems(cell, run, again));
  const { size } = run.replies;
  const said = `${compared} ${nounOf(compared, "row and its unit", "rows and their units")} made again from ${size} stored ${nounOf(size, "reply", "replies")}`;
  const rest = [...missing].map((what) => absent(NAME, what));
  return made.size === 0 ? rest : [passedOr(NAME, problems, said), ...rest];
}

/** Calls that a cell repeats, which cost nothing, are those of the manifest. */
function repeatProblems(cell: string, { manifest, replies }: RunRecords, { rows, asked }: MadeAgain): string[] {
  const meters = new Map<string, CallMeter>();
  const made = rows.requestsOf(cell);
  for (const id of made.filter((one, at) => one === made[at - 1])) {
    const { key = "", model = "" } = asked.get(id) ?? {};
    const usage = replies.get(key)?.reply.usage;
    const meter = meters.get(model) ?? new CallMeter();
    if (usage !== undefined) meters.set(model, meter);
    if (usage !== undefined) meter.add(usage);
  }
  const repeated = Object.fromEntries([...meters].map(([model, meter]) => [model, meter.total()]));
  return manifest.finishedAt === undefined || isDeepStrictEqual(manifest.repeated?.[cell] ?? {}, repeated)
    ? []
    : [`${runFiles.manifest}: repeated calls of cell ${cell}, which cost nothing, are not those that were made again`];
}

/** What the names of a cell stand for. Throws UsageError naming what is not here. */
function armAgain(cell: Cell, { manifest }: RunRecords, loaded: ReadonlyMap<string, LoadedTask>, io: Io): Arm {
  const { plan, plugins } = manifest;
  const catalogue = catalogueOf(io);
  const data = loaded.get(cell.task);
  const method = catalogue.methods.find(cell.method);
  if (plan.imported !== undefined) throw new UsageError("the rows are imported predictions, no reply is stored");
  refuseChangedPlugins("it", plugins, catalogue);
  if (data === undefined) throw new UsageError(`${cell.task}: its data are not at hand (--data)`);
  if (method?.callsElsewhere === true || isCommand(cell.method))
    throw new UsageError(`${cell.method}: a program that may call out, its rows rest on no stored reply`);
  if (method === undefined) throw new UsageError(`${cell.method}: no such method here; give its plug-in with --plugin`);
  const control = givenControl(cell.options)["history.control"] ?? "right";
  return {
    cell,
    loaded: data,
    method: controlled(method, control, { task: data.task, seed: cell.seed }),
    options: readOptions(method.options, cell.options),
  };
}

function fileAgain(name: string, { file }: RunRecords): string {
  const text = file(name);
  if (text === undefined) throw new UsageError(`the file ${name} was not kept with the run`);
  return text;
}

/** Gives each cell its models and embedder, which answer from what is stored alone. */
function equipper(
  run: RunRecords,
  {
    missing,
    asked,
  }: { readonly missing: Map<string, string>; readonly asked: Map<string, { key: string; model: string }> },
  io: Io,
): (cell: Cell) => Promise<Equipment> {
  const models = new Map<string, Model>();
  const { plan } = run.manifest;
  const store = {
    get: (key: string) => run.replies.get(key)?.reply,
    put: () => undefined, // nothing is answered that is not stored
  };
  const modelOf = async (id: string): Promise<Model> => {
    const known = models.get(id);
    if (known !== undefined) return known;
    const settings = {
      env: io.env,
      concurrency: 1,
      sendsNothing: true,
      api: recordedApi(plan.cells, id) ?? ("auto" as const),
      omit: namesIn(String(plan.cells.find(({ model }) => model === id)?.options["model.omit"] ?? "")),
      ...(plan.baseUrl === undefined ? {} : { baseUrl: plan.baseUrl }),
    };
    const bare = await openModel(id, settings, catalogueOf(io).providers, plan.endpoints);
    const observe = ({ key }: { readonly key: string }) => void asked.set(key.slice(0, ID_LENGTH), { key, model: id });
    const model = adapted(cached(replaying(bare), store, observe));
    models.set(id, model);
    return model;
  };
  return async (cell) => {
    const further: Record<string, Model> = {};
    for (const [role, id] of Object.entries(furtherModels(cell))) further[role] = await modelOf(id);
    return {
      model: await modelOf(cell.model),
      further,
      embedder: await embedderAgain(cell, run, missing, io),
      temperature: readOptions(runOptions, complete(runOptions, cell.options)).temperature,
    };
  };
}

/** An embedded embedder computes; for the others the stored vectors stand in. Throws UsageError where there are none. */
async function embedderAgain(
  { id, method, options }: Cell,
  { manifest, vectors }: RunRecords,
  missing: Map<string, string>,
  io: Io,
): Promise<Embedder> {
  const among = catalogueOf(io).embedders;
  const { embedder: named, "embedder.similarity": similarity } = readOptions(runOptions, complete(runOptions, options));
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
}
