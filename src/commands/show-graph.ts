import { resolve } from "node:path";
import { writeWhole } from "../disk/whole-file.js";
import { UsageError } from "../errors.js";
import { neighbourhoodSvg } from "../memory/graph/neighbourhood.js";
import { graphOptions, topicsOf } from "../memory/graph/shared-graph.js";
import { seeded } from "../random/seeded.js";
import { readOptions } from "../registry/options.js";
import { dataOfRun } from "../run/data.js";
import type { Io } from "../run/io.js";
import { openRunFolder, refuseAbsent } from "../run/stored-run.js";

interface DrawGraphSettings {
  readonly run: string;
  readonly user: string;
  /** The method whose graph is drawn. Default: the first that has one. */
  readonly method?: string | undefined;
  readonly graph: string;
}

/**
 * Draws the part of a run's knowledge graph around one user, built again from the run's data. Throws UsageError where no method of
 * the run has a graph, on a user that the data lack, and where the data are not at hand.
 */
export async function drawGraph({ run, user, method, graph: file }: DrawGraphSettings, io: Io): Promise<void> {
  const folder = openRunFolder(run, io.cwd);
  const { cells } = folder.manifest.plan;
  const methods = cells.map((cell) => cell.method);
  refuseAbsent(run, "--method", method, methods);
  const hasGraph = (options: object): boolean => Object.keys(graphOptions).every((key) => key in options);
  const cell = cells.find(({ method: name, options }) => (method ?? name) === name && hasGraph(options));
  if (cell === undefined)
    throw new UsageError(`${run}: ${method ?? "its methods"} built no graph; graph-rag builds one`);
  const { task, units, others } = await dataOfRun(folder, cell.task, { run }, io);
  const histories = [...units].filter((unit) => unit.user.id === user).map((unit) => unit.user.history);
  const [longest] = histories.sort((a, b) => b.length - a.length);
  if (longest === undefined)
    throw new UsageError(`--user ${user}: not in ${run}; its first user is ${units.at(0)?.user.id}`);
  const topics = await topicsOf(others.events, readOptions(graphOptions, cell.options), {
    task,
    runRandom: (label) => seeded(`${cell.seed}/${task.name}/${cell.method}//${label}`), // the stream of the run
  });
  writeWhole(resolve(io.cwd, file), neighbourhoodSvg(user, longest, topics), { shared: true });
}
