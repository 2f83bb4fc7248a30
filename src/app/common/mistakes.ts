import { fileErrorOf } from "../../disk/file-error.js";
import { UsageError } from "../../errors.js";
import { choices } from "../../registry/registry.js";
import { TOO_DEEP } from "../../text/nesting.js";

/** What to tell a person of an error that they can mend, as one line; undefined for an error of the program itself. */
export function mistakeText(error: unknown): string | undefined {
  const told = error instanceof UsageError ? error : fileErrorOf(error);
  if (told !== undefined) return told.message;
  return isStackFull(error)
    ? `a file that was read holds values ${TOO_DEEP}; no file of lamp-eval does, so it was changed`
    : undefined;
}

/** A name that is none of those known, with the one that was perhaps meant. */
export const unknownName = (kind: string, name: string, known: readonly string[]): UsageError =>
  new UsageError(`unknown ${kind} "${name}"${choices(name, known, `${kind}s`)}`);

/** What V8 says where a value is walked that was made to be too deep; small readers refuse those by name before. */
const isStackFull = (error: unknown): boolean => error instanceof RangeError && /call stack/.test(error.message);
