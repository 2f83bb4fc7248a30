import { basename } from "node:path";
import { UsageError } from "../errors.js";

/** A data file as plans and baselines keep it. */
interface HashedFile {
  readonly name: string;
  readonly sha256: string;
}

/** Whether two runs read the same data: equal content, whatever the files are called and in whichever order they were read. */
export function sameFiles(a: readonly HashedFile[], b: readonly HashedFile[]): boolean {
  const [hashesA, hashesB] = [a, b].map((files) => files.map(({ sha256 }) => sha256).sort());
  return hashesA?.join() === hashesB?.join();
}

/** The files that one run read of a task. */
interface FilesOfRun {
  readonly run: string;
  readonly dataset: string | undefined;
  readonly files: readonly HashedFile[];
}

/** Throws UsageError naming both where they are of different files; `remedy` says what to do. */
export function refuseOtherFiles(task: string, a: FilesOfRun, b: FilesOfRun, remedy: string): void {
  if (sameFiles(a.files, b.files)) return;
  const text = ({ run, dataset, files }: FilesOfRun) => `${run} ran on ${dataset} (${filesText(files)})`;
  throw new UsageError(`different data on ${task}: ${text(a)}, ${text(b)}; ${remedy}`);
}

const filesText = (files: readonly HashedFile[]): string =>
  files.map(({ name, sha256 }) => `${basename(name)} sha256 ${sha256.slice(0, 8)}`).join(", ") || "no files";
