import { UsageError } from "../errors.js";
import type { Catalogue } from "./catalogue.js";
import type { Manifest } from "./manifest.js";

/** Returns what a log keeps of the plug-ins of a run; nothing where there are none. */
export const pluginFacts = ({ plugins }: Catalogue): Pick<Manifest, "plugins"> =>
  plugins.length === 0 ? {} : { plugins: plugins.map(({ entry: _, ...facts }) => facts) };

/** Throws UsageError where a recorded run cannot be made again because a plug-in is not at hand. Tasks in YAML stand in the log. */
export function refuseAbsentPlugins(run: string, recorded: Manifest["plugins"], { plugins }: Catalogue): void {
  const absent = (recorded ?? []).find(
    ({ name, definition }) => definition === undefined && !plugins.some((one) => one.name === name),
  );
  if (absent === undefined) return;
  throw new UsageError(`${run}: it was made with plug-in ${absent.name}; give it again: --plugin FILE`);
}

/** Returns a line for each plug-in at hand that is another than the run's: `plug-in moods changed: file letters.js is another`. */
export function changedPlugins(recorded: Manifest["plugins"], { plugins }: Catalogue): string[] {
  return (recorded ?? []).flatMap(({ name, version, files }) => {
    const now = plugins.find((one) => one.name === name);
    if (now === undefined) return [];
    const paths = [...new Set([...Object.keys(files), ...Object.keys(now.files)])];
    const changes = paths.flatMap((path) => {
      const [was, is] = [files[path], now.files[path]];
      return was === is ? [] : [`file ${path} is ${was === undefined ? "new" : is === undefined ? "gone" : "another"}`];
    });
    if (now.version !== version) changes.push(`version ${version ?? "none"} is now ${now.version ?? "none"}`);
    return changes.length === 0 ? [] : [`plug-in ${name} changed: ${changes.join(", ")}`];
  });
}

/** Throws UsageError where a run was begun with a plug-in that is not at hand, or is another now. */
export function refuseChangedPlugins(folder: string, recorded: Manifest["plugins"], catalogue: Catalogue): void {
  const absent = (recorded ?? []).find(({ name }) => !catalogue.plugins.some((one) => one.name === name));
  if (absent !== undefined)
    throw new UsageError(
      `${folder} holds a run with plug-in ${absent.name}; give it again with --plugin, or choose another --out`,
    );
  const [changed] = changedPlugins(recorded, catalogue);
  if (changed !== undefined)
    throw new UsageError(
      `${folder} holds a run of another plug-in: ${changed}; choose another --out, or bring the old one back to resume`,
    );
}
