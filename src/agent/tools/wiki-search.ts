import type { MediawikiGet } from "./mediawiki-get.js";
import type { WikiPage } from "./wiki-fixture.js";

/**
 * The introductions of the best pages for a query, in search order: two requests (METHODS 5.3). Missing pages and
 * disambiguation pages are left out; redirects are followed and keep the title of the search.
 */
export async function searchWiki(
  get: MediawikiGet,
  lang: string,
  query: string,
  topK: number,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<WikiPage[]> {
  const found = (await get(
    lang,
    { list: "search", srsearch: query, srlimit: String(topK), srprop: "" },
    timeoutMs,
    signal,
  )) as SearchBody;
  const titles = (found.query?.search ?? []).map(({ title }) => title).slice(0, topK);
  if (titles.length === 0) return [];
  const body = (await get(
    lang,
    {
      prop: "extracts|pageprops",
      exintro: "1",
      explaintext: "1",
      exlimit: "max",
      ppprop: "disambiguation",
      redirects: "1",
      titles: titles.join("|"),
    },
    timeoutMs,
    signal,
  )) as PagesBody;
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
