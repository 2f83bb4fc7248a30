import type { Event, Kit, Question, User } from "../../types/index.js";
import { isTopical, type Overlap } from "./communities.js";
import type { Concept } from "./concepts.js";
import { type CommunityReport, communityReport, type LabelFrequency, labelFrequencies } from "./report.js";
import type { PoolGraph } from "./shared-graph.js";
import type { UserSearch } from "./similarity.js";

/** A similar interaction and how similar. */
export interface SimilarEvent {
  readonly owner: string;
  readonly event: Event;
  /** Cosine. */
  readonly similarity: number;
}

interface SeenCommunity extends Overlap {
  readonly report: CommunityReport;
  /** Some of its interactions are hidden from the asker: a report written over all of them knows more than the asker may. */
  readonly partial: boolean;
}

/** C(u, q) of PersonaAgent with GraphRAG, equations 1 and 2, and the communities that go with it. */
export interface SemanticContext {
  readonly own: readonly SimilarEvent[];
  readonly global: readonly SimilarEvent[];
  readonly preferences: readonly LabelFrequency[];
  /** Concepts of the hits, the most frequent first, then by name. */
  readonly concepts: readonly Concept[];
  readonly communities: readonly SeenCommunity[];
  /** Size of the visible history. */
  readonly interactions: number;
  /** The graph searched: the pool's, or its snapshot up to the question's date. */
  readonly within: PoolGraph;
}

/** One user's view of the graph. */
export interface UserGraphView {
  /** `query` is what is looked for; `question` decides what may be seen. */
  context(query: string, question: Question, wanted: Wanted): Promise<SemanticContext>;
  /** Adds one more event to the user's own events. No other user sees it. */
  learn(event: Event): Promise<void>;
}

export interface Wanted {
  readonly kUser: number;
  /** The user's own events that a selector chose. Absent: the `kUser` most similar ones. */
  readonly chosen?: readonly Event[];
  readonly kGlobal: number;
  readonly communities: number;
  /** Only concepts that may join a community; else all that the hits hold (as released). */
  readonly topicalOnly: boolean;
}

/**
 * Opens the view. Global hits are never the user's own, never a twin of the question, and only what the pool of other
 * users lets this user see at the question's date.
 */
export async function openView(user: User, shared: PoolGraph, others: Kit["others"]): Promise<UserGraphView> {
  checkPool(shared, others);
  const history = [...user.history];
  const ownSearches = new WeakMap<PoolGraph, () => Promise<UserSearch>>();
  const ownIn = async (graph: PoolGraph, query: string, k: number, above: number): Promise<SimilarEvent[]> => {
    const open = ownSearches.get(graph) ?? searchOf(history, graph);
    ownSearches.set(graph, open);
    const hits = await (await open())(query, k, above);
    return hits.map(({ index, score }) => ({ owner: user.id, event: history[index]!, similarity: score }));
  };
  const chosenIn = async (graph: PoolGraph, query: string, chosen: readonly Event[]): Promise<SimilarEvent[]> => {
    if (chosen.length === 0) return [];
    const all = await ownIn(graph, query, history.length, Number.NEGATIVE_INFINITY);
    const similar = new Map(all.map(({ event, similarity }) => [event.id, similarity]));
    return chosen.map((event) => ({ owner: user.id, event, similarity: similar.get(event.id) ?? 0 }));
  };
  const othersIn = async (graph: PoolGraph, query: string, k: number, question: Question, hidden: IsHidden) => {
    if (k === 0) return [];
    const unseen = { owner: user.id, contents: [question.content], hidden };
    const hits = await graph.similarity.global(query, k, MIN_SIMILARITY, unseen);
    return hits.map(({ index, score }) => ({ ...graph.graph.events[index]!, similarity: score }));
  };
  return {
    async context(query, question, { kUser, chosen, kGlobal, communities, topicalOnly }) {
      const within = await shared.graphAsOf(question.date);
      const hidden = hiddenInteractions(user, question, others, within);
      const own =
        chosen !== undefined
          ? await chosenIn(within, query, chosen)
          : kUser === 0 // an agent's graph_memory opens no search over the user's own
            ? []
            : await ownIn(within, query, kUser, MIN_SIMILARITY);
      const global = await othersIn(within, query, kGlobal, question, hidden);
      const hits = [...own, ...global];
      return {
        own,
        global,
        preferences: labelFrequencies(history.map(within.category), PREFERENCES),
        concepts: conceptsOf(hits, within, topicalOnly).slice(0, CONCEPTS),
        communities: communities === 0 ? [] : visibleCommunities(query, hits, hidden, within, communities),
        interactions: history.length,
        within,
      };
    },
    async learn(event) {
      history.push(event);
    },
  };
}

