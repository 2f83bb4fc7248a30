import { relative, resolve } from "node:path";
import type { PurseCaps } from "../../../run/purse/purse-book.js";
import { PurseFile } from "../../../run/purse/purse-file.js";
import { countOf, nounOf } from "../../../text/count.js";
import type { Io } from "../../io.js";
import type { ReadyRun } from "../ready-run.js";
import { sharedCaps } from "./purse-caps.js";

/** Who buys, and where. */
interface Buyer {
  /** What is bought, as people who read the purse know it: a run's folder. */
  readonly buyer: string;
  readonly io: Pick<Io, "cwd" | "clock">;
  tell(line: string): void;
}

/**
 * The purse of `--purse`, which others may be buying from; undefined where none is named. `--max-usd` and `--max-calls` are its caps,
 * for all who name it. Throws UsageError where it has none.
 */
export function openSharedPurse(
  settings: PurseCaps & { readonly purse?: string | undefined },
  { buyer, io, tell: tellAll }: Buyer,
): PurseFile | undefined {
  const { purse, maxUsd, maxCalls } = settings;
  if (purse === undefined) return undefined;
  const before = sharedCaps(settings, io);
  const opened = new PurseFile(resolve(io.cwd, purse), {
    shown: purse,
    caps: { maxUsd, maxCalls },
    buyer,
    clock: io.clock,
  });
  const tell = (line: string): void => tellAll(`purse ${purse}: ${line}`);
  if (before !== undefined && capText(before) !== capText(opened.caps))
    tell(`its cap is now ${capText(opened.caps)}, it was ${capText(before)}`);
  if (opened.damaged > 0)
    tell(
      `${opened.damaged === 1 ? "a line of it is" : `${opened.damaged} of its lines are`} damaged: what ${nounOf(opened.damaged, "it", "they")} said is not counted`,
    );
  return opened;
}

/** The same for a run. */
export const openRunPurse = ({ settings, folder, io, emit }: ReadyRun): PurseFile | undefined =>
  openSharedPurse(settings, {
    buyer: relative(io.cwd, folder) || ".",
    io,
    tell: (line) => emit({ kind: "remark", line }),
  });

/** What a person reads of a purse at the end of a run. */
export function purseRemarks({ caps, spent }: PurseFile, shown: string | undefined): string[] {
  const { usd, calls, reservedUsd } = spent;
  const open = reservedUsd > 0 ? `, up to $${reservedUsd.toFixed(4)} more in flight or with an unknown answer` : "";
  return [
    `purse ${shown}: $${usd.toFixed(4)} and ${countOf(calls, "call")} spent by all who name it${open}; its cap is ${capText(caps)}`,
  ];
}

function capText({ maxUsd, maxCalls }: PurseCaps): string {
  const caps = [maxUsd === undefined ? "" : `$${maxUsd}`, maxCalls === undefined ? "" : countOf(maxCalls, "call")];
  return caps.filter(Boolean).join(" and ");
}
