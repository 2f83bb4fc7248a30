import { defaultEmbedder, openEmbedder } from "../../../embedders/index.js";
import { ModelError, UsageError } from "../../../errors.js";
import { TokenGauge } from "../../../models/bytes-per-token.js";
import { openModel } from "../../../models/index.js";
import { ofBatches, pricesAt } from "../../../models/prices.js";
import { modelOf as furtherOrOwn } from "../../../registry/further-models.js";
import { variantOf } from "../../../report/arms.js";
import { staleLine } from "../../../report/tables/format.js";
import type { ToolOf } from "../../../run/kit.js";
import type { Manifest } from "../../../run/manifest.js";
import type { Arm } from "../../../run/plan/plan.js";
import {
  type Bound,
  boundsOf,
  type Expected,
  NOTHING_EXPECTED,
  plusExpected,
  type Rehearsal,
  type RehearsalSettings,
  rehearse,
} from "../../../run/rehearse.js";
import { fillingModel, standInFor } from "../../../run/stand-ins.js";
import type { Clock, PhaseAt, Usage } from "../../../types/index.js";
import type { RunSettings } from "../config/resolve-settings.js";
import type { RunTools } from "../models/tools.js";
import type { Prepared } from "../prepare.js";
import { demoModel } from "../settings.js";
import { estimateText, powerLines } from "./estimate-text.js";
import { type EstimateLine, type Guesses, guessesOf, leastOf, type PaceSettings, paceOf } from "./guess.js";
import type { KnownTokens } from "./token-gauges.js";

/** What a run would ask for. */
export interface RunEstimate {
  readonly phases: readonly EstimateLine[];
  /** Of what is sent: equal requests once. */
  readonly total: EstimateLine;
  /** The same three ways. */
  readonly guesses: Guesses;
  /** The smallest paired difference that the users of each task can show, one line each. */
  readonly power: readonly string[];
  /** As tables. */
  readonly text: string;
}

export type { EstimateLine } from "./guess.js";

/** What an estimate is made from, besides the arms. */
export interface EstimateSources {
  readonly clock: Clock;
  readonly settings: Pick<RunSettings, "prices" | "batch"> & PaceSettings;
  /** What replies of before showed of tokens. */
  readonly tokens?: KnownTokens | undefined;
  /** What was seen of the servers' limits. */
  readonly rates?: Manifest["rates"] | undefined;
}

/** What the arms of a run would ask for, at today's prices, own ones before those of the list. Sends nothing and writes nothing. */
export async function estimate(
  prepared: Prepared,
  { clock, settings, tokens = {}, rates }: EstimateSources,
): Promise<RunEstimate> {
  const { arms, models, embedders, tools, files } = prepared;
  const listed = pricesAt(clock.now(), settings.prices, settings.endpoints);
  const prices = settings.batch === undefined ? listed : ofBatches(listed);
  const cells = arms.map(({ cell }) => cell);
  const standIn = await openEmbedder(defaultEmbedder, { env: {} });
  const answers = await openModel(demoModel, { env: {}, concurrency: 1, sendsNothing: true });
  const rehearsalTool = quiet(tools);
  const lines: EstimateLine[] = [];
  const asked = { most: new Set<string>(), likely: new Set<string>() };
  let [sent, again, least] = [NOTHING_EXPECTED, NOTHING_EXPECTED, NOTHING_EXPECTED];
  let callsLow = 0;
  const modelOf = new Map(models.map((model) => [model.id, model]));
  for (const arm of arms) {
    const { cell } = arm;
    const of = (id: string) => modelOf.get(id) ?? modelOf.get(cell.model)!; // arms are planned over these
    const embedder = embedders.of(cell.options);
    // An embedder that calls out, or loads weights, is stood in for: a dry run sends nothing.
    const stood = embedders.isCostly(cell.options) ? { embedder: standIn, standsFor: embedder.id } : { embedder };
    const price = (usage: Usage, phase: string) => prices.ofCall(furtherOrOwn(phase, cell), usage);
    const most = await rehearse(arm, {
      ...{ ...stood, files, price, tool: tools.tool, asked: asked.most },
      model: (id) => fillingModel(id, of(id).capabilities, arm.loaded.task.labels),
    }).catch(refused);
    const likely = await rehearse(arm, {
      ...{ embedder: stood.embedder, files, price, tool: rehearsalTool, asked: asked.likely, sample: SAMPLE },
      model: (id) => standInFor(of(id), answers, new TokenGauge(id, tokens[id]?.[cell.method]).bytesPerToken),
    }).catch(refused);
    const ofArm = linesOf(arm, most, likely, { price, variant: variantOf(cell, cells) });
    lines.push(...ofArm);
    sent = plusExpected(sent, likely.sent);
    least = plusExpected(
      least,
      leastOf(ofArm, (usage) => prices.ofCall(cell.model, usage)),
    );
    const repeated = lessExpected(allOf(most), most.sent);
    again = plusExpected(again, repeated);
    callsLow += Math.max(0, ofArm.reduce((sum, line) => sum + line.callsLow, 0) - repeated.calls);
  }
  const total = totalOf(lines, Math.min(callsLow, Math.floor(sent.calls)), again, sent);
  const pace = paceOf(settings, rates);
  const guesses = guessesOf(total, least, pace);
  const stale = models.flatMap(({ id }) => staleLine(id, prices.staleSince(id)) ?? []);
  return {
    phases: lines,
    total,
    guesses,
    power: powerLines(prepared),
    text: estimateText(prepared, { lines, total, guesses, stale, pace }),
  };
}

