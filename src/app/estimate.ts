import { defaultEmbedder, openEmbedder } from "../embedders/index.js";
import { ModelError, UsageError } from "../errors.js";
import { type TokenFacts, TokenGauge } from "../models/bytes-per-token.js";
import { openModel } from "../models/index.js";
import { ofBatches, pricesAt } from "../models/prices.js";
import { staleLine } from "../report/tables/format.js";
import { variantOf } from "../results/arms.js";
import { estimateArms } from "../run/estimate/estimate.js";
import type { Load } from "../run/estimate/execute.js";
import type { Io } from "../run/io.js";
import type { ToolOf } from "../run/kit.js";
import { type Manifest, readManifest } from "../run/manifest.js";
import { repliesIn } from "../run/outside/pretended.js";
import { type OpenedLog, openReused } from "../run/outside/reuse.js";
import type { RunTools } from "../run/tools.js";
import { type Prepared, prepare } from "../run/world.js";
import { demoModel, type RunRequest } from "../run/plan/settings.js";
import { minutesOf, paceOf } from "../run/estimate/pace.js";
import { type EstimateLine, estimateText, type Guess, type RunEstimate } from "./estimate-text.js";

export type { EstimateLine, RunEstimate } from "./estimate-text.js";

/** Estimates what a run would ask for, by arm and phase, at the prices of the day. Sends nothing and writes nothing. */
export async function estimateRun(request: RunRequest, io: Io): Promise<RunEstimate> {
  const prepared = await prepare(request, io, { dryRun: true });
  const { arms, models, embedders, tools, files, settings } = prepared;
  const own = openOwn(prepared);
  const logs = [...(own === undefined ? [] : [own]), ...prepared.reused];
  const listed = pricesAt(io.clock.now(), settings.prices, settings.endpoints);
  const prices = settings.batch === undefined ? listed : ofBatches(listed);
  const similar = await openEmbedder(defaultEmbedder, { env: {} });
  const modelOf = new Map(models.map((model) => [model.id, model]));
  const { arms: phases, ...loads } = await estimateArms(arms, {
    model: (id) => modelOf.get(id) ?? models[0]!,
    answers: await openModel(demoModel, { env: {}, concurrency: 1, sendsNothing: true }),
    bytesPerToken: bytesPerToken(logs.map(({ manifest }) => manifest)),
    find: repliesIn(logs),
    embedder({ cell: { options } }) {
      const embedder = embedders.of(options);
      return embedders.isCostly(options) ? { embedder: similar, standsFor: embedder.id } : { embedder };
    },
    tool: quiet(tools),
    files,
    online: settings.online,
    price: (model, usage) => prices.ofCall(model, usage),
  }).catch((error: unknown) => {
    throw error instanceof ModelError ? new UsageError(error.message) : error; // known before the run, and no fault of the tool
  });
  own?.log.close();
  const lines = arms.flatMap(({ cell }, at) => {
    const variant = variantOf(
      cell,
      arms.map((arm) => arm.cell),
    );
    const method = variant === "" ? cell.method : `${cell.method} (${variant})`;
    return phases[at]!.map(({ phase, isShared, low, high, most, expected }): EstimateLine => {
      const { tokensIn, tokensOut, usd } = most;
      return {
        task: cell.task,
        method: cell.repeat === 0 ? method : `${method} #${cell.repeat + 1}`,
        phase: isShared ? `${phase} (shared)` : phase,
        ...{ callsLow: low, callsHigh: high, tokensIn, tokensOut, usd, expected },
      };
    });
  });
  const { low, expected, high, atHand } = loads;
  const { calls: callsHigh, ...most } = high;
  const total = { task: "total", method: "", phase: "", callsLow: low.calls, callsHigh, ...most, expected };
  const pace = paceOf(settings, own?.manifest.rates);
  const timed = (load: Load): Guess => ({ ...load, minutes: minutesOf(load, pace) });
  const guesses = { low: timed(low), expected: timed(expected), high: timed(high) };
  const unpriced = models.filter(
    ({ id, simulated }) => !simulated && prices.ofCall(id, { in: 1, out: 1 }) === undefined,
  );
  const remarks = [
    ...models.flatMap(({ id }) => staleLine(id, prices.staleSince(id)) ?? []),
    ...unpriced.map(({ id }) => `the price of ${id} is unknown: --prices FILE gives it`),
  ];
  const found = { phases: lines, total, guesses, atHand };
  return { ...found, text: estimateText(prepared, found, { remarks, pace }) };
}

/** Opens the log of the run's folder, where there is one. */
function openOwn({ folder, asked }: Prepared): OpenedLog | undefined {
  if (readManifest(folder) === undefined) return undefined;
  return openReused(folder, { cwd: "/", flag: "--reuse", models: asked });
}

/**
 * Returns how many bytes a token has, by model and method: as replies of earlier runs showed, for a new method as they did to the
 * others.
 */
function bytesPerToken(manifests: readonly Manifest[]): (model: string, method: string) => number {
  const facts = (model: string): [string, TokenFacts][] =>
    manifests.flatMap(({ bytesPerToken: known = {} }) => Object.entries(known[model] ?? {}));
  return (model, method) => {
    const all = facts(model).sort(([, a], [, b]) => b.replies - a.replies);
    const [, best] = all.find(([name]) => name === method) ?? all[0] ?? [];
    return new TokenGauge(model, best, FEWEST_REPLIES).bytesPerToken;
  };
}

const FEWEST_REPLIES = 5;

/** Pages of a fixture are at hand; what would be asked outside is answered with a text of usual length. */
function quiet({ tool, fixture }: Pick<RunTools, "tool" | "fixture">): ToolOf {
  if (fixture !== undefined) return tool;
  return (name, at) => {
    const found = tool(name, at);
    return found === undefined ? undefined : { ...found, run: async () => "word ".repeat(240) };
  };
}
