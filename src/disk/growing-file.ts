import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { calls } from "./calls.js";
import { onFile } from "./file-error.js";
import { quietly, RENAMED, removeQuietly, syncFolder, writeFully } from "./whole-file.js";

/**
 * A whole file of any size that is made to be handed on, written piece by piece beside its place: every byte of it, forced to
 * the disk, then renamed over the old one. Until `finish` returns the old content stands. Makes the folder.
 */
export class GrowingFile {
  readonly #path: string;
  readonly #fresh: string;
  readonly #file: number;
  #pending: string[] = [];
  #length = 0;
  #state: "open" | "settled" | "closed" = "open";
  /** Short pieces behind each other. */
  #chunk: Buffer | undefined;
  #used = 0;

  /** Throws FileError. */
  constructor(path: string) {
    this.#path = path;
    this.#fresh = `${path}.${process.pid}.new`;
    this.#file = onFile(path, UNCHANGED, () => {
      if (!existsSync(dirname(path))) calls().makeFolder(dirname(path));
      return calls().open(this.#fresh, "w");
    });
  }

  /** Throws FileError. */
  write(piece: string | Uint8Array): void {
    if (typeof piece === "string") {
      this.#pending.push(piece);
      this.#length += piece.length;
      if (this.#length >= CHUNK_CHARS) this.#flush();
    } else {
      this.#gather();
      this.#put(piece);
    }
  }

  /** All is on the disk, and only the renaming is left to `finish`. Throws FileError. */
  settle(): void {
    if (this.#state !== "open") return;
    this.#flush();
    onFile(this.#path, UNCHANGED, () => calls().sync(this.#file));
    this.#state = "settled";
  }

  /** The new content stands. Throws FileError, which says whether the old one does. */
  finish(): void {
    try {
      this.settle();
    } catch (error) {
      this.drop();
      throw error;
    }
    this.#state = "closed";
    try {
      onFile(this.#path, UNCHANGED, () => calls().close(this.#file));
      renameWhole(this.#fresh, this.#path);
    } catch (error) {
      removeQuietly(this.#fresh);
      throw error;
    }
  }

  /** After a failure: the old content stays, and nothing of the new. Nothing once it is finished or dropped. */
  drop(): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    quietly(() => calls().close(this.#file));
    removeQuietly(this.#fresh);
  }

  #flush(): void {
    this.#gather();
    const used = this.#used;
    this.#used = 0;
    if (used > 0) this.#write(this.#chunk!.subarray(0, used));
  }

  #gather(): void {
    if (this.#length === 0) return;
    const text = this.#pending.join("");
    this.#pending = [];
    this.#length = 0;
    this.#put(Buffer.from(text));
  }

  #put(bytes: Uint8Array): void {
    this.#chunk ??= Buffer.allocUnsafe(CHUNK_BYTES);
    const isLarge = bytes.length > WORTH_A_CALL;
    if (isLarge || this.#used + bytes.length > CHUNK_BYTES) this.#flush();
    if (isLarge) this.#write(bytes);
    else {
      this.#chunk.set(bytes, this.#used);
      this.#used += bytes.length;
    }
  }

  #write(bytes: Uint8Array): void {
    onFile(this.#path, UNCHANGED, () => writeFully(this.#file, bytes));
  }
}

/** What is written piece by piece: see GrowingFile. */
export type Growing = Pick<GrowingFile, "settle" | "finish" | "drop">;

/** Files that belong together: none that `grown` was given gets its name before all are on the disk, and after a failure none is left half-made. Throws what `work` throws, and FileError. */
export function growTogether(work: (grown: <T extends Growing>(file: T) => T) => void): void {
  const files: Growing[] = [];
  try {
    work((file) => {
      files.push(file);
      return file;
    });
    for (const file of files) file.settle();
    for (const file of files) file.finish();
  } finally {
    for (const file of files) file.drop();
  }
}

/** A file that arrives in parts, by several processes: what came stays where it is. Open until `close`. */
export class PartFile {
  readonly #path: string;
  readonly #file: number;

  /** `from`: go on behind what is there, or begin anew. Throws FileError. */
  constructor(path: string, from: "end" | "start") {
    this.#path = path;
    this.#file = onFile(path, SO_FAR, () => calls().open(path, from === "end" ? "a" : "w"));
  }

  /** Every byte. Throws FileError. */
  write(bytes: Uint8Array): void {
    onFile(this.#path, SO_FAR, () => writeFully(this.#file, bytes));
  }

  /** Forces to the disk, and closes in every case. Throws FileError. */
  close(): void {
    try {
      onFile(this.#path, SO_FAR, () => calls().sync(this.#file));
    } finally {
      onFile(this.#path, SO_FAR, () => calls().close(this.#file));
    }
  }
}

/** Gives a file that is complete and on the disk its name. Throws FileError, which says whether the old one stands. */
export function renameWhole(from: string, to: string): void {
  onFile(to, UNCHANGED, () => calls().rename(from, to));
  onFile(to, RENAMED, () => syncFolder(dirname(to)));
}

/** Nothing where there is no such file. Throws FileError. */
export const removeFile = (path: string): void => onFile(path, "it is unchanged", () => calls().remove(path));

/** With its parents, where they are missing. Throws FileError. */
export const makeFolder = (path: string): void =>
  onFile(path, "nothing was written there", () => calls().makeFolder(path));

const CHUNK_CHARS = 1 << 20;
const CHUNK_BYTES = 1 << 18;
/** Larger pieces are not gathered: copying them takes longer than a call more. */
const WORTH_A_CALL = 1 << 16;
const UNCHANGED = "what stood there before is unchanged";
const SO_FAR = "what came so far is safe";
