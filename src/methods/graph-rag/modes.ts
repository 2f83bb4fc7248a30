import { communityMode } from "./community-mode.js";
import type { Mode } from "./mode.js";
import type { GraphRagOptions } from "./options.js";
import { releasedMode } from "./released-mode.js";

/** The mode of a run. */
export function modeOf(options: Pick<GraphRagOptions, "graphrag.mode">): Mode {
  return { community: communityMode, released: releasedMode }[options["graphrag.mode"]];
}
