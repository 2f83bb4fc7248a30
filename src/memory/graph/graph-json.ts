import type { Subgraph } from "./subgraph.js";

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
