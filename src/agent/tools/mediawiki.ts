import { ModelError } from "../../errors.js";
import { boundedText, withDeadline } from "../../net/deadline.js";
import { longWaitMessage, type RetryPolicy, retry, retryAfterMs } from "../../net/retry.js";
import { jsonIn } from "../../text/json.js";
import type { Clock, ToolUse } from "../../types/index.js";
import type { WikiPage } from "./wiki-fixture.js";

export interface MediawikiAccess {
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  /** `lamp-eval/0.1.0 (contact)`: Wikimedia's policy asks who is calling. */
  readonly userAgent: string;
  /** The API's address; default the English Wikipedia's. */
  readonly endpoint?: string;
  /** Tries of one request; default 5. */
  readonly attempts?: number;
  /** Hears of long waits, one line each. */
  notify?(line: string): void;
}

type Parameters = Readonly<Record<string, string>>;
/** One API request: the parsed body. */
type MediawikiGet = (parameters: Parameters, use: Pick<ToolUse, "timeoutMs" | "signal">) => Promise<unknown>;

const WIKIPEDIA = "https://en.wikipedia.org/w/api.php";
const POLICY: RetryPolicy = { tries: 5, firstWaitMs: 1000, longestWaitMs: 60_000 };

/**
 * Requests to MediaWiki APIs, one after the other (https://www.mediawiki.org/wiki/API:Etiquette). Waits as told by
 * Retry-After, else 1 s, 2 s, 4 s, ..., on 429, 503 and replication lag. Each try has `timeoutMs`; waiting for
 * one's turn does not count. Rejects with a short Error.
 */
export function mediawikiGet(access: MediawikiAccess): MediawikiGet {
  let last: Promise<unknown> = Promise.resolve();
  return (parameters, use) => {
    const query = new URLSearchParams({
      action: "query",
      format: "json",
      formatversion: "2",
      maxlag: "5", // for scripts that can wait: https://www.mediawiki.org/wiki/Manual:Maxlag_parameter
      ...parameters,
    });
    const url = `${access.endpoint ?? WIKIPEDIA}?${query.toString()}`;
    const reply = last.then(() => getPatiently(access, url, use));
    last = reply.catch(() => undefined); // a failure is its caller's; the queue goes on
    return reply;
  };
}

function getPatiently(
  access: MediawikiAccess,
  url: string,
  { timeoutMs, signal }: Pick<ToolUse, "timeoutMs" | "signal">,
): Promise<unknown> {
  const error = () => new Error(`Wikipedia: no reply within ${timeoutMs / 1000} s`);
  return retry(
    () => {
      signal.throwIfAborted();
      return withDeadline((limit) => getOnce(access, url, limit), signal, { ms: timeoutMs, error });
    },
    {
      policy: { ...POLICY, ...(access.attempts === undefined ? {} : { tries: access.attempts }) },
      wait(failed) {
        const line = longWaitMessage("Wikipedia", failed);
        if (line !== undefined) access.notify?.(line);
        return access.clock.sleep(failed.waitMs, signal);
      },
    },
  );
}

async function getOnce(access: MediawikiAccess, url: string, signal: AbortSignal): Promise<unknown> {
  const response = await access.fetch(url, {
    headers: { "user-agent": access.userAgent, accept: "application/json" },
    signal,
  });
  const content = await boundedText(response);
  const busy = (why: string) =>
    new ModelError(`Wikipedia: ${why}`, { retryable: true, retryAfterMs: retryAfterMs(response.headers) });
  if (response.status === 429 || response.status === 503) throw busy(`status ${response.status}`);
  if (!response.ok) throw new Error(`Wikipedia: status ${response.status}`);
  const body = jsonIn(content);
  if (body === undefined) throw new Error("Wikipedia: the answer is not JSON");
  const { error } = Object(body) as { readonly error?: { readonly code?: unknown; readonly info?: unknown } | null };
  if (error === undefined) return body;
  const { code = "error", info = "" } = error ?? {};
  if (code === "maxlag") throw busy("its servers lag behind");
  throw new Error(`Wikipedia: ${code}: ${info}`);
}

/** Pages of a search, as LangChain's WikipediaAPIWrapper has it (METHODS 5.3). */
const PAGES = 3;

/**
 * The introductions of the best pages for a query, in search order: two requests (METHODS 5.3). Missing pages and
 * disambiguation pages are left out; redirects are followed and keep the title of the search.
 */
export async function searchWiki(get: MediawikiGet, query: string, use: ToolUse): Promise<WikiPage[]> {
  const search = { list: "search", srsearch: query, srlimit: String(PAGES), srprop: "" };
  const found = (await get(search, use)) as SearchBody;
  const titles = (found.query?.search ?? []).map(({ title }) => title).slice(0, PAGES);
  if (titles.length === 0) return [];
  const introductions = {
    prop: "extracts|pageprops",
    exintro: "1",
    explaintext: "1",
    exlimit: "max",
    ppprop: "disambiguation",
    redirects: "1",
    titles: titles.join("|"),
  };
  const body = (await get(introductions, use)) as PagesBody;
  return titles.flatMap((title) => pageOf(title, body));
}

/** https://www.mediawiki.org/wiki/API:Search, https://www.mediawiki.org/wiki/API:Query (formatversion 2). */
interface SearchBody {
  readonly query?: { readonly search?: readonly { readonly title: string }[] };
}
interface Renamed {
  readonly from: string;
  readonly to: string;
}
interface PagesBody {
  readonly query?: {
    readonly normalized?: readonly Renamed[];
    readonly redirects?: readonly Renamed[];
    readonly pages?: readonly {
      readonly title: string;
      readonly missing?: boolean;
      readonly invalid?: boolean;
      readonly extract?: string;
      readonly pageprops?: { readonly disambiguation?: string };
    }[];
  };
}

/** Longest chain of redirects that is followed; MediaWiki itself resolves one or two. */
const MAX_RENAMES = 8;

function pageOf(title: string, { query }: PagesBody): WikiPage[] {
  const renamed = new Map(
    [...(query?.normalized ?? []), ...(query?.redirects ?? [])].map(({ from, to }) => [from, to]),
  );
  let target = title;
  for (let hop = 0; hop < MAX_RENAMES && renamed.has(target); hop++) target = renamed.get(target)!;
  const page = query?.pages?.find((candidate) => candidate.title === target);
  if (page === undefined || page.missing === true || page.invalid === true) return [];
  if (page.pageprops?.disambiguation !== undefined) return [];
  return [{ title, summary: (page.extract ?? "").trim() }];
}
