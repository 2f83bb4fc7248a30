import { defaultEmbedder, openEmbedder } from "../embedders/index.js";
import { ModelError, UsageError } from "../errors.js";
import { openModel } from "../models/index.js";
import { givePrice, ofBatches, pricesAt } from "../models/prices.js";
import { memoryBook, Once } from "../outside/once.js";
import { defaultConcurrency } from "../outside/servers.js";
import { bytesPerTokenIn, findReplyIn } from "../outside/stand-ins.js";
import { demoModel, type RunRequest } from "../plan/settings.js";
import type { LoadedTask } from "../plan/types.js";
import { type ReusedRun, reusedRun } from "../record/reused.js";
import type { ReadingIo, Runs } from "../record/stored-run.js";
import { dash } from "../report/table.js";
import { formatAmount, formatScore, formatUsd, staleLine } from "../report/tables/format.js";
import { renderText } from "../report/tables/text.js";
import { variantOf } from "../results/arms.js";
import { effectiveNumber, MIN_EFFECTIVE, MIN_USERS } from "../results/inference.js";
import { studentQuantile } from "../results/student.js";
import { estimateArms, type PhaseEstimate } from "../run/estimate.js";
import type { World } from "../run/world.js";
import { countOf } from "../text/count.js";
import type { Task } from "../types/index.js";
import { duration } from "./duration.js";
import { printJson } from "./json.js";
import { openRequest } from "./run-request.js";
import type { CommandIo } from "./terminal.js";
import { showPlan } from "./watch.js";

/** Calls and cost that a run would have. */
export interface RunEstimate {
  readonly phases: readonly EstimateLine[];
  /** Of all arms. What is expected counts equal requests once. */
  readonly total: EstimateLine;
  /** Calls that are answered in the folder or in a reused log; no other number counts them. */
  readonly atHand: number;
  /** As tables. */
  readonly text: string;
}

/** One phase of one arm. */
export interface EstimateLine extends PhaseEstimate {
  readonly task: string;
  readonly method: string;
}

/** Prints what a run would ask for. */
export async function dryRun(request: RunRequest, io: CommandIo, json: boolean): Promise<void> {
  const { text, ...numbers } = await estimateRun({ ...request, onEvent: showPlan(io) }, io);
  if (json) printJson(io, "run", { dryRun: true, config: request.config, ...numbers });
  else io.out(text);
}

/** Estimates what a run would ask for, by arm and phase, at the prices of the day. Sends nothing and writes nothing. */
export async function estimateRun(request: RunRequest, io: ReadingIo): Promise<RunEstimate> {
  const world = await openRequest(request, io, { dryRun: true });
  const { arms, models, plan } = world;
  const listed = pricesAt(io.clock.now(), plan.prices, plan.servers.endpoints);
  const prices = plan.servers.batch === undefined ? listed : ofBatches(listed);
  const {
    arms: phases,
    total: all,
    atHand,
  } = await estimated(world, prices, { runs: io.runs, reuse: [request.reuse ?? []].flat() });
  const specs = arms.map(({ spec }) => spec);
  const lines = specs.flatMap((arm, at) => {
    const variant = variantOf(arm, specs);
    const repeat = arm.repeat === 0 ? "" : ` #${arm.repeat + 1}`;
    const method = `${arm.method}${variant === "" ? "" : ` (${variant})`}${repeat}`;
    return phases[at]!.map((phase): EstimateLine => ({ task: arm.task, method, ...phase }));
  });
  const total = { task: "total", method: "", phase: "", ...all };
  const unpriced = models.filter(
    ({ id, simulated }) => !simulated && prices.ofCall(id, { in: 1, out: 1 }) === undefined,
  );
  const text = [
    "dry run: nothing was sent. The expected total counts equal requests once.",
    ...(atHand === 0 ? [] : [`${countOf(atHand, "call")} answered already, which no number below counts`]),
    ...models.flatMap(({ id }) => staleLine(id, prices.staleSince(id)) ?? []),
    ...arms.flatMap(({ method }) => (method.callsElsewhere === true ? [unplanned(method.name)] : [])),
    ...unpriced.map(({ id }) => `the price of ${id} is unknown, so its dollars are, too: ${givePrice(id)}`),
    linesText([...lines, total]),
    ...timeLine(logsOf(world, io.runs), total.expected.calls, world),
    "",
    ...world.loaded.map(powerLine),
  ].join("\n");
  return { phases: lines, total, atHand, text };
}

