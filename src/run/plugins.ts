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

/** Throws UsageError where a run was begun with a plug-in that is not at hand, or is another now. */
export function refuseChangedPlugins(folder: string, old: Manifest["plugins"], { plugins }: Catalogue): void {
  for (const { name, version, hash, files } of old ?? []) {
    const now = plugins.find((one) => one.name === name);
    const what = `plug-in ${name}`;
    if (now === undefined)
      throw new UsageError(`${folder} holds a run with ${what}; give it again with --plugin, or choose another --out`);
    if (now.hash === hash && now.version === version) continue;
    const paths = [...new Set([...Object.keys(files), ...Object.keys(now.files)])];
    const changed = paths.flatMap((path) =>
      files[path] === now.files[path] ? [] : [changeOf(path, files[path], now.files[path])],
    );
    if (now.version !== version) changed.push(`version ${version ?? "none"} is now ${now.version ?? "none"}`);
    if (changed.length === 0) continue;
    throw new UsageError(
      `${folder} holds a run of another plug-in: ${what} changed: ${changed.join(", ")}; choose another --out, or bring the old one back to resume`,
    );
  }
}

const changeOf = (path: string, old: string | undefined, now: string | undefined): string =>
  `file ${path} ${old === undefined ? "is new" : now === undefined ? "is gone" : "is another"}`;
