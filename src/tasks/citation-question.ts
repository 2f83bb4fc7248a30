/** The parts of a LaMP-1 input, with the wording between them, so that another paper can be put into the same wording. */
interface CitationQuestion {
  readonly title: string;
  readonly options: readonly [string, string];
  /** Text before the title, between title and option 1, between the options, and behind option 2. */
  readonly wording: readonly [string, string, string, string];
}

const ANCHORED =
  /^(.*?with the title ")(.*?)(", which reference is related\?.*?\[1\]: ")(.*?)("\s+\[2\]: ")(.*)("\s*)$/s;

/**
 * Reads a LaMP-1 input by its fixed words, so that quotes inside titles do no harm; the official toggling scanner is the
 * fallback for other wordings. Undefined where neither finds a title and two options.
 */
export function citationQuestion(input: string): CitationQuestion | undefined {
  const parts = ANCHORED.exec(input);
  if (parts === null) return scanned(input);
  const [, before = "", title = "", between = "", first = "", gap = "", second = "", end = ""] = parts;
  return { title, options: [first, second], wording: [before, between, gap, end] };
}

/** The official retrieval query: the second and third quoted strings. Undefined where the official script crashes. Source: LaMP prompts/prompts.py. */
export function officialCitationQuery(input: string): string | undefined {
  const [, first, second] = quotedStrings(input);
  return first === undefined || second === undefined ? undefined : `${first} ${second}`;
}

/** The official wording of a LaMP-1 input. */
export const CITATION_WORDING: CitationQuestion["wording"] = [
  'For an author who has written the paper with the title "',
  '", which reference is related? Just answer with [1] or [2] without explanation. [1]: "',
  '" [2]: "',
  '"',
];

function scanned(input: string): CitationQuestion | undefined {
  const [title, first, second] = quotedStrings(input);
  if (title === undefined || first === undefined || second === undefined) return undefined;
  return { title, options: [first, second], wording: CITATION_WORDING };
}

/** The strings between double quotes, by toggling at each quote: one stray quote shifts all that follow. Source: LaMP prompts/utils.py. */
export function quotedStrings(text: string): string[] {
  return text
    .split('"')
    .slice(1, -1)
    .filter((_, index) => index % 2 === 0);
}
