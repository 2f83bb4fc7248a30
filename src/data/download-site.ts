import { UsageError } from "../errors.js";
import type { Task } from "../types.js";

/** The official download site. */
export const LAMP_SITE = "https://ciir.cs.umass.edu/downloads/LaMP/";

/** Shown wherever these data are fetched. */
export const LAMP_LICENCE =
  "The LaMP data are licensed CC BY-NC-SA 4.0 by their authors and carry their sources' own terms: not for commercial use.";

export type PeopleSplit = "time" | "user";
export type Part = "train" | "dev" | "test";

export interface RemoteFile {
  /** Local name: `dev_questions.json`. */
  readonly name: string;
  readonly url: string;
}

/**
 * Where a task lies on the site. Movies lie under `new/`; `LaMP_2/` itself holds the older news task. There is no
 * test_outputs.json: test golds are hidden. Source: https://lamp-benchmark.github.io/download.
 */
export function remoteFiles(task: Task, split: PeopleSplit, parts: readonly Part[], site: string): RemoteFile[] {
  const folder = FOLDERS[task.name];
  if (folder === undefined)
    throw new UsageError(`${task.name} is not on the download site; tasks there: ${Object.keys(FOLDERS).join(", ")}`);
  const root = new URL(`${split === "time" ? "time/" : ""}${folder}/`, site.endsWith("/") ? site : `${site}/`);
  return parts.flatMap((part) => {
    const kinds = part === "test" ? ["questions"] : ["questions", "outputs"];
    return kinds.map((kind) => ({
      name: `${part}_${kind}.json`,
      url: new URL(`${part}/${part}_${kind}.json`, root).href,
    }));
  });
}

const FOLDERS: Readonly<Record<string, string>> = {
  lamp1: "LaMP_1",
  lamp2m: "LaMP_2/new",
  lamp2n: "LaMP_2",
  lamp3: "LaMP_3",
  lamp4: "LaMP_4",
  lamp5: "LaMP_5",
  lamp7: "LaMP_7",
};
