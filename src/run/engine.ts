import pLimit from "p-limit";
import { BudgetError, ModelError } from "../errors.js";
import { seeded } from "../random/seeded.js";
import { learned, observed, turnOf } from "../tasks/experience.js";
import { readReply } from "../tasks/reply-reading.js";
import type {
  Answerer,
  Example,
  Kit,
  Model,
  OthersPool,
  Outcome,
  Row,
  Turn,
  Unit,
  UnitRecord,
} from "../types/index.js";
import { type Deadline, openDeadline } from "./deadline.js";
import { type EngineSettings, learningFailed, type Rows, type Width } from "./engine-settings.js";
import { type ArmContext, type Ledger, openKit } from "./kit.js";
import { inOrder, type OrderedArm, Slots } from "./order.js";
import { askedRoles } from "./plan/roles.js";
import type { Arm } from "./plan/types.js";
import { retrieveIn } from "./retrieve.js";
import { abortOnError, allOf, armStop, callFailure, Stopping } from "./stops.js";

/**
 * Runs every arm over its units and returns why it ended: undefined when all is done. All arms go on together, user by user, so
 * that a run which ends early has the same users in each; results do not depend on the order in which units finish.
 * Throws what is neither a model's failure nor a cap: that is a bug or a usage error.
 */
export async function runArms(settings: EngineSettings): Promise<unknown> {
  const going = begin(settings);
  await inOrder(orderedArms(settings, going), { stop: settings.stop.signal, used: settings.used });
  await ended(going); // calls whose method gave up meanwhile cost money: their replies are stored
  const reason: unknown = settings.stop.signal.aborted ? settings.stop.signal.reason : allOf(going.givenUp);
  if (reason instanceof Error && !(reason instanceof BudgetError) && !(reason instanceof ModelError)) throw reason;
  return reason;
}

/** Works on units as somebody hands them out, instead of on all in order. */
export function handedOut(settings: EngineSettings): HandedOut {
  const going = begin(settings);
  const arms = orderedArms(settings, going);
  return {
    async work(arm, unit) {
      const [other] = settings.arms.includes(arm) ? [] : orderedArms({ ...settings, arms: [arm] }, going);
      const ordered = other ?? arms[settings.arms.indexOf(arm)]!; // one for each
      await ordered.work(unit);
      if (ordered.isGivenUp()) throw settings.stop.signal.aborted ? settings.stop.signal.reason : allOf(going.givenUp);
    },
    ended: () => ended(going),
  };
}

/** What all arms of a run have in common while it goes on. */
interface Going {
  /** What is out: calls, searches, answers of programs, vectors. */
  readonly inFlight: Set<Promise<unknown>>;
  /** Why models were given up. */
  readonly givenUp: Set<ModelError>;
  readonly deadline: Deadline;
}

function begin({ deadlineSeconds = DEADLINE_SECONDS, kill }: EngineSettings): Going {
  const inFlight = new Set<Promise<unknown>>();
  const deadline = openDeadline({ seconds: deadlineSeconds, kill, isWaiting: () => inFlight.size > 0 });
  return { inFlight, givenUp: new Set(), deadline };
}

async function ended({ inFlight, deadline }: Going): Promise<void> {
  deadline.close();
  await Promise.allSettled(inFlight);
}

const DEADLINE_SECONDS = 300;

interface HandedOut {
  /** Ends when all records of the unit are made. Throws why it came to no end. */
  work(arm: Arm, unit: Unit): Promise<void>;
  /** Ends when calls whose method gave up meanwhile have ended. */
  ended(): Promise<void>;
}

/** The first words of a row's error where the preparation of its unit failed. */
const PREPARING = "preparing the user: ";

