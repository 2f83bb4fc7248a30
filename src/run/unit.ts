import { ModelError } from "../errors.js";
import type { Arm } from "../plan/types.js";
import { seeded } from "../random/seeded.js";
import { appendableSearch } from "../retrievers/appendable-search.js";
import { bm25 } from "../retrievers/bm25.js";
import { learnAnswer, observeTurn, turnOf } from "../tasks/prequential.js";
import { readReply } from "../tasks/reply-reading.js";
import { defined } from "../text/json.js";
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
import { abortOnError, rowError } from "./failures.js";
import { type ArmContext, type OpenedKit, openKit } from "./kit.js";
import type { Ledger } from "./ledger.js";

/**
 * Incident of a question whose answer was not learned, because a call of the learning failed: the user's later questions know less than
 * they should. A resumed run does them again from there.
 */
export const learningFailed = "learning-failed";

/** Receives the results of a run. */
export interface Rows {
  row(row: Row): void;
  unit(record: UnitRecord): void;
  trace(trace: Trace): void;
}

/** An arm, and how its units are worked on. */
interface ArmWork {
  readonly arm: Arm;
  /** For the kits of the arm. */
  readonly context: ArmContext;
  readonly rows: Rows;
  /** Prequential mode: a user's questions are asked in order, and each gold is learned after its question. */
  readonly online?: boolean | undefined;
  /** Called with each row after it was added to `rows`. */
  readonly onRow?: ((row: Row, isNew: boolean) => void) | undefined;
  /** Stops the arm. */
  readonly stop: AbortController;
  /** Returns the result of a method's promise. Throws ModelError if it never settles. */
  within<T>(job: Promise<T>): Promise<T>;
  /** Runs a job once there is a slot for one more question. */
  limit<T>(job: () => Promise<T>): Promise<T>;
}

/** Prepares a method for a unit and answers its questions. Rejects with an error that ends the arm or the run. */
export async function runUnit(unit: Unit, ofArm: ArmWork): Promise<void> {
  const { arm, stop, limit } = ofArm;
  const random = seeded(`${arm.spec.seed}/${arm.spec.task}/${unit.id}/retrieve`);
  const retrieve = retrieverOf(unit.user.history, arm.loaded.task, { embedder: ofArm.context.embedder, random });
  const work: ArmWork = { ...ofArm, context: { ...ofArm.context, retrieve } };
  const { answerer, keep } = await prepare(unit, work);
  const answer = async (example: Example): Promise<void> => {
    if (stop.signal.aborted) return;
    const opened = openKit(work.context, unit.id, example.question.id);
    await answerQuestion({ unit, example, answerer }, opened, work).finally(opened.close);
  };
  if (isStream(work) || arm.method.sequential?.(arm.options) === true)
    for (const example of unit.examples) await answer(example);
  else
    await Promise.all(
      unit.examples.map((example) =>
        abortOnError(
          limit(() => answer(example)),
          stop,
        ),
      ),
    );
  keep();
}

interface Prepared {
  readonly answerer: Answerer;
  /** Adds the unit's record again if its kit was used since. */
  keep(): void;
}

/** Prepares a unit; if that fails, its answerer fails every question with the same error. */
async function prepare(unit: Unit, { arm, context, rows, stop, within }: ArmWork): Promise<Prepared> {
  const { kit, ledger, close } = openKit(context, unit.id);
  let kept = "";
  const keep = (): void => {
    const now = JSON.stringify([ledger.spend(), ledger.incidents()]);
    if (now === kept) return;
    kept = now;
    const { id, history } = unit.user;
    keepRecord({ arm: arm.spec.id, unit: unit.id, user: id, historySize: history.length }, ledger, rows);
  };
  try {
    const answerer = await within(ledger.whole(arm.method.personalize(unit.user, arm.options, kit)));
    keep();
    return { answerer, keep };
  } catch (error) {
    const { message } = rowError(error, stop);
    kit.count("preparation-failed");
    keep(); // its calls have cost money
    const reason = new ModelError(`preparing the user: ${message}`, { retryable: false });
    return { answerer: () => Promise.reject(reason), keep };
  } finally {
    close();
  }
}

