import type { LoadedTask } from "../../run/plan/plan.js";
import type { Cell, Event, JudgeCase, OptionValue, Row, Turn } from "../../types.js";

/** Whose lines of a dialogue a judge is shown. */
export type ShownHistory = "own-dialogue" | "user-only";

/** What stands beside the replies to one question. */
type Surroundings = Omit<JudgeCase, "predictions">;

/**
 * What a judge is shown beside the replies of an arm, by question. `replies` are those of the arm, `side` says whose persona is
 * shown (`personaSideOf`). Of a dialogue no gold is shown: papers/004 shows its judge none.
 */
export function surroundingsOf(
  { task, units }: Pick<LoadedTask, "task" | "units">,
  side: OptionValue,
  replies: ReadonlyMap<string, string>,
  history: ShownHistory,
): ReadonlyMap<string, Surroundings> {
  const known = new Map<string, Surroundings>();
  const linesOf = ({ said, reply }: Pick<Turn, "said" | "reply">): string[] => [
    `User: ${said}`,
    ...(reply === undefined || history === "user-only" ? [] : [`Assistant: ${reply}`]),
  ];
  for (const { user, examples } of units) {
    const lines: string[] = [];
    for (const { question, gold, before = [] } of examples) {
      lines.push(...before.flatMap(linesOf));
      const dialogue = { persona: personaOf(user.history, side), history: [...lines] };
      const reference = gold === undefined ? {} : { reference: gold };
      const profile = task.unlabelled === true ? { persona: user.history.map((event) => task.show(event)) } : {};
      known.set(question.id, {
        question: question.text,
        ...(task.dialogue === true ? dialogue : reference),
        ...profile,
      });
      const reply = replies.get(question.id);
      lines.push(...linesOf({ said: question.text, ...(reply === undefined ? {} : { reply }) }));
    }
  }
  return known;
}

/** Whose persona a judge is shown for an arm (`assistant.personaSide`): arms without that knob go by those that have it. */
export function personaSideOf(cell: Cell, cells: readonly Cell[]): OptionValue {
  const named = cell.options[SIDE];
  if (named !== undefined) return named;
  const others = new Set(cells.flatMap(({ task, options }) => (task === cell.task ? (options[SIDE] ?? []) : [])));
  return others.size === 1 ? [...others][0]! : "asPublished";
}

/** The replies of a cell by question; failed questions have none. */
export function repliesOf(cell: Cell, rows: readonly Row[]): ReadonlyMap<string, string> {
  return new Map(
    rows.flatMap(({ cell: id, question, outcome }) =>
      id === cell.id && outcome.kind !== "failed" ? [[question, outcome.reply] as const] : [],
    ),
  );
}

const SIDE = "assistant.personaSide";

/** The persona, but for one that belongs to the other speaker where the arm says so (`assistant.personaSide`). */
function personaOf(persona: readonly Event[], side: OptionValue): string[] {
  const all = side !== "querySpeaker";
  return persona.filter(({ fields }) => all || fields.speaker === undefined).map(({ content }) => content);
}
