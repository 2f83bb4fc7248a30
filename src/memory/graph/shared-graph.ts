import type { TfIdfSettings } from "../../retrievers/tf-idf-terms.js";
import type { Event, Kit, PoolEvent, TaskBrief } from "../../types.js";
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
  /** By interaction, its number in the pool of other users. Absent: the same number. */
  readonly poolNumbers?: Uint32Array;
  /** The graph of what had happened by that date, as `graph.asOf` says: this one for an undated question. */
  at(date: string | undefined): Promise<SharedGraph>;
}

/** The part of a kit that the graph is built with. */
type GraphKit = Pick<Kit, "others" | "task" | "runRandom"> & { readonly shared: Keep };

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
    const { embedder, shared } = kit;
    const openSimilarity = similarities[settings["graph-rag.weighting"]];
    const searched = (topics: TopicGraph, keep: Keep): Pick<SharedGraph, "similarity"> => ({
      similarity: whenAsked(() => openSimilarity(topics.graph.interactions, { embedder, tfIdf, shared: keep })),
    });
    const topics = await openTopicGraph(settings, kit);
    const snapshots = new Map<number, Promise<SharedGraph>>();
    const whole: SharedGraph = { ...topics, ...searched(topics, shared), at };
    return whole;

    /** Dates by which equally much had happened have one graph. The least lately used of many goes. */
    async function at(date: string | undefined): Promise<SharedGraph> {
      const numbers = numbersAt(cutDate(date, settings["graph.asOf"]), kit.others);
      if (numbers === undefined) return whole;
      const known = snapshots.get(numbers.length) ?? open(numbers);
      snapshots.delete(numbers.length);
      snapshots.set(numbers.length, known);
      for (const oldest of snapshots.keys()) if (snapshots.size > MOST_SNAPSHOTS) snapshots.delete(oldest);
      return known;
    }

    async function open(numbers: Uint32Array): Promise<SharedGraph> {
      const events = Array.from(numbers, (number) => kit.others.events[number]!); // made of its numbers
      const graph = await topicGraph(events, settings, { ...kit, shared: builtAnew });
      return { ...graph, ...searched(graph, builtAnew), poolNumbers: numbers, at };
    }
  });
}

/** The graph and its communities alone, over the whole pool, for those who only look at it. */
export const openTopicGraph = (settings: GraphSettings, kit: GraphKit): Promise<TopicGraph> =>
  kit.shared("graph.topics", () => topicGraph(kit.others.events, settings, kit));

/** Labels are categories where they can be counted: not titles, and not LaMP-1's two references (METHODS 8.3). */
export function categoryOf(task: Pick<TaskBrief, "summary">): (event: Event) => string | undefined {
  return task.summary.counts === undefined ? () => undefined : ({ label }) => label;
}

/** Graphs of single dates that are kept at once. */
const MOST_SNAPSHOTS = 8;

/** Of a graph that serves few questions nothing is kept between runs. */
const builtAnew: Keep = (_key, build) => build();

async function topicGraph(events: readonly PoolEvent[], settings: GraphSettings, kit: GraphKit): Promise<TopicGraph> {
  const category = categoryOf(kit.task);
  const graph = knowledgeGraph(events, { read: await settings["graph.concepts"].open(), category });
  const random = kit.runRandom(`graph.${settings["graph.algo"]}`);
  const communities = await communitiesOf(graph, {
    split: louvainSplit(random, settings["graph.resolution"], kit.shared),
    maxCommunities: settings["graph-rag.maxCommunities"],
  });
  return { graph, communities, category };
}

/** Up to when the graph of a question knows what others did; undefined: it knows all. */
function cutDate(date: string | undefined, asOf: GraphSettings["graph.asOf"]): string | undefined {
  const length = { day: undefined, month: "YYYY-MM".length, year: "YYYY".length, run: 0 }[asOf];
  return length === 0 ? undefined : date?.slice(0, length);
}

/** The numbers of the pool's events dated no later, whosever they are; undefined where these are all. */
function numbersAt(date: string | undefined, { events, visibleTo }: Kit["others"]): Uint32Array | undefined {
  if (date === undefined) return undefined;
  const isVisible = visibleTo(NOBODY, date);
  const numbers = new Uint32Array(events.length);
  let count = 0;
  for (let number = 0; number < events.length; number++) if (isVisible(number)) numbers[count++] = number;
  return count === events.length ? undefined : numbers.subarray(0, count);
}

/** A user who has done nothing. */
const NOBODY = "\0nobody";

/** Opens a search when first asked for: of the whole pool nothing is embedded where every question has a graph of its own. */
function whenAsked(open: () => Promise<Similarity>): Similarity {
  let opened: Promise<Similarity> | undefined;
  const similarity = (): Promise<Similarity> => {
    opened ??= open();
    opened.catch(() => {
      opened = undefined; // the next question tries again
    });
    return opened;
  };
  return {
    global: async (...search) => (await similarity()).global(...search),
    own: async (events) => (await similarity()).own(events),
  };
}
