import type { ArmSpec, Example, Judge, JudgeCase, OptionValue, Row, Task, Unit } from "../types/index.js";
import { questionOf } from "./verdicts.js";

/** The replies that are judged, and how. */
export interface JudgedReplies {
  readonly judge: Judge;
  readonly options: Readonly<Record<string, string>>;
  /** Method, or `select=NAME`, whose replies all others are compared with, in both orders. */
  readonly against: string | undefined;
  readonly specs: readonly ArmSpec[];
  readonly rows: readonly Row[];
  /** The data of each task of the run. */
  readonly loaded: readonly { readonly task: Task; readonly units: Iterable<Unit> }[];
}

/**
 * Yields the cases of a run as users with finished prompts, user by user over all arms, so that an early end leaves the same users in
 * each. A failed answer is shown to no judge.
 */
export function* casesOf({ judge, options, against, specs, rows, loaded }: JudgedReplies): Generator<Unit> {
  const byArm = new Map(specs.map(({ id }) => [id, new Map<string, Row>()]));
  for (const row of rows) byArm.get(row.arm)?.set(row.question, row);
  for (const { task, units } of loaded)
    for (const unit of units)
      for (const arm of specs.filter((one) => one.task === task.name)) {
        const other = against === undefined ? undefined : otherArm(arm, specs, against);
        if (against !== undefined && other === undefined) continue;
        const [own, theirs] = [arm, other].map((one) => (one === undefined ? undefined : byArm.get(one.id)));
        const replies = (question: string) => replyOf(own?.get(question));
        // Two arms have had two dialogues: they have the user's side in common.
        const isUserOnly = other !== undefined || options["judge.history"] === "user-only";
        const around = surroundingsOf(task, unit, { side: personaSideOf(arm, specs), replies, isUserOnly });
        const examples = unit.examples.flatMap(({ question: { id } }): Example[] => {
          const [reply, shown, row] = [replies(id), around.get(id), own?.get(id)];
          if (reply === undefined || shown === undefined || row === undefined) return [];
          const show = (predictions: JudgeCase["predictions"], order = {}): Example[] =>
            casesOfRow(judge, row, { ...shown, predictions }, order);
          if (other === undefined) return show([reply]);
          const counter = replyOf(theirs?.get(id));
          if (counter === undefined) return [];
          const compared = { against: other.id };
          return [...show([reply, counter], compared), ...show([counter, reply], { ...compared, first: "other" })];
        });
        const user = { id: unit.user.id, history: [] };
        if (examples.length > 0) yield { id: `${unit.id}#${arm.id}`, user, examples };
      }
}

/** Returns a case as questions, one a part; their rows say by tags which reply of the judged run they are about. */
function casesOfRow(judge: Judge, row: Row, shown: JudgeCase, order: Readonly<Record<string, string>>): Example[] {
  const { arm, question, position } = row;
  const turn = position === undefined ? {} : { position: String(position) };
  const tags = { arm, question, ...turn, ...order };
  const id = [question, arm, ...(order.first === undefined ? [] : ["other-first"])].join("#");
  const parts = judge.split?.(shown);
  if (parts === undefined) return [{ question: questionOf(id, judge.request(shown)), facts: { tags } }];
  return parts.map((part, at) => ({
    question: questionOf(`${id}#${at + 1}`, judge.request(part)),
    facts: { tags: { ...tags, part: `${at + 1} of ${parts.length}` } },
  }));
}

const replyOf = (row: Row | undefined): string | undefined =>
  row === undefined || row.outcome.kind === "failed" ? undefined : row.outcome.reply;

/** Returns what `--against` may call an arm: its method, and its selector where it names one, with or without the file that this reads. */
export const namesOf = ({ method, options: { select } }: ArmSpec): string[] =>
  select === undefined ? [method] : [method, `select=${select}`, `select=${String(select).split(":")[0]}`];

/** The arm of that name that the arm is compared with; undefined for an arm of that name itself. */
function otherArm(arm: ArmSpec, arms: readonly ArmSpec[], name: string): ArmSpec | undefined {
  if (namesOf(arm).includes(name)) return undefined;
  const isPeer = (other: ArmSpec): boolean =>
    other.task === arm.task && other.model === arm.model && other.repeat === arm.repeat;
  return arms.find((other) => namesOf(other).includes(name) && isPeer(other));
}

interface Shown {
  /** Whose persona (`personaSideOf`). */
  readonly side: OptionValue;
  /** The replies of the arm by question; undefined where one failed. */
  readonly replies: (question: string) => string | undefined;
  /** True where the assistant's lines of a dialogue are left out. */
  readonly isUserOnly: boolean;
}

/** Returns by question what a judge is shown beside the replies. Of a dialogue no gold: the assistant paper shows its judge none. */
export function surroundingsOf(
  task: Task,
  { user, examples }: Unit,
  { side, replies, isUserOnly }: Shown,
): ReadonlyMap<string, Omit<JudgeCase, "predictions">> {
  const lines: string[] = [];
  const say = (said: string, reply: string | undefined): void => {
    lines.push(`User: ${said}`, ...(reply === undefined || isUserOnly ? [] : [`Assistant: ${reply}`]));
  };
  const profile = task.unlabelled === true ? { persona: user.history.map((event) => task.formatEvent(event)) } : {};
  const facts = user.history.filter(({ fields }) => side !== "querySpeaker" || fields.speaker === undefined);
  return new Map(
    examples.map(({ question, gold, before = [], rubric, facts: { tags } = {} }) => {
      for (const { said, reply } of before) say(said, reply);
      const dialogue = { persona: facts.map(({ content }) => content), history: [...lines] };
      say(question.text, replies(question.id));
      const reference = {
        ...(gold === undefined ? {} : { reference: gold }),
        ...(rubric === undefined ? {} : { rubric }),
      };
      const around = { question: question.text, ...(task.dialogue === true ? dialogue : reference), ...profile };
      return [question.id, tags === undefined ? around : { ...around, tags }] as const;
    }),
  );
}

const SIDE = "assistant.personaSide";

/** Whose persona a judge is shown for an arm (`assistant.personaSide`): arms without that option go by those that have it. */
export function personaSideOf(arm: ArmSpec, arms: readonly ArmSpec[]): OptionValue {
  const others = new Set(arms.flatMap(({ task, options }) => (task === arm.task ? (options[SIDE] ?? []) : [])));
  return arm.options[SIDE] ?? (others.size === 1 ? [...others][0]! : "asPublished");
}
