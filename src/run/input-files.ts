import { basename, resolve } from "node:path";
import { readText } from "../disk/whole-file.js";
import { UsageError } from "../errors.js";
import { sha256 } from "../text/content-id.js";
import { fileTrouble, withoutMark } from "../text/file-trouble.js";
import type { Catalogue } from "./catalogue.js";
import { allOptions } from "./plan/options.js";
import type { Given, Plan } from "./plan/types.js";

/** A plan whose options name files by their contents, and these contents. */
interface WithInputFiles {
  readonly plan: Plan;
  /** By name: `rankings.json@1f0c2a4b6d8e`. */
  readonly files: ReadonlyMap<string, string>;
  /** The same by their paths as they were typed. */
  readonly typed: ReadonlyMap<string, string>;
}

/**
 * Reads the files that options name, unless `kept` has their texts. A cell is then named by what they hold, wherever they lie. Throws
 * UsageError on one that cannot be read.
 */
export function withInputFiles(
  plan: Plan,
  catalogue: Catalogue,
  cwd: string,
  kept: (path: string) => string | undefined = () => undefined,
): WithInputFiles {
  const table = allOptions(catalogue);
  const files = new Map<string, string>();
  const typed = new Map<string, string>();
  const named = (given: Given): Given =>
    Object.fromEntries(
      Object.entries(given).map(([option, value]) => {
        const { file } = table[option] ?? {};
        const path = file?.pathIn(value);
        if (file === undefined || path === undefined) return [option, value];
        const text = kept(path) ?? textOf(resolve(cwd, path), path, option);
        const name = `${basename(path)}@${sha256(text).slice(0, ID_LENGTH)}`;
        files.set(name, text);
        typed.set(path, text);
        return [option, file.withName(value, name)];
      }),
    );
  const { sweep } = plan;
  const axes = Object.entries(sweep?.axes ?? {}).map(([option, values]) => [
    option,
    values.map((value) => named({ [option]: value })[option]),
  ]);
  const inSweep = sweep && { ...sweep, axes: Object.fromEntries(axes), points: sweep.points.map(named) };
  const perTask = Object.fromEntries(Object.entries(plan.perTask).map(([task, given]) => [task, named(given)]));
  return {
    plan: { ...plan, set: named(plan.set), perTask, ...(inSweep === undefined ? {} : { sweep: inSweep }) },
    files,
    typed,
  };
}

const ID_LENGTH = 12;

function textOf(path: string, shown: string, option: string): string {
  try {
    return withoutMark(readText(path));
  } catch (error) {
    throw new UsageError(`--set ${option}: ${shown}: ${fileTrouble(error)}`);
  }
}
