import { UsageError } from "../../errors.js";
import type { Manifest } from "../../run/manifest/manifest.js";
import { partName } from "../../run/plan/part.js";

/** Throws UsageError on a part of a run where only a whole run is judged. */
export function refusePart(run: string, { part }: Pick<Manifest, "part">): void {
  if (part !== undefined)
    throw new UsageError(
      `${run}: ${partName(part)} of a run; join the shards with lamp-eval merge and name the whole run`,
    );
}
