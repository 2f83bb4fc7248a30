import { UsageError } from "../errors.js";
import type { Event, RawQuery, Task, UserData } from "../types.js";
import { nearTwins } from "./near-twins.js";

export interface NearTwinSettings {
  /** What becomes of past items, and items of other users, that are nearly a question's text. */
  readonly nearTwins: "show" | "hide" | "error";
  /** Least similarity. */
  readonly near: number;
}

/** Whether an event of the user's past is nearly the text of one of the user's questions. Every event is read once. */
type IsOwnTwin = (query: RawQuery, event: Event) => boolean;

/** `shared`: the events that all questions have as their past; undefined where each question brings its own. */
export function ownTwins(
  { queries }: Pick<UserData, "queries">,
  shared: readonly Event[] | undefined,
  task: Task,
  near: number,
): IsOwnTwin {
  const contentOf = (query: RawQuery): string => task.question(query).content;
  if (shared === undefined) {
    const searches = new Map(queries.map((query) => [query, nearTwins([contentOf(query)], near)]));
    return (query, { content }) => (searches.get(query)?.of(content).length ?? 0) > 0;
  }
  const search = nearTwins(queries.map(contentOf), near);
  const found = new Map(shared.map((event) => [event, new Set(search.of(event.content))]));
  const indexes = new Map(queries.map((query, index) => [query, index]));
  return (query, event) => found.get(event)?.has(indexes.get(query) ?? -1) === true;
}

/** Throws UsageError naming the item, where the settings say so. */
export function refuseTwin(settings: NearTwinSettings, item: string, question: string): void {
  if (settings.nearTwins === "error")
    throw new UsageError(
      `${item} is nearly the text of question ${question} (history.near=${settings.near}); look at it with lamp-eval data audit, and use --set history.nearTwins=hide or show`,
    );
}
