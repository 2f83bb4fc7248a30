import { basename, resolve } from "node:path";
import { readText } from "../../../disk/whole-file.js";
import { UsageError } from "../../../errors.js";
import { allOptions } from "../../../run/all-options.js";
import { sha256 } from "../../../text/content-id.js";
import { fileTrouble, withoutMark } from "../../../text/file-trouble.js";
import type { OptionTable, OptionValue } from "../../../types/index.js";
import type { RunSettings } from "../config/resolve-settings.js";

/** The settings of a run, files in their options replaced by the names of their contents, and these contents. */
interface WithInputFiles {
  readonly settings: RunSettings;
  /** By name: `rankings.json@1f0c2a4b6d8e`. */
  readonly files: ReadonlyMap<string, string>;
  /** The same by their paths as they were typed. */
  readonly typed: ReadonlyMap<string, string>;
}

/** Reads the files that options name. A cell is then named by what they hold, wherever they lie. Throws UsageError on one that cannot be read. */
export function withInputFiles(
  settings: RunSettings,
  cwd: string,
  kept: (path: string) => string | undefined = () => undefined,
): WithInputFiles {
  const table = allOptions(settings.catalogue);
  const files = new Map<string, string>();
  const typed = new Map<string, string>();
  const named = (given: Given): Given =>
    replaced(given, table, (path, knob) => {
      const text = kept(path) ?? textOf(resolve(cwd, path), path, knob);
      const name = `${basename(path)}@${sha256(text).slice(0, ID_LENGTH)}`;
      files.set(name, text);
      typed.set(path, text);
      return name;
    });
  const { sweep } = settings;
  const inSweep =
    sweep === undefined
      ? undefined
      : {
          ...sweep,
          axes: Object.fromEntries(
            Object.entries(sweep.axes).map(([knob, values]) => [
              knob,
              values.map((value) => named({ [knob]: value })[knob]!),
            ]),
          ),
          points: sweep.points.map(named),
        };
  const set = named(settings.set);
  const setFor = (task: string): Given => named(settings.setFor(task));
  for (const task of settings.tasks) setFor(task);
  return { settings: { ...settings, set, setFor, sweep: inSweep }, files, typed };
}

type Given = Readonly<Record<string, OptionValue>>;

const ID_LENGTH = 12;

function replaced(given: Given, table: OptionTable, nameOf: (path: string, knob: string) => string): Given {
  const entries = Object.entries(given).map(([knob, value]): [string, OptionValue] => {
    const { file } = table[knob] ?? {};
    const path = file?.pathIn(value);
    return [knob, file === undefined || path === undefined ? value : file.withName(value, nameOf(path, knob))];
  });
  return Object.fromEntries(entries);
}

function textOf(path: string, shown: string, knob: string): string {
  try {
    return withoutMark(readText(path));
  } catch (error) {
    throw new UsageError(`--set ${knob}: ${shown}: ${fileTrouble(error)}`);
  }
}
