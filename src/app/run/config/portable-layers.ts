import { UsageError } from "../../../errors.js";
import { withoutUrlSecrets } from "../../../net/url.js";
import { mapTexts } from "../../../run/manifest.js";
import { placedIssue } from "../../../text/schema-issue.js";
import { configSchema, configSettings, type RunConfig } from "../settings.js";

type Layer = Readonly<Record<string, unknown>>;

/** Where the run stands, and what brings code: nothing is loaded because a log names it. */
const OWN = ["out", "plugins"];
/** Not the settings of one call, such as `--reuse`. */
const isKept = (name: string): boolean => Object.hasOwn(configSettings, name) && !OWN.includes(name);

/** Settings as a log holds them: plain values without logins. */
export const portableLayers = (layers: readonly RunConfig[]): Layer[] =>
  layers.map((layer) => {
    const kept = Object.entries(layer).filter(([name]) => isKept(name));
    const { endpoints, ...rest } = Object.fromEntries(kept) as { endpoints?: RunConfig["endpoints"] };
    const bare = Object.entries(endpoints ?? {}).map(([name, { headers: _, ...endpoint }]) => [name, endpoint]);
    const all = { ...rest, ...(bare.length === 0 ? {} : { endpoints: Object.fromEntries(bare) }) };
    return mapTexts(JSON.parse(JSON.stringify(all)), withoutUrlSecrets) as Layer; // an object stays one
  });

/** The settings that a log holds. Throws UsageError naming `shown` where they are none. */
export function layersIn(layers: readonly Layer[] | undefined, shown: string): RunConfig[] {
  if (layers === undefined) throw new UsageError(`${shown}: it does not hold the settings that it was made with`);
  return layers.map((layer) => {
    const read = configSchema.safeParse(layer);
    if (read.success) return read.data;
    throw new UsageError(`${shown}: not the settings of this version: ${placedIssue(read.error)}`);
  });
}
