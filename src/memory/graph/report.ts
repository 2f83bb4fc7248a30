import { countsOf } from "../../text/count.js";
import { jsonIn } from "../../text/json.js";
import { pyStrip } from "../../text/python.js";
import { cutWords } from "../../text/words.js";
import type { Event, Kit } from "../../types/index.js";
import type { Community } from "./communities.js";
import type { KnowledgeGraph } from "./knowledge-graph.js";
import type { TopicGraph } from "./shared-graph.js";

export interface LabelFrequency {
  readonly label: string;
  /** 0..1, of the labelled ones. */
  readonly share: number;
}

/** Returns the most frequent labels and their shares, equal ones by name. */
export function labelFrequencies(labels: readonly (string | undefined)[], limit: number): LabelFrequency[] {
  return topShares([...countsOf(labels.flatMap((label) => label ?? []))], limit);
}

function topShares(counts: readonly (readonly [label: string, count: number])[], limit: number): LabelFrequency[] {
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  return counts
    .toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .slice(0, limit)
    .map(([label, count]) => ({ label, share: count / total }));
}

/** A report of a community, computed from the events that the user may see. */
export interface CommunityReport {
  readonly id: number;
  /** Its most frequent concepts. */
  readonly title: string;
  readonly users: number;
  readonly interactions: number;
  /** The most frequent categories; empty where the task has none. */
  readonly labels: readonly LabelFrequency[];
  /** Its most typical events, of different users where there are several. */
  readonly samples: readonly Event[];
}

interface ReportSettings {
  /** Interactions that the reader may not see, by number. */
  readonly hidden: (interaction: number) => boolean;
  readonly samples: number;
}

/** Computes the report of a community: 0 calls. */
export function communityReport(
  community: Community,
  graph: KnowledgeGraph,
  { hidden, samples }: ReportSettings,
): CommunityReport {
  const titles: string[] = [];
  for (const concept of community.concepts) {
    if (titles.length === TITLE_CONCEPTS) break;
    if (graph.eventsOf(concept).some((interaction) => !hidden(interaction)))
      titles.push(graph.concepts[concept]?.label ?? "");
  }
  return {
    id: community.id,
    title: titles.join(", "),
    ...countVisible(community, graph, hidden),
    samples: typical(community, graph, hidden, samples),
  };
}

/** Returns the report in one or two lines, e.g. `guns, march, florida: 12 articles by 4 users; politics 75 %, crime 25 %`. */
export function reportLine({ title, users, interactions, labels }: CommunityReport, itemNoun: string): string {
  const items = `${interactions} ${itemNoun}${interactions === 1 ? "" : "s"} by ${users} user${users === 1 ? "" : "s"}`;
  const shares = labels.map(({ label, share }) => `${label} ${Math.round(share * 100)} %`).join(", ");
  return `${title}: ${items}${shares === "" ? "" : `; ${shares}`}`;
}

/** The title of an interaction (PersonaAgent with GraphRAG: nodes hold title, text, category and time); undefined where it is the text or the label. */
export function titleOf({ fields, content, label }: Event): string | undefined {
  const title = fields.title?.trim();
  return title === "" || title === content || title === label ? undefined : title;
}

/** Returns an interaction in so many characters, its title first. */
export function brief(event: Event, chars: number): string {
  const title = titleOf(event);
  const text = title === undefined ? event.content : `${title}: ${event.content}`;
  return text.length <= chars ? text : `${text.slice(0, chars - 1)}…`;
}

const TITLE_CONCEPTS = 8;
const SHOWN_LABELS = 5;

/**
 * Counts visible events, users and categories in one pass over numbers: a community may hold much of the pool, every question counts it anew, and
 * looking at the events themselves costs ten times as much (500,000 of them do not fit a processor's cache).
 */
function countVisible({ interactions }: Community, graph: KnowledgeGraph, hidden: ReportSettings["hidden"]) {
  const isSeen = new Uint8Array(graph.owners.length);
  const byCategory = new Uint32Array(graph.categories.size);
  let [count, users] = [0, 0];
  for (const interaction of interactions) {
    if (hidden(interaction)) continue;
    count++;
    const owner = graph.ownerNumber(interaction);
    if (isSeen[owner] === 0) users++;
    isSeen[owner] = 1;
    const category = graph.categoryNumber(interaction);
    if (category >= 0) byCategory[category]!++;
  }
  const named = [...graph.categories.keys()].map((name, number) => [name, byCategory[number] ?? 0] as const);
  const held = named.filter(([, found]) => found > 0);
  return { interactions: count, users, labels: topShares(held, SHOWN_LABELS) };
}

/** Returns the most typical visible events, first those of users not shown yet. Stops as soon as it has enough. */
function typical(
  community: Community,
  graph: KnowledgeGraph,
  hidden: ReportSettings["hidden"],
  count: number,
): readonly Event[] {
  const owners = new Set<string>();
  const first: Event[] = [];
  const later: Event[] = [];
  for (const interaction of community.typical) {
    if (first.length === count) break;
    const node = graph.events[interaction];
    if (node === undefined || hidden(interaction)) continue;
    (owners.has(node.owner) ? later : first).push(node.event);
    owners.add(node.owner);
  }
  return [...first, ...later].slice(0, count);
}

/** A model's own words about a community. */
export interface WrittenReport {
  readonly title: string;
  readonly summary: string;
}

/** Written reports by community id. */
export type WrittenReports = ReadonlyMap<number, WrittenReport>;

/**
 * Asks for a summary of a community, once per arm: the arm's shared spend holds it. A reply that is not the JSON asked for is taken as the
 * summary; undefined for an empty one. Written over the whole pool.
 */
export const writtenReport = (community: Community, { graph }: TopicGraph, kit: Kit) =>
  kit.shared(`graph.report/${community.id}`, async ({ ask, task }): Promise<WrittenReport | undefined> => {
    const computed = communityReport(community, graph, { hidden: () => false, samples: SAMPLES });
    const items = computed.samples.map((event) => task.formatEvent({ ...event, content: cutWords(event.content, 60) }));
    const content = [INSTRUCTION, reportLine(computed, task.itemNoun), ...items].join("\n");
    const reply = await ask("summary", { messages: [{ role: "user", content }], maxTokens: MAX_TOKENS });
    return reply.stop === "refusal" ? undefined : readReport(reply.text, computed.title);
  });

const SAMPLES = 8;
/** Longest written report (METHODS 8.3: at most 200 words). */
const MAX_WORDS = 200;
const MAX_TOKENS = 512;

const INSTRUCTION = [
  "Below is a group of past interactions of many users that share their topics: its main concepts, its size, its labels, and typical items.",
  "Describe what the group is about and which labels its items get.",
  `Reply with JSON only, at most ${MAX_WORDS} words: {"title": "<a few words>", "summary": "<the description>"}`,
].join("\n");

function readReport(reply: string, title: string): WrittenReport | undefined {
  const parsed = parseReport(reply.slice(Math.max(0, reply.indexOf("{")), reply.lastIndexOf("}") + 1));
  if (parsed !== undefined) return { ...parsed, summary: cutWords(parsed.summary, MAX_WORDS) };
  const text = cutWords(pyStrip(reply), MAX_WORDS);
  return text === "" ? undefined : { title, summary: text };
}

function parseReport(json: string): WrittenReport | undefined {
  const { title, summary } = Object(jsonIn(json)) as { readonly title?: unknown; readonly summary?: unknown };
  return typeof title === "string" && typeof summary === "string" && summary !== "" ? { title, summary } : undefined;
}