/** The logs that hold replies: of the run itself, and reused ones. */
function logsOf({ folder, modelAccess, reused }: World, runs: Runs): readonly ReusedRun[] {
  const own = runs.find(folder);
  return [...(own === undefined ? [] : [reusedRun(own, modelAccess)]), ...reused];
}

/** Says how long the expected calls take, by the time that replies at hand took; nothing where there are none. */
function timeLine(logs: readonly ReusedRun[], calls: number, { models, plan }: World): string[] {
  const taken = logs.flatMap(({ log }) => [...log.state.answers.values()].flatMap(({ ms }) => ms ?? []));
  const [model] = models;
  if (taken.length === 0 || model === undefined) return [];
  const { concurrency, baseUrl } = plan.servers;
  const width = concurrency ?? defaultConcurrency(model.address ?? baseUrl, model.simulated);
  const seconds = taken.reduce((sum, ms) => sum + ms, 0) / taken.length / 1000;
  return [
    `time expected: ${duration((calls * seconds) / width)} with ${countOf(width, "call")} in flight; a reply took ${seconds.toFixed(1)} s (${countOf(taken.length, "reply", "replies")} at hand)`,
  ];
}

const unplanned = (method: string): string =>
  `${method}: a program has no plan of its calls; run a few users, then --reuse that run here`;

/** Executes the arms with replies at hand, else with those of the embedded model. */
async function estimated(
  world: World,
  prices: ReturnType<typeof pricesAt>,
  { runs, reuse }: { readonly runs: Runs; readonly reuse: readonly string[] },
): ReturnType<typeof estimateArms> {
  const { arms, models, embedders, tools, files, plan, folder } = world;
  const own = runs.find(folder);
  const logs = logsOf(world, runs);
  const modelOf = new Map(models.map((model) => [model.id, model]));
  const standInEmbedder = await openEmbedder(defaultEmbedder, { env: {} });
  try {
    const toolOf = tools.toolOf(new Once(memoryBook()));
    return await estimateArms(arms, {
      model: (id) => modelOf.get(id) ?? models[0]!,
      replyModel: await openModel(demoModel, { env: {}, concurrency: 1, sendsNothing: true }),
      bytesPerToken: bytesPerTokenIn(logs),
      find: findReplyIn(logs),
      runs: [...(own === undefined ? [] : [own]), ...reuse.map((name) => runs.getWithPacks(name, `--reuse ${name}`))],
      embedder({ spec: { options } }) {
        const { embedder, isCostly } = embedders.of(options);
        return isCostly ? { embedder: standInEmbedder, standsFor: embedder.id } : { embedder };
      },
      tool(name, at) {
        const found = toolOf(name, at);
        if (found === undefined || tools.fixture !== undefined) return found; // recorded pages are at hand
        return { ...found, run: async () => "word ".repeat(240) }; // a text of usual length
      },
      files,
      online: plan.online,
      price: (model, usage) => prices.ofCall(model, usage),
    });
  } catch (error) {
    throw error instanceof ModelError ? new UsageError(error.message) : error; // known before the run, and no fault of the tool
  }
}

/** Returns the questions of each user, or cluster where the data name one. */
function sizesOf({ units }: LoadedTask): readonly number[] {
  const sizes = new Map<string, number>();
  for (const { user, examples } of units)
    for (const { facts } of examples) {
      const cluster = facts?.cluster ?? user.id;
      sizes.set(cluster, (sizes.get(cluster) ?? 0) + 1);
    }
  return [...sizes.values()];
}

