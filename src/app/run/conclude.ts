import { repeatedCalls, requestsByCell } from "../../run/calls.js";
import type { RunFolder } from "../../run/folder.js";
import { timestamp } from "../../run/io.js";
import { version } from "../../run/version.js";
import { type CallTally, calledFacts } from "./call-tally.js";
import type { Prepared } from "./prepare.js";

/** Every question has its row: notes what follows from all of them, and that the run has finished. */
export function concludeRun(prepared: Prepared, home: RunFolder, tally: CallTally): void {
  const { folder, plan, io } = prepared;
  home.note({
    ...calledFacts(tally),
    requests: requestsByCell(folder),
    ...repeatedCalls(folder, plan.cells),
    ...(tally.missed.length === 0 ? {} : { missed: tally.missed.length }),
    finishedAt: finishedBefore(home) ?? timestamp(io),
  });
  home.finish(tally.rows ?? "", version());
}

/** When the run finished first: a run whose derived files are made again is no younger. */
function finishedBefore({ log }: RunFolder): string | undefined {
  const before = log.state.facts.get("finishedAt");
  return typeof before === "string" ? before : undefined;
}
