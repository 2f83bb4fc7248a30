import type { ContextNote, GraphNote, NotedItem } from "../../notes/note.js";
import type { Kit, TaskBrief } from "../../types.js";
import { brief, communityReport, reportLine } from "./report.js";
import type { SemanticContext, SimilarEvent } from "./semantic-context.js";
import type { TopicGraph } from "./shared-graph.js";

/** The exact subgraph that entered a prompt, for `lamp-eval graph --question`. */
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

/** `graphNote` for the units of a cell, counted once. */
export function sharedGraphNote(topics: TopicGraph, kit: Pick<Kit, "shared" | "task">): Promise<GraphNote> {
  return kit.shared("graph.note", async () => graphNote(topics, kit.task));
}

/** The whole graph in numbers, and its largest communities. The same for all users of a cell. */
export function graphNote({ graph, communities }: TopicGraph, task: TaskBrief): GraphNote {
  const mentions = graph.interactions.reduce((sum, _, interaction) => sum + graph.conceptsOf(interaction).length, 0);
  const categorized = [...graph.categories.values()].reduce((sum, members) => sum + members.length, 0);
  return {
    interactions: graph.interactions.length,
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
