import { resolve } from "node:path";
import { spentText } from "../../../models/wrap/budgeted.js";
import { type PurseCaps, PurseFile, purseCaps } from "../../../run/purse.js";
import { countOf } from "../../../text/count.js";
import type { Io } from "../../io.js";

interface Named {
  readonly purse?: string | undefined;
}

/**
 * The purse of `--purse`, which others may be buying from; undefined where none is named. `--max-usd` and `--max-calls` are its caps,
 * for all who name it. Throws UsageError where it has none.
 */
export function openSharedPurse(
  settings: PurseCaps & Named,
  io: Pick<Io, "cwd" | "clock" | "tell">,
): PurseFile | undefined {
  const { purse, maxUsd, maxCalls } = settings;
  if (purse === undefined) return undefined;
  const before = sharedCaps(settings, io);
  const caps = { maxUsd, maxCalls };
  const opened = new PurseFile(resolve(io.cwd, purse), { shown: purse, caps, clock: io.clock });
  if (before !== undefined && capText(before) !== capText(opened.caps))
    io.tell(`purse ${purse}: its cap is now ${capText(opened.caps)}, it was ${capText(before)}`);
  return opened;
}

/** The caps that stand in the purse of `--purse`; undefined where there is none yet, or none is named. */
export const sharedCaps = ({ purse }: Named, { cwd }: Pick<Io, "cwd">): PurseCaps | undefined =>
  purse === undefined ? undefined : purseCaps(resolve(cwd, purse), purse);

/** What a person reads of a purse at the end of a run. */
export function purseRemark({ caps, spent }: PurseFile, shown: string | undefined): string {
  const { calls, reservedUsd } = spent;
  const isPriced = caps.maxUsd !== undefined || spent.usd + spent.uncertainUsd > 0;
  const paid = isPriced ? `, ${spentText(spent)}` : "";
  const open = reservedUsd > 0 ? `, up to $${reservedUsd.toFixed(4)} in flight` : "";
  return `purse ${shown}: ${countOf(calls, "call")} sent by all who name it${paid}${open}; its cap is ${capText(caps)}`;
}

function capText({ maxUsd, maxCalls }: PurseCaps): string {
  const caps = [maxUsd === undefined ? "" : `$${maxUsd}`, maxCalls === undefined ? "" : countOf(maxCalls, "call")];
  return caps.filter(Boolean).join(" and ");
}
