/** Says why a file could not be read: `no such file`. Codes without words of their own stand as the system names them. */
export function fileTrouble(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
  return REASONS[code] ?? `cannot be read (${code})`;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "no such file",
  ENOTDIR: "no such file",
  EISDIR: "this is a folder, a file is needed",
  EACCES: "no permission to read it",
  EPERM: "no permission to read it",
};

/** A text without the byte order marks that some editors put before it, one before the other. */
export const withoutMark = (text: string): string => text.replace(/^\uFEFF+/, "");

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The message of an error in one line: a parser's own words may quote what is damaged, line ends and all. */
export const oneLine = (error: unknown): string => messageOf(error).replaceAll(/\s+/g, " ");

/** Returns the first line of an error: module loaders list behind it where they looked. */
export const firstLine = (error: unknown): string => messageOf(error).split("\n")[0]!;
