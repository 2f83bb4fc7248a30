import { UsageError } from "../../errors.js";
import { oneLine } from "../../text/file-trouble.js";

export type WikiPage = {
  /** As the search named it, before redirects. */
  readonly title: string;
  /** The plain text of the page's introduction, uncut. */
  readonly summary: string;
};

/** What one search gave on one day. */
export type WikiEntry = {
  readonly lang: string;
  readonly query: string;
  /** Most pages that were asked for. */
  readonly topK: number;
  /** `YYYY-MM-DD`, or `own text` in fixtures written by hand. */
  readonly retrieved: string;
  /** Best first; empty where the search found nothing. */
  readonly pages: readonly WikiPage[];
};

/** Recorded searches by (language, query). */
export interface WikiFixture {
  readonly entries: readonly WikiEntry[];
  /** The recorded search, when it asked for at least `topK` pages. Letter case and runs of blanks do not count. */
  find(lang: string, query: string, topK: number): WikiEntry | undefined;
}

const FORMAT = "lamp-eval-wikipedia-1";

/** Later entries of the same search replace earlier ones. */
export function wikiFixture(entries: readonly WikiEntry[]): WikiFixture {
  const byKey = new Map(entries.map((entry) => [keyOf(entry.lang, entry.query), entry]));
  return {
    entries: [...byKey.values()],
    find(lang, query, topK) {
      const entry = byKey.get(keyOf(lang, query));
      return entry !== undefined && entry.topK >= topK ? entry : undefined;
    },
  };
}

/** Reads a fixture file's text. Throws UsageError naming `file` and the entry. */
export function parseWikiFixture(content: string, file: string): WikiFixture {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch (error) {
    throw new UsageError(`${file}: not JSON (${oneLine(error)}); expected a fixture made with wiki.mode=record`);
  }
  if (!isRecord(value) || value.format !== FORMAT || !Array.isArray(value.entries))
    throw new UsageError(`${file}: not a Wikipedia fixture; expected {"format": "${FORMAT}", "entries": [...]}`);
  return wikiFixture(value.entries.map((entry: unknown, index) => readEntry(entry, `${file}: entry ${index + 1}`)));
}

/**
 * Searches of one run, as its cassette holds them: found by their exact words first, so that two spellings of a search
 * each keep their own pages. Throws UsageError naming `where` and the search.
 */
export function recordedSearches(searches: readonly unknown[], where: string): WikiFixture {
  const entries = searches.map((search, index) => readEntry(search, `${where}: search ${index + 1}`));
  const exact = new Map(entries.map((entry) => [`${entry.lang} ${entry.query}`, entry]));
  const folded = wikiFixture(entries);
  return {
    entries,
    find(lang, query, topK) {
      const entry = exact.get(`${lang} ${query}`);
      return entry !== undefined && entry.topK >= topK ? entry : folded.find(lang, query, topK);
    },
  };
}

/** The file's text: sorted and one entry per line, so that fixtures can be compared and merged. */
export function formatWikiFixture(entries: readonly WikiEntry[]): string {
  const lines = [...wikiFixture(entries).entries]
    .map((entry) => ({ key: keyOf(entry.lang, entry.query), entry }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ entry: { lang, query, topK, retrieved, pages } }) =>
      JSON.stringify({ lang, query, topK, retrieved, pages: pages.map(({ title, summary }) => ({ title, summary })) }),
    );
  return `{"format": "${FORMAT}", "entries": [\n${lines.join(",\n")}\n]}\n`;
}

const keyOf = (lang: string, query: string): string => `${lang} ${query.toLowerCase().replace(/\s+/g, " ").trim()}`;

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function readEntry(value: unknown, where: string): WikiEntry {
  const entry = isRecord(value) ? value : {};
  const { lang, query, topK, retrieved, pages } = entry;
  if (typeof lang !== "string" || typeof query !== "string" || typeof retrieved !== "string")
    throw new UsageError(`${where}: lang, query and retrieved must be texts; record it again`);
  if (typeof topK !== "number" || !Array.isArray(pages))
    throw new UsageError(`${where} ("${query}"): topK must be a number and pages a list; record it again`);
  return { lang, query, topK, retrieved, pages: pages.map((page: unknown) => readPage(page, `${where} ("${query}")`)) };
}

function readPage(value: unknown, where: string): WikiPage {
  if (!isRecord(value) || typeof value.title !== "string" || typeof value.summary !== "string")
    throw new UsageError(`${where}: every page needs a title and a summary; record it again`);
  return { title: value.title, summary: value.summary };
}
