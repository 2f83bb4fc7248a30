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
} from "../types.js";
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
export function plainPrompt(task: TaskBrief, question: Question): (events: readonly Event[]) => string {
  return (events) => {
    if (events.length === 0) return question.text;
    const lines = events.map((event) => task.show(event)).join("\n");
    return `What this user did before:\n${lines}\n\n${question.text}`;
  };
}
