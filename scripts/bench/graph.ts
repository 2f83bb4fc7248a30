/**
 * Community detection over a graph of interactions and concepts with planted communities: the compact typed-array
 * graph beside graphology and graphology-communities-louvain, on the same edges in one run. Exits with 1 when a
 * target is missed. `--interactions N --concepts N --edges N` change the sizes.
 */
import { createRequire } from "node:module";
import { parseArgs } from "node:util";
import { UndirectedGraph } from "graphology";
import { type CompactGraph, compactGraph } from "../../src/memory/graph/compact-graph.js";
import { louvain } from "../../src/memory/graph/louvain.js";
import { modularity } from "../../src/memory/graph/modularity.js";
import { seeded } from "../../src/random/seeded.js";

const PLANTED = 200;
/** Chance that an edge stays within its planted community. */
const INSIDE = 0.75;
/** Share of the edges that join an interaction and a concept; the others join two concepts. */
const OF_INTERACTIONS = 0.7;
const TARGETS = { buildRatio: 5, modularityLoss: 0.01 };

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      interactions: { type: "string", default: "100000" },
      concepts: { type: "string", default: "50000" },
      edges: { type: "string", default: "1000000" },
    },
  });
  const [interactions, concepts] = [Number(values.interactions), Number(values.concepts)];
  const edges = plantedEdges(interactions, concepts, Number(values.edges));
  const size = interactions + concepts;
  console.log(
    `${interactions} interactions, ${concepts} concepts, ${edges.from.length} edges, ${PLANTED} planted groups`,
  );

  const ours = measureOurs(size, edges);
  const again = louvain(ours.graph, seeded("graph bench"));
  verdict(again.communities.join() === ours.communities.join(), "the same seed gives the same communities");
  const graphology = measureGraphology(size, edges, ours.graph);
  verdict(
    graphology.buildMs >= TARGETS.buildRatio * ours.buildMs,
    `built ${(graphology.buildMs / ours.buildMs).toFixed(1)}x faster than graphology (target ${TARGETS.buildRatio}x)`,
  );
  verdict(graphology.splitMs >= ours.splitMs, `split ${(graphology.splitMs / ours.splitMs).toFixed(1)}x faster`);
  verdict(
    ours.quality >= graphology.quality - TARGETS.modularityLoss,
    `modularity ${signed(ours.quality - graphology.quality)} against graphology (target: no worse by ${TARGETS.modularityLoss})`,
  );
}

// --- internal ---

type Edges = ReturnType<typeof plantedEdges>;

/** Node n belongs to group n % PLANTED; concepts follow the interactions. */
function plantedEdges(interactions: number, concepts: number, count: number) {
  const random = seeded("graph bench edges");
  const [from, to] = [new Uint32Array(count), new Uint32Array(count)];
  const weight = new Float64Array(count);
  const conceptOf = (group: number): number => {
    const drawn = random.below(concepts);
    if (random.next() >= INSIDE) return interactions + drawn;
    const first = (group - (interactions % PLANTED) + PLANTED) % PLANTED;
    return interactions + Math.min(concepts - 1, drawn - (drawn % PLANTED) + first);
  };
  for (let edge = 0; edge < count; edge++) {
    const isInteraction = random.next() < OF_INTERACTIONS;
    const start = isInteraction ? random.below(interactions) : interactions + random.below(concepts);
    from[edge] = start;
    do to[edge] = conceptOf(start % PLANTED);
    while (to[edge] === start);
    weight[edge] = isInteraction ? 1 : 1 + random.below(4);
  }
  return { from, to, weight };
}

function measureOurs(size: number, edges: Edges) {
  const memory = rssMb();
  const { value: graph, ms: buildMs } = timed(() => compactGraph(size, edges));
  const built = rssMb() - memory;
  const { value: partition, ms: splitMs } = timed(() => louvain(graph, seeded("graph bench")));
  const quality = modularity(graph, partition.communities);
  console.log(`  merged edges ${graph.neighbours.length / 2}, arrays ${(arrayBytes(graph) / 1e6).toFixed(0)} MB`);
  line("compact graph", buildMs, built, splitMs, partition.count, quality);
  return { graph, buildMs, splitMs, quality, communities: partition.communities };
}

function measureGraphology(size: number, edges: Edges, compact: CompactGraph) {
  const load = createRequire(import.meta.url);
  const detect = load("graphology-communities-louvain") as typeof import("graphology-communities-louvain").default;
  const memory = rssMb();
  const { value: graph, ms: buildMs } = timed(() => graphologyGraph(size, edges));
  const built = rssMb() - memory;
  const random = seeded("graph bench");
  const { value, ms: splitMs } = timed(() => detect(graph, { getEdgeWeight: "weight", rng: random.next }));
  const communities = Uint32Array.from({ length: size }, (_, node) => value[node]!);
  const quality = modularity(compact, communities);
  line("graphology", buildMs, built, splitMs, new Set(communities).size, quality);
  return { buildMs, splitMs, quality };
}

function graphologyGraph(size: number, { from, to, weight }: Edges): UndirectedGraph {
  const graph = new UndirectedGraph();
  for (let node = 0; node < size; node++) graph.addNode(node);
  for (let edge = 0; edge < from.length; edge++)
    graph.updateUndirectedEdge(from[edge], to[edge], (attributes) => ({
      weight: Number(attributes.weight ?? 0) + weight[edge]!,
    }));
  return graph;
}

const arrayBytes = ({ offsets, neighbours, weights, loops }: CompactGraph): number =>
  [offsets, neighbours, weights, loops].reduce((sum, array) => sum + array.byteLength, 0);

const rssMb = (): number => process.memoryUsage.rss() / 2 ** 20;

const signed = (value: number): string => `${value < 0 ? "" : "+"}${value.toFixed(4)}`;

function timed<T>(work: () => T): { value: T; ms: number } {
  const start = performance.now();
  const value = work();
  return { value, ms: performance.now() - start };
}

function line(name: string, buildMs: number, builtMb: number, splitMs: number, count: number, quality: number): void {
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;
  console.log(
    `  ${name.padEnd(15)}build ${seconds(buildMs)} (+${builtMb.toFixed(0)} MB RSS), Louvain ${seconds(splitMs)}, ${count} communities, modularity ${quality.toFixed(4)}`,
  );
}

function verdict(ok: boolean, text: string): void {
  console.log(`${ok ? "ok    " : "MISSED"} ${text}`);
  if (!ok) process.exitCode = 1;
}
