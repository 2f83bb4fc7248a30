import type { TfIdfSettings } from "../../retrievers/tf-idf-terms.js";
import type { Event, Kit, TaskBrief } from "../../types.js";
import { type Communities, communitiesOf } from "./communities.js";
import { type Interaction, type KnowledgeGraph, knowledgeGraph } from "./knowledge-graph.js";
import type { GraphSettings } from "./options.js";
import { type Similarity, similarities } from "./similarity.js";

/** The graph and its communities, without what searches it. */
export interface TopicGraph {
  readonly graph: KnowledgeGraph;
  readonly communities: Communities;
  /** The category node of an event; undefined where the task's labels are no categories. */
  category(event: Event): string | undefined;
}

/** What all users of a cell retrieve from: built once, never changed by a user. */
export interface SharedGraph extends TopicGraph {
  readonly similarity: Similarity;
}

/**
 * The graph of the pool of other users. A user's own events never enter it, but where the pool is made of the test users'
 * own visible pasts (leave-one-out); what an asker may not see is left out at retrieval.
 */
export function openSharedGraph(
  settings: GraphSettings,
  tfIdf: TfIdfSettings,
  kit: Pick<Kit, "shared" | "others" | "task" | "embedder" | "runRandom">,
): Promise<SharedGraph> {
  return kit.shared("graph", () => buildSharedGraph(wholePool(kit.others), settings, tfIdf, kit));
}

/** The same, of any interactions. */
export async function buildSharedGraph(
  pool: readonly Interaction[],
  settings: GraphSettings,
  tfIdf: TfIdfSettings,
  kit: Pick<Kit, "task" | "embedder" | "runRandom">,
): Promise<SharedGraph> {
  const topics = await buildTopicGraph(pool, settings, kit);
  const similarity = await similarities[settings["graph-rag.weighting"]](topics.graph.interactions, {
    embedder: kit.embedder,
    tfIdf,
  });
  return { ...topics, similarity };
}

/** The graph of any interactions, in their order, with its communities. */
export async function buildTopicGraph(
  pool: readonly Interaction[],
  settings: GraphSettings,
  kit: Pick<Kit, "task" | "runRandom">,
): Promise<TopicGraph> {
  const category = categoryOf(kit.task);
  const interactions = pool.map(({ owner, event }) => ({ owner, event }));
  const graph = knowledgeGraph(interactions, { read: await settings["graph.concepts"].open(), category });
  const communities = communitiesOf(graph, {
    resolution: settings["graph.resolution"],
    maxCommunities: settings["graph-rag.maxCommunities"],
    random: kit.runRandom(`graph.${settings["graph.algo"]}`),
  });
  return { graph, communities, category };
}

/** Every interaction of the pool: nobody's id is empty, so nothing is left out as somebody's own. */
export function wholePool(others: Kit["others"]): readonly Interaction[] {
  return others.eventsFor("");
}

/** Labels are categories where they can be counted: not titles, and not LaMP-1's two references (METHODS 8.3). */
export function categoryOf(task: Pick<TaskBrief, "summary">): (event: Event) => string | undefined {
  return task.summary.counts === undefined ? () => undefined : ({ label }) => label;
}
