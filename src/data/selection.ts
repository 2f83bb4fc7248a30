import { UsageError } from "../errors.js";
import { contentId } from "../text/content-id.js";
import type { RawItem, RawQuery, UserData } from "../types.js";
import type { UserRecord } from "./source.js";

export interface SelectionSettings {
  /** The first so many users in file order. */
  readonly users?: number | undefined;
  /** Most questions per user, drawn by `querySeed`; the draw does not depend on file order. */
  readonly queriesPerUser?: number | undefined;
  readonly querySeed: number;
  /** Most questions in all, user by user. */
  readonly limit?: number | undefined;
  readonly emptyProfile: "error" | "keep";
}

/** Keeps what is selected while records stream by; memory holds nothing else. */
export interface Selection {
  visit(record: UserRecord): void;
  users(): readonly UserData[];
  /** Counts over the whole file. */
  readonly seen: { readonly users: number; readonly questions: number };
}

export function selection(settings: SelectionSettings): Selection {
  const { users: mostUsers = Number.POSITIVE_INFINITY, limit = Number.POSITIVE_INFINITY } = settings;
  const chosen = new Map<string, { profile: readonly RawItem[]; queries: Drawn[] }>();
  const all = new Set<string>();
  let kept = 0;
  let questions = 0;

  const visit = (record: UserRecord): void => {
    all.add(record.user);
    questions += record.queries.length;
    const known = chosen.get(record.user);
    if (record.queries.length === 0 || (known === undefined && (chosen.size >= mostUsers || kept >= limit))) return;
    if (settings.emptyProfile === "error") refuseEmpty(record);
    const before = known?.queries ?? [];
    const queries = drawn([...before, ...record.queries.map((query) => keyed(query, record.user, settings))], settings);
    kept += queries.length - before.length;
    chosen.set(record.user, { profile: known?.profile ?? record.profile, queries });
  };

  const users = (): readonly UserData[] => {
    let left = limit;
    return [...chosen].flatMap(([id, { profile, queries }]) => {
      const within = queries.slice(0, left).map(({ query }) => query);
      left -= within.length;
      return within.length === 0 ? [] : [{ id, profile, queries: within }];
    });
  };

  return {
    visit,
    users,
    get seen() {
      return { users: all.size, questions };
    },
  };
}

// --- internal ---

interface Drawn {
  readonly query: RawQuery;
  /** The number drawn for this question: the questions with the smallest numbers are kept. */
  readonly lot: string;
}

const keyed = (query: RawQuery, user: string, { querySeed }: SelectionSettings): Drawn => ({
  query,
  lot: contentId([querySeed, user, query.id]),
});

/** The questions with the smallest lots, in file order. */
function drawn(queries: Drawn[], { queriesPerUser }: SelectionSettings): Drawn[] {
  if (queriesPerUser === undefined || queries.length <= queriesPerUser) return queries;
  const lots = queries.map(({ lot }) => lot).sort();
  const highest = lots[queriesPerUser - 1] ?? "";
  return queries.filter(({ lot }) => lot <= highest);
}

function refuseEmpty(record: UserRecord): void {
  for (const { id, profile = record.profile } of record.queries)
    if (profile.length === 0)
      throw new UsageError(
        `${record.where}: user ${record.user} (question ${id}) has an empty profile; use --set data.emptyProfile=keep to keep such users`,
      );
}
