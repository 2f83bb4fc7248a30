import type { LoadedTask } from "../../run/plan.js";
import type { Cell, Event, JudgeCase, Row, Turn } from "../../types.js";

/** Whose lines of a dialogue a judge is shown. */
export type ShownHistory = "own-dialogue" | "user-only";

/** What stands beside the replies to one question. */
export type Surroundings = Omit<JudgeCase, "predictions">;

/** What a judge is shown beside the replies of an arm, by question. `replies` are those of the arm. */
export function surroundingsOf(
  { task, units }: LoadedTask,
  cell: Cell,
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
      const dialogue = task.dialogue === true ? { persona: personaOf(user.history, cell), history: [...lines] } : {};
      const profile = task.unlabelled === true ? { persona: user.history.map((event) => task.show(event)) } : {};
      known.set(question.id, {
        question: question.text,
        ...(gold === undefined ? {} : { reference: gold }),
        ...dialogue,
        ...profile,
      });
      const reply = replies.get(question.id);
      lines.push(...linesOf({ said: question.text, ...(reply === undefined ? {} : { reply }) }));
    }
  }
  return known;
}

/** The replies of a cell by question; failed questions have none. */
export function repliesOf(cell: Cell, rows: readonly Row[]): ReadonlyMap<string, string> {
  return new Map(
    rows.flatMap(({ cell: id, question, outcome }) =>
      id === cell.id && outcome.kind !== "failed" ? [[question, outcome.reply] as const] : [],
    ),
  );
}

// --- internal ---

/** The persona, but for one that belongs to the other speaker where the arm says so (`assistant.personaSide`). */
function personaOf(persona: readonly Event[], { options }: Cell): string[] {
  const all = options["assistant.personaSide"] !== "querySpeaker";
  return persona.filter(({ fields }) => all || fields.speaker === undefined).map(({ content }) => content);
}
