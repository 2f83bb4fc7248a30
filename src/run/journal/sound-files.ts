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

/** What is known of files as they were, as long as they are not changed. Holds that of a few. */
export class ByState<T> {
  readonly #known = new Map<string, { readonly state: string; readonly value: T }>();

  remember(path: string, state: string, value: T): void {
    this.#known.delete(path);
    this.#known.set(path, { state, value });
    for (const [oldest] of this.#known) if (this.#known.size > MOST_FILES) this.#known.delete(oldest);
  }

  of(path: string): T | undefined {
    const known = this.#known.get(path);
    return known !== undefined && stateOf(path) === known.state ? known.value : undefined;
  }
}

const MOST_FILES = 4;