/** Adds the record and the trace of preparing a unit, or a shared value. */
export function keepRecord(
  facts: Omit<UnitRecord, "spend" | "spendUnknown" | "incidents" | "simulated">,
  ledger: Ledger,
  rows: Rows,
): void {
  const counted = { spend: ledger.spend(), ...unknownMark(ledger, true), incidents: ledger.incidents() };
  rows.unit({ ...facts, ...counted, ...simulatedMark(ledger) });
  rows.trace({ arm: facts.arm, unit: facts.unit, requests: ledger.requests(), notes: ledger.notes() });
}

/** `counted`: what holds if no program was asked. */
const unknownMark = ({ allCounted }: Ledger, counted: boolean) =>
  (allCounted ?? counted) ? {} : { spendUnknown: true as const };

const simulatedMark = (ledger: Ledger) => (ledger.simulated() ? { simulated: true } : {});

/** A question of a unit, and what answers it. */
interface OpenQuestion {
  readonly unit: Unit;
  readonly example: Example;
  readonly answerer: Answerer;
}

/** Answers a question, lets its answer be learned where that is due, and adds the row. */
async function answerQuestion(asked: OpenQuestion, opened: OpenedKit, work: ArmWork): Promise<void> {
  const { unit, example, answerer } = asked;
  const { kit, ledger } = opened;
  const { loaded } = work.arm;
  const { question, before = [] } = example;
  const observe = (turn: Turn, wasQuestion: boolean): Promise<void> =>
    learn(opened, work, () => observeTurn(turn, wasQuestion, answerer, kit));
  const isDialogue = loaded.task.dialogue === true;
  if (isDialogue) for (const turn of before) await observe(turn, false);
  let outcome: Outcome;
  try {
    outcome = readReply(loaded.task, question, await work.within(ledger.whole(answerer(question, kit))));
  } catch (error) {
    outcome = { kind: "failed", error: rowError(error, work.stop).message };
  }
  if (isDialogue) await observe(turnOf(example, outcome), true);
  else if (work.online === true) await learn(opened, work, () => learnAnswer(loaded.task, example, answerer, kit));
  const row = rowOf(work, asked, { outcome, ledger });
  work.rows.trace({
    arm: row.arm,
    unit: unit.id,
    question: question.id,
    requests: ledger.requests(),
    notes: ledger.notes(),
  });
  work.rows.row(row);
  work.onRow?.(row, ledger.hasBought);
}

function rowOf(
  work: ArmWork,
  { unit, example }: OpenQuestion,
  { outcome, ledger }: { readonly outcome: Outcome; readonly ledger: Ledger },
): Row {
  const { spec, method } = work.arm;
  const { question, gold, facts } = example;
  return {
    arm: spec.id,
    unit: unit.id,
    question: question.id,
    task: spec.task,
    method: spec.method,
    user: unit.user.id,
    content: question.content,
    ...defined({ gold }),
    ...facts,
    outcome,
    ...(isStream(work) ? { position: unit.examples.indexOf(example) + 1 } : {}),
    spend: ledger.spend(),
    ...unknownMark(ledger, method.callsElsewhere !== true),
    incidents: ledger.incidents(),
    ...simulatedMark(ledger),
  };
}

/** Returns true if a user's questions are asked one after the other, and each is learned before the next. */
const isStream = ({ arm, online }: ArmWork): boolean => online === true || arm.loaded.task.dialogue === true;

/** Runs a job of learning. If it fails, that is counted, and the questions go on. */
async function learn({ kit, ledger }: OpenedKit, work: ArmWork, job: () => Promise<void>): Promise<void> {
  try {
    await work.within(ledger.whole(job()));
  } catch (error) {
    rowError(error, work.stop); // throws what ends the run
    kit.count(learningFailed);
  }
}

/** Returns a BM25 ranking of a history, with LaMP's documents, queries and tokens if the task has them. The index is built at the first query. */
function retrieverOf(
  history: readonly Event[],
  { styles: { lamp }, formatEvent }: TaskBrief,
  kit: Pick<RetrieverKit, "embedder" | "random">,
): Kit["retrieve"] {
  const textOf = (query: Question | string): string =>
    typeof query === "string" ? query : (lamp?.query(query) ?? query.content);
  const tokenize = lamp?.tokenize ?? ((text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
  const document = (event: Event) => ({ text: lamp?.document(event) ?? formatEvent(event) });
  let search: ReturnType<typeof appendableSearch<Event>> | undefined;
  return async (query, k) => {
    search ??= appendableSearch(bm25, history, document, { ...kit, tokenize });
    const hits = k === 0 ? [] : await (await search)(textOf(query), k);
    return hits.map(({ item }) => item);
  };
}
