import { statSync } from "node:fs";

/**
 * Record files that were read in this process and hold what their seal says, as long as they are not changed: nothing in them
 * needs to be looked for damage again. A file is known by its path, its inode, its size and its times.
 */
const sound = new Map<string, { readonly state: string; readonly end: number }>();

/** What tells a file from the same file after a change. */
export function stateOf(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? "" : [found.ino, found.size, found.mtimeNs, found.ctimeNs].join();
}

/** `end`: where the lines end that stand as this version writes them, without a gap; NaN where others are among them. */
export function rememberSound(path: string, state: string, end: number): void {
  sound.set(path, { state, end });
}

/** `end` of a file that is known to be sound; undefined of any other. */
export function soundEnd(path: string): number | undefined {
  const known = sound.get(path);
  return known !== undefined && stateOf(path) === known.state ? known.end : undefined;
}
