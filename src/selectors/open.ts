import { pySplit } from "../text/python.js";
import type {
  CallRange,
  Event,
  Kit,
  Options,
  OptionTable,
  Question,
  Selecting,
  SelectorUse,
  TaskBrief,
} from "../types/index.js";
import type { ChosenSelector } from "./select-option.js";

/**
 * Opens the selector that a run names over a past. What it chooses, or why nothing, is noted; that it chose nothing is counted.
 * `options` holds its knobs.
 */
export async function openSelecting(
  { selector, argument }: ChosenSelector,
  history: readonly Event[],
  options: Options<OptionTable>,
  use: SelectorUse,
  unitKit: Kit,
): Promise<Selecting> {
  const given = argument === undefined ? use : { ...use, argument };
  const selecting = await selector.open(history, options, given, unitKit);
  const noted: Selecting = async (ask, kit) => {
    const selection = await selecting(ask, kit);
    const { chosen, abstained } = selection;
    if (abstained !== undefined) kit.count("select-abstained");
    kit.note({
      kind: "selection",
      data: {
        selector: selector.name,
        query: ask.query,
        chosen: chosen.map(({ event, reason, score }) => ({
          event: event.id,
          reason,
          ...(score === undefined ? {} : { score }),
        })),
        ...(abstained === undefined ? {} : { abstained }),
      },
    });
    return selection;
  };
  noted.add = selecting.add;
  return noted;
}

/** The calls of so many selections, by the selector that the options name; none where they name none. */
export function selectionCalls(
  select: ChosenSelector | undefined,
  options: Options<OptionTable>,
  times = 1,
): CallRange {
  const range = Object.entries(select?.selector.plan?.(options) ?? {});
  const none = times > 1; // an agent may ask for none
  return Object.fromEntries(
    range.map(([phase, { low, high }]) => [phase, { low: none ? 0 : low, high: high * times }]),
  );
}

/** The calls that all users of a cell share. */
export const sharedSelectionCalls = (select: ChosenSelector | undefined, options: Options<OptionTable>): CallRange =>
  select?.selector.planCell?.(options) ?? {};

/** A question behind the lines of past events, for hosts that have no official prompt of their own. */
function plainPrompt(task: TaskBrief, question: Question): (events: readonly Event[]) => string {
  return (events) => {
    if (events.length === 0) return question.text;
    const lines = events.map((event) => task.show(event)).join("\n");
    return `What this user did before:\n${lines}\n\n${question.text}`;
  };
}

/** The question that something is recalled for, and its kit. */
export interface AskedFor {
  readonly question: Question;
  readonly kit: Kit;
}

/** Recalls what the selector that a run names chooses, in the place of a search; `stream` names what is chosen among. */
export async function selectingSearch(
  select: ChosenSelector,
  history: readonly Event[],
  { stream, document = documentOf }: { readonly stream: string; readonly document?: SelectorUse["document"] },
  options: Options<OptionTable>,
  unitKit: Kit,
) {
  const selecting = await openSelecting(select, history, options, { document, tokenize: pySplit, stream }, unitKit);
  const search = async (query: string, k: number, asked: AskedFor | undefined) => {
    if (asked === undefined) throw new Error("a selector is asked without a question");
    const { question, kit } = asked;
    return (await selecting({ question, query, k, prompt: plainPrompt(kit.task, question) }, kit)).chosen;
  };
  return Object.assign(search, { add: selecting.add });
}

const documentOf: SelectorUse["document"] = ({ document, date }) => ({
  text: document,
  ...(date === undefined ? {} : { date }),
});
