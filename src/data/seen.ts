import type { Dataset, Options, OthersPool, Sequence, Task, Unit } from "../types.js";
import type { dataOptions } from "./options.js";
import { othersOf } from "./others.js";
import { streamsOf } from "./stream.js";
import { type Units, unitsOf } from "./units.js";

/** What of a data set is asked, with what may be seen for it. */
interface Seen {
  /** One per visible past; one per user in prequential mode and of dialogues. */
  readonly units: Sequence<Unit>;
  readonly others: OthersPool;
  /** Past items hidden from questions, by the reason. */
  readonly removed: Units["removed"];
  /** Those that are nearly a question's text. */
  readonly nearTwins: Units["nearTwins"];
  /** Counts them, where that takes time. */
  readonly counting?: NonNullable<Units["counting"]>;
}

/** Cuts a loaded data set to what each question may see: the user's own past, and the pool of other users. */
export function seenOf(
  dataset: Dataset,
  task: Task,
  knobs: Pick<
    Options<typeof dataOptions>,
    | "history.limit"
    | "history.near"
    | "history.nearTwins"
    | "history.visible"
    | "others"
    | "others.questionIds"
    | "others.visible"
  >,
  online: boolean,
): Seen {
  const { kind, count } = knobs["history.limit"];
  const historyLimit = kind === "latest" ? ({ kind, count } as const) : undefined;
  const twins = { nearTwins: knobs["history.nearTwins"], near: knobs["history.near"] };
  const found = unitsOf(dataset, task, { visible: knobs["history.visible"], historyLimit, ...twins });
  const { units, removed } = found;
  const { others: from, "others.visible": visible, "others.questionIds": questionIds } = knobs;
  const others = othersOf(dataset, task, { others: from, visible, questionIds, ...twins }, units);
  return {
    units: online || task.dialogue === true ? streamsOf(units) : units,
    others,
    removed,
    get nearTwins() {
      return found.nearTwins;
    },
    ...(found.counting === undefined ? {} : { counting: found.counting }),
  };
}