/** The arms in the order of work; those that share a pool share what is built of it. */
function orderedArms(settings: EngineSettings, going: Going): OrderedArm[] {
  const common = new Map<OthersPool, NonNullable<ArmContext["common"]>>();
  const slots = new Map<string, { readonly units: Slots; readonly questions: ReturnType<typeof pLimit> }>();
  const widths = settings.arms.map((arm) => widthOf(arm, settings));
  return settings.arms.map((arm, index) => {
    const { of } = widths[index]!; // one for each
    const width = Math.max(...widths.flatMap((one) => (one.of === of ? one.width : [])));
    const mine = slots.get(of) ?? { units: new Slots(width), questions: pLimit(width) };
    slots.set(of, mine);
    const { units, others } = arm.loaded;
    const ofPool = common.get(others) ?? new Map<string, Promise<unknown>>();
    common.set(others, ofPool);
    const own = { ...settings, stop: armStop(settings.stop, going.givenUp), within: going.deadline.within };
    const context = contextOf(arm, ofPool, own, going.inFlight);
    return {
      units,
      kind: [arm.cell.task, arm.cell.method, arm.cell.model].join(" "),
      slots: mine.units,
      isGivenUp: () => own.stop.signal.aborted,
      work: (unit) => abortOnError(runUnit(arm, unit, context, own, mine.questions), own.stop),
    };
  });
}

const widthOf = (arm: Arm, { concurrency }: EngineSettings): Width =>
  typeof concurrency === "number" ? { of: "", width: concurrency } : concurrency(arm);

/** Of one arm. */
type ArmSettings = EngineSettings & Pick<Deadline, "within">;

async function runUnit(
  arm: Arm,
  unit: Unit,
  ofArm: ArmContext,
  settings: ArmSettings,
  questionSlots: <T>(job: () => Promise<T>) => Promise<T>,
): Promise<void> {
  const random = seeded(`${arm.cell.seed}/${arm.cell.task}/${unit.id}/retrieve`);
  const retrieve = retrieveIn(unit.user.history, arm.loaded.task, { embedder: ofArm.embedder, random });
  const context = { ...ofArm, retrieve };
  const answerer = await prepare(arm, unit, context, settings);
  const answer = async (example: Example): Promise<void> => {
    if (settings.stop.signal.aborted) return;
    const worker = context.waits?.worker();
    const opened = openKit(context, unit.id, example.question.id, worker);
    await answerQuestion(arm, unit, example, answerer, opened, settings).finally(() => worker?.end());
  };
  const inOrder = isStream(arm, settings) || arm.method.sequential?.(arm.options) === true;
  if (inOrder) for (const example of unit.examples) await answer(example);
  else
    await Promise.all(
      unit.examples.map((example) =>
        abortOnError(
          questionSlots(() => answer(example)),
          settings.stop,
        ),
      ),
    );
}

/** The unit's answerer; where its preparation failed, an answerer that fails every question with that reason. */
async function prepare(arm: Arm, unit: Unit, context: ArmContext, settings: ArmSettings): Promise<Answerer> {
  const worker = context.waits?.worker();
  const { kit, ledger } = openKit(context, unit.id, undefined, worker);
  const keep = (): void => {
    const { id, history } = unit.user;
    const origin = { cell: arm.cell.id, unit: unit.id };
    record({ ...origin, user: id, historySize: history.length }, ledger, settings.rows);
  };
  try {
    const answerer = await settings.within(arm.method.personalize(unit.user, arm.options, kit));
    keep();
    return answerer;
  } catch (error) {
    const failure = callFailure(error, settings.stop);
    kit.count("preparation-failed");
    keep(); // its calls have cost money
    return () => Promise.reject(new ModelError(`${PREPARING}${failure.message}`, { retryable: false }));
  } finally {
    worker?.end();
  }
}

/** Keeps what a unit, or a value that all units share, took to prepare. */
function record(facts: Omit<UnitRecord, "spend" | "incidents" | "simulated">, ledger: Ledger, rows: Rows): void {
  const simulated = ledger.simulated() ? { simulated: true } : {};
  rows.unit({ ...facts, spend: ledger.spend(), incidents: ledger.incidents(), ...simulated });
  rows.trace({ cell: facts.cell, unit: facts.unit, requests: ledger.requests(), notes: ledger.notes() });
}