/** PersonaAgent with GraphRAG, code: three categories, ten concepts. */
const PREFERENCES = 3;
const CONCEPTS = 10;
/** Only events more similar than this are shown (PersonaAgent with GraphRAG, code). */
const MIN_SIMILARITY = 0.01;
const SAMPLES = 3;

type IsHidden = (interaction: number) => boolean;

/** The search over a history: opened when first wanted, then given what is new. */
function searchOf(history: readonly Event[], { similarity }: PoolGraph): () => Promise<UserSearch> {
  let opened: Promise<UserSearch> | undefined;
  let known = 0;
  return async () => {
    if (opened === undefined) {
      known = history.length;
      opened = similarity.own(history.slice());
      opened.catch(() => {
        opened = undefined; // the next question tries again
      });
    }
    const search = await opened;
    for (; known < history.length; known++) await search.add(history[known]!);
    return search;
  };
}

/** Throws where interactions and the pool's events are not numbered alike: the graph must be made of this pool. */
function checkPool({ graph }: PoolGraph, { events }: Kit["others"]): void {
  const isSame = (index: number): boolean => graph.events[index] === events[index];
  if (graph.events.length < events.length || !isSame(0) || !isSame(events.length - 1))
    throw new Error("a view is opened with another pool than its graph was built of");
}

/** Returns a test for events that the user may not see: the user's own, later ones where the pool is dated, and any that the pool does not hold. */
function hiddenInteractions(
  user: User,
  question: Question,
  others: Kit["others"],
  { poolNumbers }: PoolGraph,
): IsHidden {
  const isVisible = others.visibleTo(user.id, question.date);
  if (poolNumbers === undefined) return (interaction) => !isVisible(interaction);
  return (interaction) => !isVisible(poolNumbers[interaction] ?? Number.POSITIVE_INFINITY);
}

/** The release takes ten in the random order of a set; sorted here, so that equal input gives equal prompts. */
function conceptsOf(hits: readonly SimilarEvent[], { graph }: PoolGraph, topicalOnly: boolean): Concept[] {
  const counts = new Map<string, { concept: Concept; count: number }>();
  for (const { event } of hits)
    for (const concept of graph.read(event.document)) {
      const number = graph.conceptNumber(concept.key);
      if (topicalOnly && (number === undefined || !isTopical(number, graph))) continue;
      counts.set(concept.key, { concept, count: (counts.get(concept.key)?.count ?? 0) + 1 });
    }
  return [...counts.values()]
    .sort((a, b) => b.count - a.count || (a.concept.label < b.concept.label ? -1 : 1))
    .map(({ concept }) => concept);
}

/** Returns the communities of the query's concepts (weight 1) and the hits' (weight: similarity) that the user may see. */
function visibleCommunities(
  query: string,
  hits: readonly SimilarEvent[],
  hidden: IsHidden,
  { graph, communities }: PoolGraph,
  count: number,
): SeenCommunity[] {
  const weights = new Map<number, number>();
  const add = (text: string, weight: number): void => {
    for (const { key } of graph.read(text)) {
      const number = graph.conceptNumber(key);
      if (number !== undefined) weights.set(number, (weights.get(number) ?? 0) + weight);
    }
  };
  add(query, 1);
  for (const { event, similarity } of hits) add(event.document, similarity);
  const seen: SeenCommunity[] = [];
  for (const overlap of communities.overlaps(weights)) {
    if (seen.length === count) break;
    const report = communityReport(overlap.community, graph, { hidden, samples: SAMPLES });
    const partial = report.interactions < overlap.community.interactions.length;
    if (report.interactions > 0) seen.push({ ...overlap, report, partial });
  }
  return seen;
}
