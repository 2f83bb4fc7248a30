import type { Event } from "../../types.js";
import type { Community } from "./communities.js";
import type { KnowledgeGraph } from "./knowledge-graph.js";
import { type LabelShare, labelShares } from "./label-shares.js";

/** What is said of a community, computed from those of its interactions that the reader may see. */
export interface CommunityReport {
  readonly id: number;
  /** Its most frequent concepts. */
  readonly title: string;
  readonly users: number;
  readonly interactions: number;
  /** The most frequent categories; empty where the task has none. */
  readonly labels: readonly LabelShare[];
  /** Its most typical events, of different users where there are several. */
  readonly samples: readonly Event[];
}

export interface ReportSettings {
  readonly category: (event: Event) => string | undefined;
  /** Interactions that the reader may not see, by number. */
  readonly hidden: (interaction: number) => boolean;
  readonly samples: number;
}

/** The computed report of a community: 0 calls. */
export function communityReport(
  community: Community,
  graph: KnowledgeGraph,
  { category, hidden, samples }: ReportSettings,
): CommunityReport {
  const seen = community.interactions.filter((interaction) => !hidden(interaction));
  const nodes = seen.flatMap((interaction) => graph.interactions[interaction] ?? []);
  return {
    id: community.id,
    title: community.concepts
      .filter((concept) => graph.interactionsOf(concept).some((interaction) => !hidden(interaction)))
      .slice(0, TITLE_CONCEPTS)
      .map((concept) => graph.concepts[concept]?.label ?? "")
      .join(", "),
    users: new Set(nodes.map(({ owner }) => owner)).size,
    interactions: seen.length,
    labels: labelShares(
      nodes.map(({ event }) => category(event)),
      SHOWN_LABELS,
    ),
    samples: typical(seen, community, graph).slice(0, samples),
  };
}

/** The report in one or two lines, e.g. `guns, march, florida: 12 articles by 4 users; politics 75 %, crime 25 %`. */
export function reportLine({ title, users, interactions, labels }: CommunityReport, itemNoun: string): string {
  const items = `${interactions} ${itemNoun}${interactions === 1 ? "" : "s"} by ${users} user${users === 1 ? "" : "s"}`;
  const shares = labels.map(({ label, share }) => `${label} ${Math.round(share * 100)} %`).join(", ");
  return `${title}: ${items}${shares === "" ? "" : `; ${shares}`}`;
}

// --- internal ---

const TITLE_CONCEPTS = 8;
const SHOWN_LABELS = 5;

/** Events by how many of the community's concepts they hold, first those of users not shown yet. */
function typical(seen: readonly number[], { concepts }: Community, graph: KnowledgeGraph): Event[] {
  const own = new Set(concepts);
  const ranked = seen
    .map((number) => ({
      node: graph.interactions[number],
      held: graph.conceptsOf(number).filter((concept) => own.has(concept)).length,
    }))
    .sort((a, b) => b.held - a.held); // stable: ties in the order of the pool
  const owners = new Set<string>();
  const first: Event[] = [];
  const later: Event[] = [];
  for (const { node } of ranked) {
    if (node === undefined) continue;
    (owners.has(node.owner) ? later : first).push(node.event);
    owners.add(node.owner);
  }
  return [...first, ...later];
}
