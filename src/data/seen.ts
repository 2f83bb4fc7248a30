import type { Dataset, Options, OthersPool, Sequence, Task, Unit } from "../types.js";
import type { dataOptions } from "./options.js";
import { othersOf } from "./others.js";
import { streamsOf } from "./stream.js";
import { unitsOf } from "./units.js";

/** What of a data set is asked, with what may be seen for it. */
interface Seen {
  /** One per visible past; one per user in prequential mode and of dialogues. */
  readonly units: Sequence<Unit>;
  readonly others: OthersPool;
}

/** Cuts a loaded data set to what each question may see: the user's own past, and the pool of other users. */
export function seenOf(
  dataset: Dataset,
  task: Task,
  knobs: Pick<
    Options<typeof dataOptions>,
    | "history.limit"
    | "history.near"
    | "history.nearDuplicates"
    | "history.visible"
    | "others"
    | "others.questionIds"
    | "others.visible"
  >,
  online: boolean,
): Seen {
  const { kind, count } = knobs["history.limit"];
  const historyLimit = kind === "latest" ? ({ kind, count } as const) : undefined;
  const near = { nearDuplicates: knobs["history.nearDuplicates"], near: knobs["history.near"] };
  const units = unitsOf(dataset, task, { visible: knobs["history.visible"], historyLimit, ...near });
  const { others: from, "others.visible": visible, "others.questionIds": questionIds } = knobs;
  const others = othersOf(dataset, task, { others: from, visible, questionIds, ...near }, units);
  return { units: online || task.dialogue === true ? streamsOf(units) : units, others };
}