async function answerQuestion(
  arm: Arm,
  unit: Unit,
  example: Example,
  answerer: Answerer,
  { kit, ledger }: ReturnType<typeof openKit>,
  settings: ArmSettings,
): Promise<void> {
  const remembered = (turn: Turn, asked: boolean) =>
    intoMemory(kit, settings, () => observed(turn, asked, answerer, kit));
  const isDialogue = arm.loaded.task.dialogue === true;
  for (const turn of isDialogue ? (example.before ?? []) : []) await remembered(turn, false);
  let outcome: Outcome;
  try {
    outcome = readReply(arm.loaded.task, example.question, await settings.within(answerer(example.question, kit)));
  } catch (error) {
    outcome = { kind: "failed", error: callFailure(error, settings.stop).message };
  }
  if (isDialogue) await remembered(turnOf(example, outcome), true);
  else if (settings.online === true)
    await intoMemory(kit, settings, () => learned(arm.loaded.task, example, answerer, kit));
  const origin = { cell: arm.cell.id, unit: unit.id, question: example.question.id };
  settings.rows.trace({ ...origin, requests: ledger.requests(), notes: ledger.notes() });
  const row: Row = {
    ...origin,
    task: arm.cell.task,
    method: arm.cell.method,
    user: unit.user.id,
    content: example.question.content,
    ...(example.gold === undefined ? {} : { gold: example.gold }),
    ...example.facts,
    outcome,
    ...(isStream(arm, settings) ? { position: unit.examples.indexOf(example) + 1 } : {}),
    spend: ledger.spend(),
    ...(arm.method.callsElsewhere === true && ledger.requests().length === 0 ? { spendUnknown: true } : {}),
    incidents: ledger.incidents(),
    ...(ledger.simulated() ? { simulated: true } : {}),
  };
  settings.rows.row(row);
  settings.onRow?.(row);
}

/** Whether the questions of a user are asked one after the other, each remembered before the next. */
const isStream = ({ loaded }: Arm, { online }: EngineSettings): boolean =>
  online === true || loaded.task.dialogue === true;

/** Lets something enter memory, also where the answer failed. */
async function intoMemory(kit: Kit, { stop, within }: ArmSettings, job: () => Promise<void>): Promise<void> {
  try {
    await within(job());
  } catch (error) {
    callFailure(error, stop);
    kit.count(learningFailed);
  }
}

function contextOf(
  arm: Arm,
  common: ArmContext["common"],
  settings: EngineSettings,
  inFlight: Set<Promise<unknown>>,
): ArmContext {
  const { stop, kill, tool, rows, explain, files, waits, programs, onAsk } = settings;
  const { further, embedder, temperature, model } = settings.equip(arm);
  const out = <T>(job: Promise<T>): Promise<T> => {
    inFlight.add(job);
    return job.finally(() => inFlight.delete(job));
  };
  const gated = (asked: Model): Model => ({
    id: asked.id,
    capabilities: asked.capabilities,
    simulated: asked.simulated,
    complete(request) {
      if (stop.signal.aborted) return Promise.reject(new Stopping());
      return out(asked.complete(request, kill)).catch((error: unknown) => {
        if (!(error instanceof ModelError)) stop.abort(error); // no failure of the method's
        throw error;
      });
    },
  });
  const named = Object.entries(further ?? {}).map(([role, one]) => [role, gated(one)] as const);
  const { cell, loaded } = arm;
  return {
    cell,
    task: loaded.task,
    model: gated(model),
    roles: askedRoles(arm.method, arm.options),
    further: Object.fromEntries(named),
    embedder: {
      id: embedder.id,
      get dimensions() {
        return embedder.dimensions;
      },
      embed: (texts) => out(embedder.embed(texts)),
    },
    others: loaded.others,
    tool(name, at) {
      const found = tool(name, at);
      return found && { ...found, run: (input, use) => out(found.run(input, use)) };
    },
    out,
    temperature,
    signal: kill,
    shared: new Map(),
    common,
    ...(waits === undefined ? {} : { waits }),
    ...(files === undefined ? {} : { files }),
    ...(programs === undefined ? {} : { programs }),
    ...(explain === undefined ? {} : { explain }),
    ...(onAsk === undefined ? {} : { onAsk }),
    onShared(key, ledger) {
      if (ledger.requests().length + ledger.notes().length + Object.keys(ledger.incidents()).length === 0) return;
      const origin = { cell: cell.id, user: "", unit: `shared/${key}` };
      record({ ...origin, shared: true, historySize: 0 }, ledger, rows);
    },
  };
}
