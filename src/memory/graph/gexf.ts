import type { Subgraph } from "./subgraph.js";
import { xml } from "./xml.js";

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
