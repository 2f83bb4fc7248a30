import { basename } from "node:path";

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

/** Files as a message names them. */
export const filesText = (files: readonly HashedFile[]): string =>
  files.map(({ name, sha256 }) => `${basename(name)} sha256 ${sha256.slice(0, 8)}`).join(", ") || "no files";
