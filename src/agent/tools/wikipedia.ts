import { UnreachableError, UsageError } from "../../errors.js";
import { choice, text } from "../../registry/options.js";
import type { Options, Tool, ToolUse } from "../../types/index.js";
import { cutChars, querySchema, readQuery } from "../toolbox.js";
import { type MediawikiAccess, mediawikiGet, searchWiki } from "./mediawiki.js";
import type { WikiEntry, WikiFixture, WikiPage } from "./wiki-fixture.js";

/** LangChain's WikipediaAPIWrapper and its query limit (METHODS 5.3). */
const MAX_QUERY_CHARS = 300;
const MAX_CHARS = 4000;
const NOTHING_FOUND = "No good Wikipedia Search Result was found";
const NOTHING_RECORDED = "Nothing is recorded for this topic in the Wikipedia fixture of this run";

/** The tool's description after PersonaAgent appendix D, in our words. */
const DESCRIPTION = [
  "Gives a short summary of one topic from Wikipedia.",
  "Good for: general background, basic facts, events of long ago and well-known people.",
  "Input: the name of one clear topic (for example 'Marie Curie' or 'French Revolution').",
  "Output: a concise Wikipedia summary.",
  "Note: a precise topic name gives a better result.",
].join(" ");

/** Makes a search once in a run: `find` is called where nobody has made it. Throws why it failed. */
export type SearchOnce = (
  query: string,
  how: { readonly find: () => Promise<WikiEntry>; readonly signal: AbortSignal },
) => Promise<WikiEntry>;

/** Of a query that the recording does not hold. */
export class NotRecorded extends Error {}

interface WikipediaSetup {
  readonly settings: WikiSettings;
  readonly access: MediawikiAccess;
  /** Recorded searches; needed by `replay`. */
  readonly fixture: WikiFixture;
  /** Absent: nothing is kept. */
  readonly search?: SearchOnce;
}

/**
 * The `wikipedia` tool; undefined with `wiki.mode=off`. One per run: its requests queue up behind each other and a
 * search is made once; one that failed is noted as `search-failed` and may be tried again. `replay` never calls out: what is
 * not recorded says so and is counted as `wiki-replay-miss`.
 */
export function wikipediaTool(setup: WikipediaSetup): Tool | undefined {
  const { settings } = setup;
  if (settings["wiki.mode"] === "off") return undefined;
  const pagesFor = settings["wiki.mode"] === "replay" ? replayPages(setup) : fetchPages(setup);
  return {
    name: "wikipedia",
    description: DESCRIPTION,
    parameters: querySchema("the name of one clear topic"),
    timesItself: true,
    async run(input, use) {
      const query = cutChars(readQuery(input), MAX_QUERY_CHARS);
      const pages = await pagesFor(query, use).catch((error: unknown) => {
        if (error instanceof UsageError) throw error; // it was found and could not be kept
        const reason = reasonOf(error);
        use.note({ kind: "search-failed", data: { query, reason } });
        throw new Error(reason, { cause: error });
      });
      if (pages === undefined) {
        use.count("wiki-replay-miss");
        return NOTHING_RECORDED;
      }
      return cutChars(formatPages(pages), MAX_CHARS);
    },
  };
}

/** Tries the API once, before the first model call of a run that needs it. Throws UsageError naming who searches and the way out. */
export async function checkWikipedia(
  settings: WikiSettings,
  access: MediawikiAccess,
  searching: readonly string[] = [],
): Promise<void> {
  const { "wiki.mode": mode } = settings;
  if (mode === "off" || mode === "replay") return;
  const get = mediawikiGet({ ...access, attempts: 2 });
  try {
    await get({ meta: "siteinfo" }, { timeoutMs: CHECK_TIMEOUT_MS, signal: new AbortController().signal });
  } catch (error) {
    const reason = reasonOf(error);
    throw new UnreachableError(
      `wiki.mode=${mode}: the Wikipedia API cannot be used (${reason})${searching.length === 0 ? "" : `, and ${searching.join(", ")} would search it`}; use --set wiki.mode=replay --set wiki.fixture=FILE with a recorded file, or --set wiki.mode=off`,
    );
  }
}

const CHECK_TIMEOUT_MS = 10_000;

type PagesFor = (query: string, use: ToolUse) => Promise<readonly WikiPage[] | undefined>;

function replayPages({ search = searchAnew, fixture }: WikipediaSetup): PagesFor {
  return async (query, { signal }) => {
    const find = async (): Promise<WikiEntry> => {
      const entry = fixture.find(query);
      if (entry === undefined) throw new NotRecorded();
      return { ...entry, query }; // under this spelling
    };
    try {
      return (await search(query, { find, signal })).pages;
    } catch (error) {
      if (error instanceof NotRecorded) return undefined;
      throw error;
    }
  };
}

function fetchPages({ access, search = searchAnew }: WikipediaSetup): PagesFor {
  const get = mediawikiGet(access);
  return async (query, use) => {
    const find = async (): Promise<WikiEntry> => {
      const pages = await searchWiki(get, query, use);
      return { query, retrieved: new Date(access.clock.now()).toISOString().slice(0, 10), pages };
    };
    return (await search(query, { find, signal: use.signal })).pages;
  };
}

const searchAnew: SearchOnce = (_query, { find }) => find();

function formatPages(pages: readonly WikiPage[]): string {
  if (pages.length === 0) return NOTHING_FOUND;
  return pages.map(({ title, summary }) => `Page: ${title}\nSummary: ${summary}`).join("\n\n");
}

/** fetch says only "fetch failed"; the cause has the reason (`ENOTFOUND`, `ECONNREFUSED`). */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error && cause.message !== "" && error.message === "fetch failed"
    ? cause.message
    : error.message;
}

/** Options of the `wikipedia` tool (METHODS 5.3). A method that offers it spreads this table into its own. */
export const wikiOptions = {
  "wiki.mode": choice({
    default: "live",
    of: ["live", "replay", "off"],
    help: "live: every search is kept in the log, from which --reuse takes it; replay: the fixture only; off: no tool",
  }),
  "wiki.fixture": text({
    default: "",
    help: "file that replay reads; empty: the built-in one, for the demo data alone",
  }),
} as const;

export type WikiSettings = Options<typeof wikiOptions>;