function linesText(lines: readonly EstimateLine[]): string {
  const titles = [
    ...["task", "method", "phase", "calls", "expected", "tokens expected"],
    ...["tokens in <=", "tokens out <=", "cost expected", "cost <="],
  ];
  const rows = lines.map(({ task, method, phase, callsLow, callsHigh, tokensIn, tokensOut, usd, expected }) => [
    ...[task, method, phase],
    callsLow === callsHigh || Number.isNaN(callsHigh)
      ? formatAmount(callsHigh)
      : `${formatAmount(callsLow)}..${formatAmount(callsHigh)}`,
    formatAmount(Math.round(expected.calls)),
    formatAmount(Math.round(expected.tokensIn + expected.tokensOut)),
    ...[formatAmount(tokensIn), formatAmount(tokensOut), costText(expected.usd), costText(usd)],
  ]);
  const legend = lines.some(({ usd }) => usd === undefined) ? [`${dash}: no price is known`] : [];
  return renderText({ columns: titles.map((title, c) => ({ title, align: c < 3 ? "left" : "right" })), rows, legend });
}

const costText = (usd: number | undefined): string => (usd === undefined ? dash : formatUsd(usd));

/** Says which difference the users of a task can find, before any reply is there. */
function powerLine(loaded: LoadedTask): string {
  const { task, questions } = loaded;
  const sizes = sizesOf(loaded);
  const users = new Set(Array.from(loaded.units, ({ user }) => user.id)).size;
  const smallest = detectableDifference(sizes, task.kind);
  const [headline] = task.metrics;
  const inEffect = `n_e ${formatAmount(effectiveNumber(sizes))}`;
  const size = `${task.name}: ${countOf(users, "user")} (${inEffect}), ${countOf(questions, "question")}`;
  if (smallest === undefined || headline === undefined)
    return `${size}: too few for intervals and p (${MIN_USERS} users needed, and n_e ${MIN_EFFECTIVE})`;
  const { words, most = Infinity } = assumedSpread[task.kind];
  if (smallest > most) return `${size}: too few to find any difference in 80 % of cases, ${words}`;
  return `${size}: a difference in ${headline.name} of ${formatScore(smallest)} is found in 80 % of cases, ${words}`;
}

/**
 * Returns the smallest difference detectable at 80 % power with the assumed spread; `sizes`: the questions of each user. Undefined
 * where a comparison has no p. The design effect goes by n_e (Kish, Survey Sampling, 1965).
 */
export function detectableDifference(sizes: readonly number[], kind: Task["kind"]): number | undefined {
  const [questions, effective] = [sizes.reduce((sum, size) => sum + size, 0), effectiveNumber(sizes)];
  if (sizes.length < MIN_USERS || effective < MIN_EFFECTIVE) return undefined;
  const se =
    assumedSpread[kind].deviation * Math.sqrt((1 + (questions / effective - 1) * INTRACLASS_CORRELATION) / questions);
  return (studentQuantile(0.975, effective - 1) + studentQuantile(0.8, effective - 1)) * se;
}

/** A difference is at most the share of questions on which the two disagree. */
const disagreement = {
  deviation: Math.sqrt(0.2),
  most: 0.2,
  words: "where two methods disagree on one question in five",
};

/** The spread of a difference on one question that is assumed before any reply is there. `most`: the largest difference that fits it. */
const assumedSpread: Readonly<
  Record<Task["kind"], { readonly deviation: number; readonly words: string; readonly most?: number }>
> = {
  label: disagreement,
  choice: disagreement,
  rating: { deviation: 0.6, words: "where the errors of two methods differ by .6 (standard deviation)" },
  text: { deviation: 0.15, words: "where the scores of two methods differ by .15 (standard deviation)" },
};

/** Correlation of the differences on two questions of one user. */
const INTRACLASS_CORRELATION = 0.05;
