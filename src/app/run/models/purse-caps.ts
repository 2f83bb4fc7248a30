import { resolve } from "node:path";
import type { PurseCaps } from "../../../run/purse/purse-book.js";
import { purseCaps } from "../../../run/purse/purse-file.js";
import type { Io } from "../../io.js";

/** The caps that stand in the purse of `--purse`; undefined where there is none yet, or none is named. */
export function sharedCaps(
  { purse }: { readonly purse?: string | undefined },
  io: Pick<Io, "cwd">,
): PurseCaps | undefined {
  return purse === undefined ? undefined : purseCaps(resolve(io.cwd, purse), purse);
}
