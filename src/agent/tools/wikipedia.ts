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

/** Stored searches of a run, by query. */
export interface KnownSearches {
  /** Returns the result from this process, an earlier one, or the recording that is replayed. */
  found(query: string): WikiEntry | undefined;
  /** Returns the reason of a failed search. */
  failure(query: string): string | undefined;
  /** Stores an entry. Returns the stored one, which may be another process's; throws where the search failed there. */
  keep(entry: WikiEntry): Promise<WikiEntry>;
  /** Stores a failure. Returns the entry of another process that succeeded meanwhile. */
  keepFailure(query: string, reason: string): Promise<WikiEntry | undefined>;
}

interface WikipediaSetup {
  readonly settings: WikiSettings;
  readonly access: MediawikiAccess;
  /** Recorded searches; needed by `replay`. */
  readonly fixture: WikiFixture;
  /** Absent: nothing is kept. */
  readonly searches?: () => KnownSearches | undefined;
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

function replayPages({ searches, fixture }: WikipediaSetup): PagesFor {
  return async (query) => {
    const entry = searches?.()?.found(query) ?? fixture.find(query);
    if (entry !== undefined) await searches?.()?.keep({ ...entry, query }); // under this spelling
    return entry?.pages;
  };
}

function fetchPages({ access, searches }: WikipediaSetup): PagesFor {
  const get = mediawikiGet(access);
  const running = new Map<string, Promise<readonly WikiPage[]>>();
  const search = async (query: string, use: ToolUse): Promise<readonly WikiPage[]> => {
    const known = searches?.();
    const found = known?.found(query);
    if (found !== undefined) {
      await known?.keep({ ...found, query });
      return found.pages;
    }
    const failure = known?.failure(query);
    if (failure !== undefined) throw new Error(failure);
    const pages = await searchWiki(get, query, use).catch(async (error: unknown) => {
      const other = use.signal.aborted ? undefined : await known?.keepFailure(query, reasonOf(error));
      if (other === undefined) throw error;
      return other.pages;
    });
    const entry = { query, retrieved: new Date(access.clock.now()).toISOString().slice(0, 10), pages };
    return ((await known?.keep(entry)) ?? entry).pages;
  };
  return (query, use) => {
    const pages = running.get(query) ?? search(query, use).finally(() => running.delete(query));
    running.set(query, pages);
    return pages;
  };
}

function formatPages(pages: readonly WikiPage[]): string {
  if (pages.length === 0) return NOTHING_FOUND;
  return pages.map(({ title, summary }) => `Page: ${title}\nSummary: ${summary}`).join("\n\n");
}

/** fetch says only "fetch failed"; the cause has the reason (`ENOTFOUND`, `ECONNREFUSED`). */
function reasonOf(error: unknown): string {
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