/** What a method refuses to ask of its models is known before the run, and is no fault of the tool. */
function refused(error: unknown): never {
  throw error instanceof ModelError ? new UsageError(error.message) : error;
}

/** Users that are played through for what is expected, and questions of each. */
const SAMPLE = { users: 12, questions: 4 };

/** Pages of a fixture are at hand; what would be asked outside is answered with a text of usual length. */
function quiet({ tool, fixture }: Pick<RunTools, "tool" | "fixture">): ToolOf {
  if (fixture !== undefined) return tool;
  return (name, at) => {
    const found = tool(name, at);
    return found === undefined ? undefined : { ...found, run: async () => OBSERVATION };
  };
}

const OBSERVATION = "word ".repeat(240);

function linesOf(
  arm: Arm,
  most: Rehearsal,
  likely: Rehearsal,
  { price, variant }: { readonly price: RehearsalSettings["price"]; readonly variant: string },
): EstimateLine[] {
  const { task, repeat } = arm.cell;
  const method = variant === "" ? arm.cell.method : `${arm.cell.method} (${variant})`;
  const line = (phase: string, { low, high, most }: Bound, expected = NOTHING_EXPECTED): EstimateLine => ({
    task,
    method: repeat === 0 ? method : `${method} #${repeat + 1}`,
    phase,
    callsLow: low,
    callsHigh: high,
    tokensIn: most.tokensIn,
    tokensOut: most.tokensOut,
    usd: most.usd,
    expected: { ...expected, calls: Math.min(Math.max(expected.calls, low), high) },
  });
  const { phases, shared } = boundsOf(arm, most, price);
  const listed = (bounds: typeof phases) => Object.entries(bounds) as [PhaseAt, Bound][];
  return [
    ...listed(phases).map(([phase, bound]) => line(phase, bound, likely.phases[phase])),
    ...listed(shared).map(([phase, bound]) => line(`${phase} (shared)`, bound, likely.shared[phase])),
  ];
}

/** `again`: what the lines count and the store answers. */
function totalOf(lines: readonly EstimateLine[], callsLow: number, again: Expected, expected: Expected): EstimateLine {
  const sum = (part: (line: EstimateLine) => number) => lines.reduce((total, line) => total + part(line), 0);
  const isPriced = lines.every(({ usd }) => usd !== undefined);
  return {
    task: "total",
    method: "",
    phase: "",
    callsLow,
    callsHigh: sum(({ callsHigh }) => callsHigh) - again.calls,
    tokensIn: sum(({ tokensIn }) => tokensIn) - again.tokensIn,
    tokensOut: sum(({ tokensOut }) => tokensOut) - again.tokensOut,
    usd: isPriced ? sum(({ usd }) => usd ?? 0) - (again.usd ?? 0) : undefined,
    expected,
  };
}

const allOf = ({ phases, shared }: Rehearsal): Expected =>
  [...Object.values(phases), ...Object.values(shared)].reduce(plusExpected, NOTHING_EXPECTED);

const lessExpected = (a: Expected, b: Expected): Expected => ({
  calls: a.calls - b.calls,
  tokensIn: a.tokensIn - b.tokensIn,
  tokensOut: a.tokensOut - b.tokensOut,
  usd: a.usd === undefined || b.usd === undefined ? undefined : a.usd - b.usd,
});
