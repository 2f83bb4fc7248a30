import { ModelError } from "../errors.js";
import type { Arm } from "../plan/types.js";
import { seeded } from "../random/seeded.js";
import { appendableSearch } from "../retrievers/appendable-search.js";
import { bm25 } from "../retrievers/bm25.js";
import { learnAnswer, observeTurn, turnOf } from "../tasks/prequential.js";
import { readReply } from "../tasks/reply-reading.js";
import type {
  Answerer,
  Event,
  Example,
  Kit,
  Outcome,
  Question,
  RetrieverKit,
  Row,
  TaskBrief,
  Trace,
  Turn,
  Unit,
  UnitRecord,
} from "../types/index.js";
import { type ArmContext, openKit } from "./kit.js";
import type { Ledger } from "./ledger.js";
import { abortOnError, callFailure } from "./stops.js";

/**
 * Incident of a question whose gold did not enter memory, because a call of the learning failed. The questions behind it saw
 * less than they should: the user's stream is done again from there when the run is taken up again.
 */
export const learningFailed = "learning-failed";

/** Where the engine puts what it produces. */
export interface Rows {
  row(row: Row): void;
  unit(record: UnitRecord): void;
  trace(trace: Trace): void;
}

/** How the units of an arm are worked on. */
interface UnitSettings {
  readonly rows: Rows;
  /** Prequential mode: a user's questions in order, and after each its gold enters what the method remembers. */
  readonly online?: boolean | undefined;
  /** Told of every row, once it is written. */
  readonly onRow?: ((row: Row) => void) | undefined;
  /** Of the arm. */
  readonly stop: AbortController;
  /** Rejects where a method comes to no end. */
  within<T>(job: Promise<T>): Promise<T>;
  /** Bounds the questions in work. */
  slot<T>(job: () => Promise<T>): Promise<T>;
}

/** Personalizes a method for a unit and answers its questions. Rejects with what ends the arm or the run. */
export async function runUnit(arm: Arm, unit: Unit, ofArm: ArmContext, settings: UnitSettings): Promise<void> {
  const random = seeded(`${arm.spec.seed}/${arm.spec.task}/${unit.id}/retrieve`);
  const retrieve = retrieveIn(unit.user.history, arm.loaded.task, { embedder: ofArm.embedder, random });
  const context = { ...ofArm, retrieve };
  const answerer = await prepare(arm, unit, context, settings);
  const answer = async (example: Example): Promise<void> => {
    if (settings.stop.signal.aborted) return;
    const pending = context.waits?.begin();
    const opened = openKit(context, unit.id, example.question.id, pending);
    await answerQuestion({ arm, unit, example, answerer }, opened, settings).finally(() => pending?.end());
  };
  if (isStream(arm, settings) || arm.method.sequential?.(arm.options) === true)
    for (const example of unit.examples) await answer(example);
  else
    await Promise.all(
      unit.examples.map((example) =>
        abortOnError(
          settings.slot(() => answer(example)),
          settings.stop,
        ),
      ),
    );
}

/** The unit's answerer; where its preparation failed, an answerer that fails every question with that reason. */
async function prepare(arm: Arm, unit: Unit, context: ArmContext, settings: UnitSettings): Promise<Answerer> {
  const pending = context.waits?.begin();
  const { kit, ledger } = openKit(context, unit.id, undefined, pending);
  const keep = (): void => {
    const { id, history } = unit.user;
    const origin = { arm: arm.spec.id, unit: unit.id };
    keepRecord({ ...origin, user: id, historySize: history.length }, ledger, settings.rows);
  };
  try {
    const answerer = await settings.within(ledger.whole(arm.method.personalize(unit.user, arm.options, kit)));
    keep();
    return answerer;
  } catch (error) {
    const failure = callFailure(error, settings.stop);
    kit.count("preparation-failed");
    keep(); // its calls have cost money
    return () => Promise.reject(new ModelError(`preparing the user: ${failure.message}`, { retryable: false }));
  } finally {
    pending?.end();
  }
}

