import type { TfIdfSettings } from "../../retrievers/tf-idf-terms.js";
import type { Event, Kit, TaskBrief } from "../../types.js";
import { type Communities, communitiesOf } from "./communities.js";
import type { Keep } from "./keep.js";
import { type KnowledgeGraph, knowledgeGraph } from "./knowledge-graph.js";
import type { GraphSettings } from "./options.js";
import { louvainSplit } from "./partition.js";
import { similarities } from "./similarities.js";
import type { Similarity } from "./similarity.js";

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

/** The part of a kit that the graph is built with. */
export type GraphKit = Pick<Kit, "others" | "task" | "runRandom"> & { readonly shared: Keep };

/**
 * The graph of the pool of other users. A user's own events enter it only where the pool is made of the
 * test users' visible pasts (leave-one-out); retrieval leaves out what the asking user may not see.
 */
export function openSharedGraph(
  settings: GraphSettings,
  tfIdf: TfIdfSettings,
  kit: GraphKit & Pick<Kit, "embedder">,
): Promise<SharedGraph> {
  return kit.shared("graph", async () => {
    const topics = await openTopicGraph(settings, kit);
    const openSimilarity = similarities[settings["graph-rag.weighting"]];
    const { embedder, shared } = kit;
    return { ...topics, similarity: await openSimilarity(topics.graph.interactions, { embedder, tfIdf, shared }) };
  });
}

/** The graph and its communities alone, for those who only look at it. */
export function openTopicGraph(settings: GraphSettings, kit: GraphKit): Promise<TopicGraph> {
  return kit.shared("graph.topics", async () => {
    const category = categoryOf(kit.task);
    const graph = knowledgeGraph(kit.others.events, { read: await settings["graph.concepts"].open(), category });
    const random = kit.runRandom(`graph.${settings["graph.algo"]}`);
    const communities = await communitiesOf(graph, {
      split: louvainSplit(random, settings["graph.resolution"], kit.shared),
      maxCommunities: settings["graph-rag.maxCommunities"],
    });
    return { graph, communities, category };
  });
}

/** Labels are categories where they can be counted: not titles, and not LaMP-1's two references (METHODS 8.3). */
export function categoryOf(task: Pick<TaskBrief, "summary">): (event: Event) => string | undefined {
  return task.summary.counts === undefined ? () => undefined : ({ label }) => label;
}
