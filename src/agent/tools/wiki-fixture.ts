import * as z from "zod";
import { readJson } from "../../text/schema-issue.js";

export type WikiPage = {
  /** The title in the search results, before redirects. */
  readonly title: string;
  /** The plain text of the page's introduction, uncut. */
  readonly summary: string;
};

/** The result of one search on one day. */
export type WikiEntry = {
  readonly query: string;
  /** `YYYY-MM-DD`, or `own text` in fixtures written by hand. */
  readonly retrieved: string;
  /** Best first; empty where the search found nothing. */
  readonly pages: readonly WikiPage[];
};

/** Recorded searches by query. */
export interface WikiFixture {
  readonly entries: readonly WikiEntry[];
  /** The recorded search. Letter case and runs of blanks do not count. */
  find(query: string): WikiEntry | undefined;
}

const FORMAT = "lamp-eval-wikipedia-1";

/** Later entries of the same search replace earlier ones. */
export function wikiFixture(entries: readonly WikiEntry[]): WikiFixture {
  const byKey = new Map(entries.map((entry) => [keyOf(entry.query), entry]));
  return {
    entries: [...byKey.values()],
    find: (query) => byKey.get(keyOf(query)),
  };
}

/** Reads a fixture file's text. Throws UsageError naming `file` and what is wrong in it. */
export const parseWikiFixture = (content: string, file: string): WikiFixture =>
  wikiFixture(readJson(fixtureSchema, content, file, EXPECTED).entries);

/** The file's text: sorted and one entry per line, so that fixtures can be compared and merged. */
export function formatWikiFixture(entries: readonly WikiEntry[]): string {
  const lines = [...wikiFixture(entries).entries]
    .map((entry) => ({ key: keyOf(entry.query), entry }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ entry: { query, retrieved, pages } }) =>
      JSON.stringify({ query, retrieved, pages: pages.map(({ title, summary }) => ({ title, summary })) }),
    );
  return `{"format": "${FORMAT}", "entries": [\n${lines.join(",\n")}\n]}\n`;
}

const keyOf = (query: string): string => query.toLowerCase().replace(/\s+/g, " ").trim();

const entrySchema = z.object({
  query: z.string(),
  retrieved: z.string(),
  pages: z.array(z.object({ title: z.string(), summary: z.string() })),
});
const fixtureSchema = z.object({ format: z.literal(FORMAT), entries: z.array(entrySchema) });
const EXPECTED = `expected {"format": "${FORMAT}", "entries": [...]}`;
