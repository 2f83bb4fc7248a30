import { UsageError } from "../../errors.js";
import { judgeOptions } from "../../judges/options.js";
import { complete, refuseUnknown } from "../../registry/options.js";
import type { Judgement } from "../../report/judgements/judgement.js";
import type { LoadedTask } from "../../run/plan/plan.js";
import { contentId } from "../../text/content-id.js";
import type { Cell, Event, JudgeCase, OptionValue, Row, Turn } from "../../types/index.js";
import { reloadTask } from "../common/run-data.js";
import { refuseAbsent, type StoredRun } from "../common/run-folder.js";
import type { Io } from "../io.js";

/** One showing of a question to a judge. */
export interface Case {
  readonly head: Omit<Judgement, "key" | "judged" | "tokens" | "calls">;
  readonly shown: JudgeCase;
}

/** Which cases a judge is shown. */
interface CaseSettings {
  /** Run folder, as typed. */
  readonly run: string;
  readonly against?: string | undefined;
  readonly data?: string | undefined;
  readonly set?: Readonly<Record<string, OptionValue>> | undefined;
}

/** The key of a judgement: what was judged, by whom and in which order. */
export const judgementKey = (judge: string, model: string, { head, shown }: Case): string =>
  contentId([judge, model, head, shown]);

/** What was typed over what the run's cells have over the defaults. Throws UsageError where cells differ and nothing was typed. */
export function optionsOf(cells: readonly Cell[], { run, set = {} }: CaseSettings): Record<string, string> {
  refuseUnknown(Object.keys(set), Object.keys(judgeOptions), "--set");
  for (const [name, { default: usual }] of Object.entries(judgeOptions)) {
    const values = [...new Set(cells.map(({ options }) => String(options[name] ?? usual)))];
    if (values.length > 1 && set[name] === undefined)
      throw new UsageError(
        `judge ${run}: its arms differ in ${name} (${values.join(", ")}); name one for all with --set ${name}=${values[0]}`,
      );
  }
  const ofRun = Object.entries(cells[0]?.options ?? {}).filter(([name]) => name in judgeOptions);
  const chosen = complete(judgeOptions, { ...Object.fromEntries(ofRun), ...set });
  return Object.fromEntries(Object.entries(chosen).map(([name, value]) => [name, String(value)]));
}

/** All cases of a run, in the order of its cells and rows. Throws UsageError where its data are not at hand. */
export async function casesOf(
  folder: Pick<StoredRun, "manifest" | "rows">,
  options: Readonly<Record<string, string>>,
  settings: CaseSettings,
  io: Io,
): Promise<Case[]> {
  const { manifest, rows } = folder;
  const { cells } = manifest.plan;
  refuseAbsent(settings.run, "--against", settings.against, cells.flatMap(namesOf));
  const loaded = new Map<string, LoadedTask>();
  for (const task of new Set(cells.map((cell) => cell.task))) {
    const data = await reloadTask(manifest, task, settings.data, io);
    if (data === undefined)
      throw new UsageError(
        `judge ${settings.run}: the data of ${task} are needed to show what was said; name them with --data DIR`,
      );
    loaded.set(task, data);
  }
  // Two arms have had two dialogues: what both have in common is the user's side.
  const history = settings.against === undefined ? (options["judge.history"] as ShownHistory) : "user-only";
  return cells.flatMap((cell) => {
    const replies = repliesOf(cell, rows);
    const surroundings = surroundingsOf(loaded.get(cell.task)!, personaSideOf(cell, cells), replies, history); // loaded above, one a task
    const other = settings.against === undefined ? undefined : otherCell(cell, cells, settings.against);
    if (settings.against !== undefined && other === undefined) return [];
    const theirs = other === undefined ? undefined : repliesOf(other, rows);
    return rows.flatMap((row): Case[] => {
      const reply = row.cell === cell.id ? replies.get(row.question) : undefined;
      const around = surroundings.get(row.question);
      if (reply === undefined || around === undefined) return [];
      const { user, question, position } = row;
      const head = { cell: cell.id, question, user, ...(position === undefined ? {} : { position }) };
      if (other === undefined) return [{ head, shown: { ...around, predictions: [reply] } }];
      const counter = theirs?.get(question);
      if (counter === undefined) return [];
      return [false, true].map((shownFirst) => ({
        head: { ...head, against: { cell: other.id, shownFirst } },
        shown: { ...around, predictions: shownFirst ? [counter, reply] : [reply, counter] },
      }));
    });
  });
}

/** What `--against` may call a cell: its method, and its selector where it names one. */
const namesOf = ({ method, options }: Cell): string[] => [
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
export type ShownHistory = "own-dialogue" | "user-only";

/** What stands beside the replies to one question. */
type Surroundings = Omit<JudgeCase, "predictions">;

/**
 * What a judge is shown beside the replies of an arm, by question. `replies` are those of the arm, `side` says whose persona is
 * shown (`personaSideOf`). Of a dialogue no gold is shown: the assistant paper shows its judge none.
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
function repliesOf(cell: Cell, rows: readonly Row[]): ReadonlyMap<string, string> {
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
