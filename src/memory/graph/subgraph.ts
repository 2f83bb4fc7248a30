import type { Event } from "../../types/index.js";
import { coOccurrence } from "./communities.js";
import type { KnowledgeGraph } from "./knowledge-graph.js";
import { brief } from "./report.js";
import type { TopicGraph } from "./shared-graph.js";

export interface SubgraphNode {
  readonly id: string;
  readonly kind: "user" | "interaction" | "concept" | "category";
  readonly label: string;
  /** Of a concept in a kept community. */
  readonly community?: number;
}

export interface SubgraphEdge {
  readonly source: string;
  readonly target: string;
  readonly weight: number;
}

/** A part of the graph for exports and pictures: every edge's ends are among the nodes, each node once. */
export interface Subgraph {
  readonly nodes: readonly SubgraphNode[];
  readonly edges: readonly SubgraphEdge[];
}

/** Everything: interactions with their concepts and categories, and the concept-concept edges behind the communities. */
export function wholeGraph({ graph, communities, category }: TopicGraph): Subgraph {
  const builder = subgraphBuilder();
  const concept = (number: number): string => addConcept(number, graph, communities.ofConcept(number)?.id, builder);
  for (const [number, { owner, event }] of graph.interactions.entries()) {
    const node = builder.node({ id: interactionId(owner, event), kind: "interaction", label: brief(event, CHARS) });
    for (const mentioned of graph.conceptsOf(number)) builder.edge(node, concept(mentioned), 1);
    addCategory(node, category(event), builder);
  }
  const { from, to, weights } = coOccurrence(graph);
  for (const [edge, weight] of weights.entries())
    builder.edge(concept(from[edge] ?? 0), concept(to[edge] ?? 0), weight);
  return builder.done();
}

/** A user, the user's events, their categories, and the concepts that at least two of the events hold. */
export function neighbourhood(
  user: string,
  events: readonly Event[],
  { graph, communities, category }: TopicGraph,
): Subgraph {
  const builder = subgraphBuilder();
  const counts = new Map<string, number>();
  const read = events.map((event) => graph.read(event.document));
  for (const concepts of read) for (const { key } of concepts) counts.set(key, (counts.get(key) ?? 0) + 1);
  const center = builder.node({ id: `user:${user}`, kind: "user", label: user });
  for (const [index, event] of events.entries()) {
    const node = builder.node({ id: interactionId(user, event), kind: "interaction", label: brief(event, CHARS) });
    builder.edge(center, node, 1);
    addCategory(node, category(event), builder);
    for (const { key, label } of read[index] ?? []) {
      if ((counts.get(key) ?? 0) < 2) continue;
      const number = graph.conceptNumber(key);
      const community = number === undefined ? undefined : communities.ofConcept(number)?.id;
      builder.edge(node, builder.node({ id: `concept:${key}`, kind: "concept", label, ...inCommunity(community) }), 1);
    }
  }
  return builder.done();
}

interface Builder {
  /** Returns the node's id; a known id keeps its first node. */
  node(node: SubgraphNode): string;
  edge(source: string, target: string, weight: number): void;
  done(): Subgraph;
}

function subgraphBuilder(): Builder {
  const nodes = new Map<string, SubgraphNode>();
  const edges: SubgraphEdge[] = [];
  return {
    node(node) {
      if (!nodes.has(node.id)) nodes.set(node.id, node);
      return node.id;
    },
    edge: (source, target, weight) => edges.push({ source, target, weight }),
    done: () => ({ nodes: [...nodes.values()], edges }),
  };
}

const interactionId = (owner: string, { id }: Event): string => `interaction:${owner}:${id}`;
const inCommunity = (community: number | undefined): { community?: number } =>
  community === undefined ? {} : { community };

function addConcept(number: number, graph: KnowledgeGraph, community: number | undefined, builder: Builder): string {
  const { key = "", label = "" } = graph.concepts[number] ?? {};
  return builder.node({ id: `concept:${key}`, kind: "concept", label, ...inCommunity(community) });
}

function addCategory(node: string, category: string | undefined, builder: Builder): void {
  if (category === undefined) return;
  builder.edge(node, builder.node({ id: `category:${category}`, kind: "category", label: category }), 1);
}

const CHARS = 80;

/** Text for XML content and attributes; what XML 1.0 does not allow, lone surrogates too, becomes U+FFFD. */
export function xml(text: string): string {
  return text.replace(FORBIDDEN, "\ufffd").replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

const FORBIDDEN = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/** The graph as JSON in graphology's serialized form, line by line. Source: https://graphology.github.io/serialization */
export function* graphJsonLines({ nodes, edges }: Subgraph): Generator<string> {
  yield '{"options":{"type":"undirected","multi":false,"allowSelfLoops":false},"attributes":{},';
  yield '"nodes":[';
  for (const [index, { id, ...attributes }] of nodes.entries())
    yield `${JSON.stringify({ key: id, attributes })}${index + 1 < nodes.length ? "," : ""}`;
  yield '],"edges":[';
  for (const [index, { source, target, weight }] of edges.entries())
    yield `${JSON.stringify({ source, target, attributes: { weight } })}${index + 1 < edges.length ? "," : ""}`;
  yield "]}";
}

/** The graph as GEXF 1.3, line by line: what Gephi opens. Source: https://gexf.net/schema.html */
export function* gexfLines({ nodes, edges }: Subgraph): Generator<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>';
  yield '<gexf xmlns="http://gexf.net/1.3" version="1.3">';
  yield '<graph mode="static" defaultedgetype="undirected">';
  yield '<attributes class="node">';
  yield '<attribute id="kind" title="kind" type="string"/>';
  yield '<attribute id="community" title="community" type="integer"/>';
  yield "</attributes>";
  yield "<nodes>";
  for (const { id, kind, label, community } of nodes) {
    const grouped = community === undefined ? "" : `<attvalue for="community" value="${community}"/>`;
    yield `<node id="${xml(id)}" label="${xml(label)}"><attvalues><attvalue for="kind" value="${kind}"/>${grouped}</attvalues></node>`;
  }
  yield "</nodes>";
  yield "<edges>";
  for (const [index, { source, target, weight }] of edges.entries())
    yield `<edge id="${index}" source="${xml(source)}" target="${xml(target)}" weight="${weight}"/>`;
  yield "</edges>";
  yield "</graph>";
  yield "</gexf>";
}
