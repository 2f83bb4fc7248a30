import { UsageError } from "../../errors.js";
import { judgeOptions } from "../../judges/options.js";
import { questionOf } from "../../judges/verdicts.js";
import { complete } from "../../registry/options.js";
import type { LoadedTask } from "../../run/plan/types.js";
import type { Cell, Event, Example, Judge, JudgeCase, OptionValue, Row, Turn, Unit } from "../../types/index.js";

/**
 * Returns the options of a judge: those given, over those that the judged arms have, over the defaults. Throws UsageError where arms
 * differ and nothing was given.
 */
export function optionsOf(
  cells: readonly Cell[],
  run: string,
  given: Readonly<Record<string, OptionValue>> = {},
): Readonly<Record<string, string>> {
  for (const [name, { default: usual }] of Object.entries(judgeOptions)) {
    const values = [...new Set(cells.map(({ options }) => String(options[name] ?? usual)))];
    if (values.length > 1 && given[name] === undefined)
      throw new UsageError(
        `judge ${run}: its arms differ in ${name} (${values.join(", ")}); name one for all with --set ${name}=${values[0]}`,
      );
  }
  return texts({ ...cells[0]?.options, ...given });
}

const texts = (given: Readonly<Record<string, OptionValue>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(complete(judgeOptions, given)).map(([name, value]) => [name, String(value)]));

/** Those of a judge that nobody told otherwise. */
export const usualOptions = texts({});

/** The replies that are judged, and how. */
export interface Judged {
  readonly judge: Judge;
  readonly options: Readonly<Record<string, string>>;
  /** Method, or `select=NAME`, whose replies all others are compared with, in both orders. */
  readonly against: string | undefined;
  readonly cells: readonly Cell[];
  readonly rows: readonly Row[];
  /** The data of each task of the run. */
  readonly loaded: readonly Pick<LoadedTask, "task" | "units">[];
}

/**
 * Yields the cases of a run as users with finished prompts, user by user over all arms, so that an early end leaves the same users in
 * each. A failed answer is shown to no judge.
 */
export function* casesOf(judged: Judged): Generator<Unit> {
  const { cells, rows, loaded, against } = judged;
  const byCell = new Map(cells.map(({ id }) => [id, new Map<string, Row>()]));
  for (const row of rows) byCell.get(row.cell)?.set(row.question, row);
  for (const { task, units } of loaded) {
    const arms = cells.flatMap((cell) => {
      const other = against === undefined ? undefined : otherCell(cell, cells, against);
      if (cell.task !== task.name || (against !== undefined && other === undefined)) return [];
      return [{ cell, other, side: personaSideOf(cell, cells) }];
    });
    for (const unit of units)
      for (const { cell, other, side } of arms) {
        const [own, theirs] = [cell, other].map((one) => one && byCell.get(one.id));
        const replies = (question: string) => replyOf(own?.get(question));
        // Two arms have had two dialogues: they have the user's side in common.
        const history = other === undefined ? (judged.options["judge.history"] as ShownHistory) : "user-only";
        const around = surroundingsOf(task, unit, { side, replies, history });
        const examples = unit.examples.flatMap(({ question: { id } }): Example[] => {
          const [reply, shown, row] = [replies(id), around.get(id), own?.get(id)];
          if (reply === undefined || shown === undefined || row === undefined) return [];
          const show = (predictions: JudgeCase["predictions"], order = {}): Example =>
            caseOf(judged.judge, row, { ...shown, predictions }, order);
          if (other === undefined) return [show([reply])];
          const [counter, against] = [replyOf(theirs?.get(id)), other.id];
          if (counter === undefined) return [];
          return [show([reply, counter], { against }), show([counter, reply], { against, first: "other" })];
        });
        const user = { id: unit.user.id, history: [] };
        if (examples.length > 0) yield { id: `${unit.id}#${cell.id}`, user, examples };
      }
  }
}

/** Returns a case as a question; its row says by tags which reply of the judged run it is about. */
function caseOf(judge: Judge, row: Row, shown: JudgeCase, order: Readonly<Record<string, string>> = {}): Example {
  const { cell, question, position } = row;
  const id = [question, cell, ...(order.first === undefined ? [] : ["other-first"])].join("#");
  const turn = position === undefined ? {} : { position: String(position) };
  return {
    question: questionOf(id, judge.request(shown)),
    facts: { tags: { cell, question, ...turn, ...order } },
  };
}

const replyOf = (row: Row | undefined): string | undefined =>
  row === undefined || row.outcome.kind === "failed" ? undefined : row.outcome.reply;

/** What `--against` may call a cell: its method, and its selector where it names one. */
export const namesOf = ({ method, options }: Cell): string[] => [
  method,
  ...(options.select === undefined ? [] : [`select=${options.select}`]),
];

/** The cell of that name that the cell is compared with; undefined for a cell of that name itself. */
function otherCell(cell: Cell, cells: readonly Cell[], name: string): Cell | undefined {
  if (namesOf(cell).includes(name)) return undefined;
  return cells.find(
    (other) =>
      namesOf(other).includes(name) &&
      other.task === cell.task &&
      other.model === cell.model &&
      other.repeat === cell.repeat,
  );
}

/** Whose lines of a dialogue a judge is shown. */
type ShownHistory = "own-dialogue" | "user-only";

interface Shown {
  /** Whose persona (`personaSideOf`). */
  readonly side: OptionValue;
  /** The replies of the arm by question; undefined where one failed. */
  readonly replies: (question: string) => string | undefined;
  readonly history: ShownHistory;
}

/** Returns by question what a judge is shown beside the replies. Of a dialogue no gold: the assistant paper shows its judge none. */
export function surroundingsOf(
  task: LoadedTask["task"],
  { user, examples }: Unit,
  { side, replies, history }: Shown,
): ReadonlyMap<string, Omit<JudgeCase, "predictions">> {
  const linesOf = ({ said, reply }: Pick<Turn, "said" | "reply">): string[] => [
    `User: ${said}`,
    ...(reply === undefined || history === "user-only" ? [] : [`Assistant: ${reply}`]),
  ];
  const profile = task.unlabelled === true ? { persona: user.history.map((event) => task.show(event)) } : {};
  const lines: string[] = [];
  return new Map(
    examples.map(({ question, gold, before = [] }) => {
      lines.push(...before.flatMap(linesOf));
      const dialogue = { persona: personaOf(user.history, side), history: [...lines] };
      const reply = replies(question.id);
      lines.push(...linesOf({ said: question.text, ...(reply === undefined ? {} : { reply }) }));
      const reference = gold === undefined ? {} : { reference: gold };
      return [
        question.id,
        { question: question.text, ...(task.dialogue === true ? dialogue : reference), ...profile },
      ] as const;
    }),
  );
}

/** Whose persona a judge is shown for an arm (`assistant.personaSide`): arms without that option go by those that have it. */
export function personaSideOf(cell: Cell, cells: readonly Cell[]): OptionValue {
  const named = cell.options[SIDE];
  if (named !== undefined) return named;
  const others = new Set(cells.flatMap(({ task, options }) => (task === cell.task ? (options[SIDE] ?? []) : [])));
  return others.size === 1 ? [...others][0]! : "asPublished";
}

const SIDE = "assistant.personaSide";

/** The persona without what belongs to the other speaker, where the arm says so. */
function personaOf(persona: readonly Event[], side: OptionValue): string[] {
  const all = side !== "querySpeaker";
  return persona.filter(({ fields }) => all || fields.speaker === undefined).map(({ content }) => content);
}
