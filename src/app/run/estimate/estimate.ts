import { defaultEmbedder, openEmbedder } from "../../../embedders/index.js";
import { ModelError, UsageError } from "../../../errors.js";
import { TokenGauge } from "../../../models/bytes-per-token.js";
import { CallSums } from "../../../models/call-sums.js";
import { openModel } from "../../../models/index.js";
import { ofBatches, pricesAt } from "../../../models/prices.js";
import { modelOf as furtherOrOwn } from "../../../registry/further-models.js";
import { variantOf } from "../../../report/arms.js";
import { staleLine } from "../../../report/tables/format.js";
import { EqualRequests } from "../../../run/equal-requests.js";
import type { ToolOf } from "../../../run/kit.js";
import type { Manifest } from "../../../run/manifest.js";
import {
  type BoundSettings,
  type Bounds,
  boundArm,
  type Expected,
  NOTHING_EXPECTED,
  plusExpected,
  type Rehearsal,
  rehearseArm,
  standInFor,
} from "../../../run/rehearse.js";
import type { Cell, Clock, PhaseTotals } from "../../../types/index.js";
import type { RunSettings } from "../config/run-settings.js";
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
  /** Hears of every request of the walk that bounds are taken from. */
  readonly heard?: BoundSettings["heard"];
}

/** What the arms of a run would ask for, at today's prices, own ones before those of the list. Sends nothing and writes nothing. */
export async function estimate(
  prepared: Prepared,
  { clock, settings, tokens = {}, rates, heard }: EstimateSources,
): Promise<RunEstimate> {
  const { arms, models, embedders, tools, files } = prepared;
  const listed = pricesAt(clock.now(), settings.prices, settings.endpoints);
  const prices = settings.batch === undefined ? listed : ofBatches(listed);
  const cells = arms.map(({ cell }) => cell);
  const standIn = await openEmbedder(defaultEmbedder, { env: {} });
  const answers = await openModel(demoModel, { env: {}, concurrency: 1, sendsNothing: true });
  const rehearsalTool = quiet(tools);
  // An embedder that calls out, or loads weights, is stood in for: a dry run sends nothing.
  const lines: EstimateLine[] = [];
  const requests = new EqualRequests();
  const asked = new Set<string>();
  const free: Free[] = [];
  let [sent, least] = [NOTHING_EXPECTED, NOTHING_EXPECTED];
  let callsLow = 0;
  const modelOf = new Map(models.map((model) => [model.id, model]));
  for (const arm of arms) {
    const { cell } = arm;
    const model = modelOf.get(cell.model)!; // arms are planned over these
    const embedder = embedders.of(cell.options);
    const stood = embedders.isCostly(cell.options) ? { embedder: standIn, standsFor: embedder.id } : { embedder };
    const found = await boundArm(arm, {
      ...stood,
      capabilities: model.capabilities,
      further: new Map(models.map(({ id, capabilities }) => [id, capabilities])),
      tool: tools.tool,
      files,
      requests,
      ...(heard && { heard }),
    }).catch(refused);
    const price = (phase: string, calls: CallSums) => prices.ofCalls(furtherOrOwn(phase, cell), calls)?.usd;
    const rehearsed = await rehearseArm(arm, {
      standIn: (id) =>
        standInFor(modelOf.get(id) ?? model, answers, new TokenGauge(id, tokens[id]?.[cell.method]).bytesPerToken),
      embedder: stood.embedder,
      tool: rehearsalTool,
      files,
      asked,
      price: (usage, phase) => prices.ofCall(furtherOrOwn(phase, cell), usage),
    }).catch(refused);
    const ofArm = linesOf(cell, found, rehearsed, { variant: variantOf(cell, cells), price });
    lines.push(...ofArm);
    sent = plusExpected(sent, rehearsed.sent);
    least = plusExpected(
      least,
      leastOf(ofArm, (usage) => prices.ofCall(model.id, usage)),
    );
    const again = [...found.repeated.values()].reduce((sum, { calls }) => sum + calls, 0);
    callsLow += Math.max(0, ofArm.reduce((sum, line) => sum + line.callsLow, 0) - again);
    for (const [id, totals] of found.repeated) {
      const repeated = new CallSums();
      repeated.add(totals);
      free.push({ ...totals, usd: prices.ofCalls(id, repeated)?.usd ?? 0 });
    }
  }
  const total = totalOf(lines, Math.min(callsLow, Math.floor(sent.calls)), free, sent);
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

/** What an arm adds to its lines, but not to the total. */
interface Free extends PhaseTotals {
  readonly usd: number;
}

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
  cell: Cell,
  { phases, shared }: Bounds,
  rehearsed: Rehearsal,
  { variant, price }: { variant: string; price: (phase: string, calls: CallSums) => number | undefined },
): EstimateLine[] {
  const { task, repeat } = cell;
  const method = variant === "" ? cell.method : `${cell.method} (${variant})`;
  const line = (
    phase: string,
    name: string,
    bound: NonNullable<Bounds["phases"]["answer"]>,
    expected: Expected,
  ): EstimateLine => ({
    task,
    method: repeat === 0 ? method : `${method} #${repeat + 1}`,
    phase: name,
    callsLow: bound.low,
    callsHigh: bound.high,
    tokensIn: bound.tokensIn,
    tokensOut: bound.tokensOut,
    usd: price(phase, bound.sums),
    expected: { ...expected, calls: Math.min(Math.max(expected.calls, bound.low), bound.high) },
  });
  const expectedOf = (of: Rehearsal["phases"], phase: string): Expected =>
    Object.entries(of).find(([name]) => name === phase)?.[1] ?? NOTHING_EXPECTED;
  return [
    ...Object.entries(phases).map(([phase, bound]) => line(phase, phase, bound, expectedOf(rehearsed.phases, phase))),
    ...Object.entries(shared).map(([phase, bound]) =>
      line(phase, `${phase} (shared)`, bound, expectedOf(rehearsed.shared, phase)),
    ),
  ];
}

function totalOf(
  lines: readonly EstimateLine[],
  callsLow: number,
  free: readonly Free[],
  expected: Expected,
): EstimateLine {
  const sum = (part: (line: EstimateLine) => number) => lines.reduce((total, line) => total + part(line), 0);
  const less = (part: (arm: Free) => number) => free.reduce((total, arm) => total + part(arm), 0);
  return {
    task: "total",
    method: "",
    phase: "",
    callsLow,
    callsHigh: sum(({ callsHigh }) => callsHigh) - less(({ calls }) => calls),
    tokensIn: sum(({ tokensIn }) => tokensIn) - less((arm) => arm.in),
    tokensOut: sum(({ tokensOut }) => tokensOut) - less(({ out }) => out),
    usd: lines.some(({ usd }) => usd === undefined) ? undefined : sum(({ usd }) => usd ?? 0) - less(({ usd }) => usd),
    expected,
  };
}