/** Keeps what a unit, or a value that all units share, took to prepare. */
export function keepRecord(
  facts: Omit<UnitRecord, "spend" | "incidents" | "simulated">,
  ledger: Ledger,
  rows: Rows,
): void {
  const simulated = ledger.simulated() ? { simulated: true } : {};
  rows.unit({ ...facts, spend: ledger.spend(), incidents: ledger.incidents(), ...simulated });
  rows.trace({ arm: facts.arm, unit: facts.unit, requests: ledger.requests(), notes: ledger.notes() });
}

type OpenedKit = ReturnType<typeof openKit>;

interface Asked {
  readonly arm: Arm;
  readonly unit: Unit;
  readonly example: Example;
  readonly answerer: Answerer;
}

async function answerQuestion(
  { arm, unit, example, answerer }: Asked,
  opened: OpenedKit,
  settings: UnitSettings,
): Promise<void> {
  const { kit, ledger } = opened;
  const { spec, method, loaded } = arm;
  const { question, before = [], gold, facts } = example;
  const remembered = (turn: Turn, asked: boolean) =>
    intoMemory(opened, settings, () => observeTurn(turn, asked, answerer, kit));
  const isDialogue = loaded.task.dialogue === true;
  for (const turn of isDialogue ? before : []) await remembered(turn, false);
  let outcome: Outcome;
  try {
    outcome = readReply(loaded.task, question, await settings.within(ledger.whole(answerer(question, kit))));
  } catch (error) {
    outcome = { kind: "failed", error: callFailure(error, settings.stop).message };
  }
  if (isDialogue) await remembered(turnOf(example, outcome), true);
  else if (settings.online === true)
    await intoMemory(opened, settings, () => learnAnswer(loaded.task, example, answerer, kit));
  const origin = { arm: spec.id, unit: unit.id, question: question.id };
  settings.rows.trace({ ...origin, requests: ledger.requests(), notes: ledger.notes() });
  const row: Row = {
    ...origin,
    ...{ task: spec.task, method: spec.method, user: unit.user.id, content: question.content },
    ...(gold === undefined ? {} : { gold }),
    ...facts,
    outcome,
    ...(isStream(arm, settings) ? { position: unit.examples.indexOf(example) + 1 } : {}),
    spend: ledger.spend(),
    ...(method.callsElsewhere === true && ledger.requests().length === 0 ? { spendUnknown: true } : {}),
    incidents: ledger.incidents(),
    ...(ledger.simulated() ? { simulated: true } : {}),
  };
  settings.rows.row(row);
  settings.onRow?.(row);
}

/** True where the questions of a user are asked one after the other, each remembered before the next. */
const isStream = ({ loaded }: Arm, { online }: UnitSettings): boolean =>
  online === true || loaded.task.dialogue === true;

/** Lets something enter memory, also where the answer failed. */
async function intoMemory(
  { kit, ledger }: OpenedKit,
  { stop, within }: UnitSettings,
  job: () => Promise<void>,
): Promise<void> {
  try {
    await within(ledger.whole(job()));
  } catch (error) {
    callFailure(error, stop);
    kit.count(learningFailed);
  }
}

/** Ranks a user's history by BM25, with the documents, queries and tokens of LaMP where the task has them. It is indexed once, when first asked. */
function retrieveIn(
  history: readonly Event[],
  { styles: { lamp }, formatEvent: show }: TaskBrief,
  kit: Pick<RetrieverKit, "embedder" | "random">,
): Kit["retrieve"] {
  const textOf = (query: Question | string): string =>
    typeof query === "string" ? query : (lamp?.query(query) ?? query.content);
  const tokenize = lamp?.tokenize ?? ((text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
  const document = (event: Event) => ({ text: lamp?.document(event) ?? show(event) });
  let search: ReturnType<typeof appendableSearch<Event>> | undefined;
  return async (query, k) => {
    search ??= appendableSearch(bm25, history, document, { ...kit, tokenize });
    const hits = k === 0 ? [] : await (await search)(textOf(query), k);
    return hits.map(({ item }) => item);
  };
}
