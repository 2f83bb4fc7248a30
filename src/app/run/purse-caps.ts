import { resolve } from "node:path";
import type { PurseCaps } from "../../run/purse-book.js";
import { purseCaps } from "../../run/purse-file.js";
import type { Io } from "../io.js";
import type { RunSettings } from "./settings.js";

/** The caps that stand in the purse of `--purse`; undefined where there is none yet, or none is named. */
export function sharedCaps({ purse }: RunSettings, io: Pick<Io, "cwd">): PurseCaps | undefined {
  return purse === undefined ? undefined : purseCaps(resolve(io.cwd, purse), purse);
}
