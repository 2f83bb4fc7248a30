import { choice, integer, onlyWhere, thing } from "../../registry/options.js";
import type { TfIdfSettings } from "../../retrievers/tf-idf-index.js";
import { contentId } from "../../text/content-id.js";
import type { Event, Kit, Options, OptionValue, PoolEvent, TaskBrief } from "../../types/index.js";
import { type Communities, communitiesOf } from "./communities.js";
import { conceptReaders, type ReadConcepts } from "./concepts.js";
import { type KnowledgeGraph, knowledgeGraph } from "./knowledge-graph.js";
import { type Similarity, similarities } from "./similarity.js";

/** Options of the knowledge graph and of what is retrieved from it (METHODS 8.3). */
export const graphOptions = {
  "graph.concepts": thing({
    default: "linguistic",
    of: () => conceptReaders,
    help: "how concepts are found: pattern and domain rules as in PersonaAgent with GraphRAG without function words; with them, as its code was released; or stemmed content words",
  }),
  "graph.asOf": onlyWhere(
    (_task, settings) => readsGraph(settings),
    choice({
      default: "day",
      of: ["day", "month", "year", "run"],
      help: "what word weights and communities are made of for a dated question: others' events up to its day, or up to the beginning of its month or year (fewer graphs are built); run: the whole pool, later events included",
    }),
  ),
  "graph-rag.kUser": integer({ default: 3, help: "the user's own similar events (PersonaAgent with GraphRAG: 3)" }),
  "graph-rag.kGlobal": integer({ default: 3, help: "similar events of other users (PersonaAgent with GraphRAG: 3)" }),
  "graph-rag.weighting": choice({
    default: "tfidf",
    of: Object.keys(similarities) as (keyof typeof similarities)[],
    help: "similarity: cosine of TF-IDF as scikit-learn, or of the run's embedder",
  }),
  "graph-rag.communities": integer({ default: 2, help: "communities shown, those that overlap most" }),
  "graph-rag.reports": choice({
    default: "template",
    of: ["template", "llm"],
    help: "community reports: computed (no call), or written by the model, one call per community and arm",
  }),
} as const;

export type GraphSettings = Options<typeof graphOptions>;

/** Agents have these options too, and read the graph only where they have its tool. */
function readsGraph(settings: Readonly<Record<string, OptionValue>>): boolean {
  const tools = settings["persona-agent.tools"];
  return tools === undefined || String(tools).split(",").includes("graph_memory");
}

/** The graph and its communities, without what searches it. */
export interface TopicGraph {
  readonly graph: KnowledgeGraph;
  readonly communities: Communities;
  /** The category node of an event; undefined where the task's labels are no categories. */
  category(event: Event): string | undefined;
}

/** The graph that all users retrieve from: built once for all arms with equal content, never changed by a user. */
export interface PoolGraph extends TopicGraph {
  readonly similarity: Similarity;
  /** Maps an event of the graph to its number in the pool of other users. Absent: the same number. */
  readonly poolNumbers?: Uint32Array;
  /** The graph of what had happened by that date, as `graph.asOf` says: this one for an undated question. */
  graphAsOf(date: string | undefined): Promise<PoolGraph>;
}

/**
 * The graph of the pool of other users. A user's own events enter it only where the pool is made of the
 * test users' visible histories (leave-one-out); retrieval leaves out what the asking user may not see.
 */
export function openPoolGraph(
  settings: GraphSettings,
  tfIdf: TfIdfSettings,
  kit: Pick<Kit, "others" | "task" | "runRandom" | "shared" | "embedder">,
): Promise<PoolGraph> {
  const content = contentId([
    topicsContent(settings, kit),
    settings["graph.asOf"],
    settings["graph-rag.weighting"],
    kit.embedder.id,
    tfIdf.maxFeatures ?? "all",
    [...(tfIdf.stopWords ?? [])],
  ]);
  const build = async (): Promise<PoolGraph> => {
    const { embedder, others, shared } = kit;
    const read = await settings["graph.concepts"].open();
    const openSimilarity = similarities[settings["graph-rag.weighting"]];
    const withSearch = (topics: TopicGraph) => ({
      ...topics,
      similarity: whenAsked(() => openSimilarity(topics.graph.events, { embedder, tfIdf })),
    });
    const snapshots = await shared("graph.snapshots", async () => new Map<string, Promise<PoolGraph>>(), {
      content: "of the pool", // constant: one map for all arms
    });
    const topics = await shared("graph.topics", () => topicsOf(others.events, read, kit), {
      content: topicsContent(settings, kit),
    });
    const fullGraph: PoolGraph = { ...withSearch(topics), graphAsOf: at };
    return fullGraph;

    /** Returns the graph as of a date. Dates with the same visible events share one; the least recently used is evicted. */
    async function at(date: string | undefined): Promise<PoolGraph> {
      const numbers = numbersAt(cutDate(date, settings["graph.asOf"]), others);
      if (numbers === undefined) return fullGraph;
      const name = `${content} ${numbers.length}`;
      const known = snapshots.get(name) ?? open(numbers);
      snapshots.delete(name);
      snapshots.set(name, known);
      for (const oldest of snapshots.keys()) if (snapshots.size > MOST_SNAPSHOTS) snapshots.delete(oldest);
      return known;
    }

    async function open(poolNumbers: Uint32Array): Promise<PoolGraph> {
      const events = Array.from(poolNumbers, (number) => others.events[number]!); // poolNumbers index others.events
      return { ...withSearch(await topicsOf(events, read, kit)), poolNumbers, graphAsOf: at };
    }
  };
  return kit.shared("graph", build, { content });
}

/** Reads the graph of events and its communities. */
async function topicsOf(
  events: readonly PoolEvent[],
  read: ReadConcepts,
  { task, runRandom }: Pick<Kit, "task" | "runRandom">,
): Promise<TopicGraph> {
  const category = categoryOf(task);
  const graph = knowledgeGraph(events, { read, category });
  return { graph, communities: await communitiesOf(graph, runRandom(STREAM)), category };
}

/** Label of the random stream of Louvain. */
const STREAM = "graph.louvain";

/** All that a graph with its communities is made of, beside the pool. Two draws stand for the seed. */
function topicsContent(settings: GraphSettings, { runRandom }: Pick<Kit, "runRandom">): string {
  const stream = runRandom(STREAM);
  return contentId([settings["graph.concepts"].name, stream.next(), stream.next()]);
}

/** Labels are categories where they can be counted: not titles, and not LaMP-1's two references (METHODS 8.3). */
export function categoryOf(task: Pick<TaskBrief, "summary">): (event: Event) => string | undefined {
  return task.summary.counts === undefined ? () => undefined : ({ label }) => label;
}

/** Graphs of single dates that are kept at once, of all arms with one pool. */
const MOST_SNAPSHOTS = 8;

/** Returns the date up to which a question's graph holds events; undefined: it holds all. */
function cutDate(date: string | undefined, asOf: GraphSettings["graph.asOf"]): string | undefined {
  const length = { day: undefined, month: "YYYY-MM".length, year: "YYYY".length, run: 0 }[asOf];
  return length === 0 ? undefined : date?.slice(0, length);
}

/** Returns the numbers of the pool's events dated no later, whosever they are; undefined where these are all. */
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
