/** The message of an error in one line: a parser's own words may quote what is damaged, line ends and all. */
export const oneLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, " ");
