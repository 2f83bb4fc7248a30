/**
 * Community detection over a graph of interactions and concepts with planted communities: the compact typed-array
 * graph beside graphology and graphology-communities-louvain, on the same edges in one run. Exits with 1 when a
 * target is missed. `--interactions N --concepts N --edges N` change the sizes.
 */
import { createRequire } from "node:module";
import { parseArgs } from "node:util";
import { UndirectedGraph } from "graphology";
import { type CompactGraph, compactGraph } from "../../src/memory/graph/compact-graph.js";
import { louvain, modularity } from "../../src/memory/graph/louvain.js";
import { seeded } from "../../src/random/seeded.js";
import type { Random } from "../../src/types.js";

const PLANTED = 200;
/** Chance that an edge stays within its planted community. */
const INSIDE = 0.75;
/** Share of the edges that join an interaction and a concept; the others join two concepts. */
const OF_INTERACTIONS = 0.7;
/** Louvain depends on its seed by some 0.01 of modularity: times and modularity are means over these. */
const SEEDS = ["first", "second", "third"];
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
  const [first, again] = [1, 2].map(() => louvain(ours.graph, seeded("same")).communities.join());
  verdict(first === again, "the same seed gives the same communities");
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
  console.log(`  merged edges ${graph.neighbours.length / 2}, arrays ${(arrayBytes(graph) / 1e6).toFixed(0)} MB`);
  const split = measureSplits(graph, (random) => louvain(graph, random).communities);
  line("compact graph", buildMs, built, split);
  return { graph, buildMs, ...split };
}

function measureGraphology(size: number, edges: Edges, compact: CompactGraph) {
  const load = createRequire(import.meta.url);
  const detect = load("graphology-communities-louvain") as typeof import("graphology-communities-louvain").default;
  const memory = rssMb();
  const { value: graph, ms: buildMs } = timed(() => graphologyGraph(size, edges));
  const built = rssMb() - memory;
  const split = measureSplits(compact, (random) => {
    const communities = detect(graph, { getEdgeWeight: "weight", rng: random.next });
    return Uint32Array.from({ length: size }, (_, node) => communities[node]!);
  });
  line("graphology", buildMs, built, split);
  return { buildMs, ...split };
}

interface Splits {
  readonly splitMs: number;
  readonly communities: number;
  readonly quality: number;
}

/** Means over the seeds. */
function measureSplits(graph: CompactGraph, split: (random: Random) => Uint32Array): Splits {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const runs = SEEDS.map((seed) => timed(() => split(seeded(seed))));
  return {
    splitMs: mean(runs.map(({ ms }) => ms)),
    communities: mean(runs.map(({ value }) => new Set(value).size)),
    quality: mean(runs.map(({ value }) => modularity(graph, value))),
  };
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

function line(name: string, buildMs: number, builtMb: number, split: Splits): void {
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;
  console.log(
    `  ${name.padEnd(15)}build ${seconds(buildMs)} (+${builtMb.toFixed(0)} MB RSS), Louvain ${seconds(split.splitMs)}, ${split.communities.toFixed(0)} communities, modularity ${split.quality.toFixed(4)}`,
  );
}

function verdict(ok: boolean, text: string): void {
  console.log(`${ok ? "ok    " : "MISSED"} ${text}`);
  if (!ok) process.exitCode = 1;
}
