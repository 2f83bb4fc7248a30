import type { WikiSettings } from "../agent/tools/wiki-options.js";
import type { Kit, Tool } from "../types.js";

/** The run's `wikipedia` tool as a list: empty with `wiki.mode=off` and never otherwise. */
export function wikipediaOf(kit: Kit, settings: Pick<WikiSettings, "wiki.mode">): readonly Tool[] {
  if (settings["wiki.mode"] === "off") return [];
  const tool = kit.tool("wikipedia");
  if (tool === undefined)
    throw new Error(`wiki.mode=${settings["wiki.mode"]} but the run has set up no wikipedia tool`);
  return [tool];
}
