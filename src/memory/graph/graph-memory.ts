import type { ContextNote, GraphNote, NotedItem } from "../../notes/note.js";
import { cutWords } from "../../text/words.js";
import type { Kit, Question, TaskBrief } from "../../types/index.js";
import { brief, communityReport, reportLine } from "./report.js";
import type { SemanticContext, SimilarEvent, UserGraphView } from "./semantic-context.js";
import type { GraphSettings, TopicGraph } from "./shared-graph.js";

interface GraphRecollection {
  /** One line per similar event of another user, best first. */
  readonly events: readonly string[];
  /** One line per community, the one that overlaps most first. */
  readonly communities: readonly string[];
  /** The subgraph behind both, for traces. */
  readonly note: ContextNote;
}

/** Finds what others did in similar cases, and which communities that belongs to: the other side of episodic memory. */
export type GraphMemory = (query: string) => Promise<GraphRecollection>;

/** The memory for one question: no query finds what the question may not see. */
export function graphMemory(
  view: UserGraphView,
  question: Question,
  settings: GraphSettings,
  task: TaskBrief,
): GraphMemory {
  const wanted = {
    kUser: 0,
    kGlobal: settings["graph-rag.kGlobal"],
    communities: settings["graph-rag.communities"],
    topicalOnly: true,
  };
  const show = ({ event }: SimilarEvent): string =>
    task.formatEvent({ ...event, content: cutWords(event.content, EVENT_MAX_WORDS) });
  return async (query) => {
    const context = await view.context(query, question, wanted);
    return {
      events: context.global.map(show),
      communities: context.communities.map(({ report }) => reportLine(report, task.itemNoun)),
      note: contextNote(context, task),
    };
  };
}

const EVENT_MAX_WORDS = 200;

/** Returns the exact subgraph that entered a prompt. */
export function contextNote(context: SemanticContext, task: TaskBrief): ContextNote {
  const { graph } = context.within;
  const item = ({ owner, event, similarity }: SimilarEvent): NotedItem => ({
    owner,
    id: event.id,
    similarity: Number(similarity.toFixed(6)),
    text: brief(event, CHARS),
    ...(event.label === undefined ? {} : { label: event.label }),
    concepts: graph.read(event.document).map(({ label }) => label),
  });
  return {
    own: context.own.map(item),
    global: context.global.map(item),
    preferences: context.preferences.map(({ label, share }) => ({ label, share })),
    concepts: context.concepts.map(({ label }) => label),
    communities: context.communities.map(({ report, overlap, shared: concepts }) => ({
      id: report.id,
      report: reportLine(report, task.itemNoun),
      overlap: Number(overlap.toFixed(6)),
      concepts: concepts.slice(0, CONCEPTS).map((concept) => graph.concepts[concept]?.label ?? ""),
    })),
  };
}

/** `graphNote` for the units of an arm, counted once. */
export function poolGraphNote(topics: TopicGraph, kit: Pick<Kit, "shared" | "task">): Promise<GraphNote> {
  return kit.shared("graph.note", async () => graphNote(topics, kit.task));
}

/** The whole graph in numbers, and its largest communities. The same for all users of an arm. */
function graphNote({ graph, communities }: TopicGraph, task: TaskBrief): GraphNote {
  const mentions = graph.events.reduce((sum, _, interaction) => sum + graph.conceptsOf(interaction).length, 0);
  const categorized = [...graph.categories.values()].reduce((sum, members) => sum + members.length, 0);
  return {
    interactions: graph.events.length,
    concepts: graph.concepts.length,
    categories: graph.categories.size,
    edges: { interactionConcept: mentions, interactionCategory: categorized, conceptConcept: communities.edges },
    communities: communities.found,
    largest: communities.kept.slice(0, COMMUNITIES).map((community) => {
      const report = communityReport(community, graph, { hidden: () => false, samples: SAMPLES });
      return {
        id: community.id,
        report: reportLine(report, task.itemNoun),
        samples: report.samples.map((event) => ({ id: event.id, text: brief(event, CHARS) })),
      };
    }),
  };
}

const CONCEPTS = 10;
const COMMUNITIES = 5;
const SAMPLES = 2;
const CHARS = 120;
