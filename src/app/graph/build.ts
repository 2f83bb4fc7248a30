import { UsageError } from "../../errors.js";
import { graphOptions } from "../../memory/graph/options.js";
import { openTopicGraph, type TopicGraph } from "../../memory/graph/shared-graph.js";
import { seeded } from "../../random/seeded.js";
import { complete, readOptions } from "../../registry/options.js";
import { fileArtifacts, readArtifact } from "../../run/artifacts.js";
import type { LoadedTask } from "../../run/plan/plan.js";
import type { Method, OptionValue, Registry } from "../../types/index.js";
import type { Io } from "../io.js";

interface GraphSource {
  readonly loaded: LoadedTask;
  /** Options by dotted name; those of the graph are read, missing ones have their defaults. */
  readonly given: Readonly<Record<string, OptionValue>>;
  readonly seed: number;
  /** The method in whose cell the graph stands. */
  readonly method: string;
  /** Where runs keep costly parts. */
  readonly artifacts: string;
}

/** The method that a graph is built for where no run says which: the first that builds one and draws it. */
export function builder(methods: Registry<Method>): string {
  const found = methods.all.find(
    ({ options, figure }) => figure !== undefined && Object.keys(graphOptions).every((name) => name in options),
  );
  if (found === undefined) throw new UsageError("no method here builds a graph");
  return found.name;
}

/** Builds the graph that this method builds in a run on these data, with this seed. */
export function buildGraph({ loaded, given, seed, method, artifacts }: GraphSource, io: Io): Promise<TopicGraph> {
  const { task, others } = loaded;
  const ofGraph = Object.fromEntries(Object.entries(given).filter(([name]) => name in graphOptions));
  const knobs = readOptions(graphOptions, complete(graphOptions, ofGraph));
  // The streams of a run's kit.
  const runRandom = (label: string) => seeded(`${seed}/${task.name}/${method}//${label}`);
  const kept = fileArtifacts(artifacts, { clock: io.clock });
  return openTopicGraph(knobs, {
    task,
    runRandom,
    others,
    shared: async (_key, build, made) => {
      const codec = made !== undefined && "encode" in made ? made : undefined;
      const known = codec && readArtifact(codec, kept);
      if (known !== undefined) return known.value;
      const value = await build();
      if (codec !== undefined) kept.put(codec.content, codec.encode(value));
      return value;
    },
  });
}
