import { resolve } from "node:path";
import { writeWhole } from "../../disk/whole-file.js";
import { UsageError } from "../../errors.js";
import { graphNote } from "../../memory/graph/graph-memory.js";
import type { TopicGraph } from "../../memory/graph/shared-graph.js";
import { gexfLines, graphJsonLines, neighbourhood, type Subgraph, wholeGraph } from "../../memory/graph/subgraph.js";
import { graphSvg } from "../../memory/graph/svg.js";
import type { LoadedTask } from "../../run/plan/plan.js";
import type { Io } from "../io.js";
import { renderGraph } from "./text.js";

/** What of a graph is wanted besides its numbers. */
export interface GraphOutput {
  /** Only this user's neighbourhood. */
  readonly user?: string;
  readonly export?: GraphForm;
  /** File of a drawing of the user's neighbourhood. */
  readonly picture?: string;
  /** File of the export. Default: `graph.gexf` or `graph.json`. */
  readonly out?: string;
}

export interface GraphReport {
  readonly parts: readonly GraphPart[];
  /** Whether the graph was built now; if not, the parts are what the run noted. */
  readonly built: boolean;
  /** Files, as they were named. */
  readonly written: readonly string[];
}

/** A graph's numbers, or what of one entered a prompt. */
export interface GraphPart {
  readonly heading: string;
  readonly text: string;
}

interface BuiltGraph {
  readonly heading: string;
  readonly topics: TopicGraph;
  readonly loaded: LoadedTask;
}

/** Refuses what cannot be written, before anything is built. */
export function refuseOutput({ user, export: form, picture, out }: GraphOutput): void {
  if (picture !== undefined && user === undefined)
    throw new UsageError(`--picture ${picture}: name the user to draw: --user ID`);
  if (user !== undefined && picture === undefined && form === undefined)
    throw new UsageError(`--user ${user}: goes with --picture FILE.svg or --export gexf`);
  if (out !== undefined && form === undefined)
    throw new UsageError(`--out ${out}: is the file of --export; add --export gexf or --export json`);
}

/** Writes what is wanted of a graph, and tells where it holds nothing. */
export async function outputGraph(
  { heading, topics, loaded }: BuiltGraph,
  wanted: GraphOutput,
  io: Pick<Io, "cwd" | "tell">,
): Promise<GraphReport> {
  const around = wanted.user === undefined ? undefined : aroundUser(wanted.user, topics, loaded);
  if (topics.graph.interactions.length === 0)
    io.tell(
      `the graph is empty: there is no past item of other users (others: ${loaded.others.kind}); give data with training users (user_others.json), or --set others=leave-one-out with two or more users`,
    );
  const written: string[] = [];
  if (wanted.export !== undefined) {
    const file = wanted.out ?? `graph.${wanted.export}`;
    writeWhole(resolve(io.cwd, file), ended(formats[wanted.export](around ?? wholeGraph(topics))), { shared: true });
    written.push(file);
  }
  if (wanted.picture !== undefined && around !== undefined) {
    const svg = graphSvg(around, `User ${wanted.user} of ${loaded.dataset.name}`);
    writeWhole(resolve(io.cwd, wanted.picture), svg, { shared: true });
    written.push(wanted.picture);
  }
  return { parts: [{ heading, text: renderGraph(graphNote(topics, loaded.task)) }], built: true, written };
}

type GraphForm = keyof typeof formats;

const formats = { gexf: gexfLines, json: graphJsonLines } as const;

/** Of a test user the longest visible past, of a training user all that the pool has. */
function aroundUser(user: string, topics: TopicGraph, loaded: LoadedTask): Subgraph {
  const pasts = [...loaded.units].filter((unit) => unit.user.id === user).map((unit) => unit.user.history);
  const [longest] = pasts.sort((a, b) => b.length - a.length);
  const pooled = topics.graph.interactions.filter(({ owner }) => owner === user).map(({ event }) => event);
  const events = longest ?? pooled;
  if (longest === undefined && pooled.length === 0)
    throw new UsageError(
      `--user ${user}: no such user in ${loaded.dataset.name}; its first user is ${loaded.units.at(0)?.user.id}`,
    );
  return neighbourhood(user, events, topics);
}

function* ended(lines: Iterable<string>): Generator<string> {
  for (const line of lines) yield `${line}\n`;
}
