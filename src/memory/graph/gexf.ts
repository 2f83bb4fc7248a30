import type { Subgraph } from "./subgraph.js";

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
