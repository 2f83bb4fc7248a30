import { resolve } from "node:path";
import { refuseUnknown } from "../../registry/options.js";
import { artifactsFolder } from "../../run/artifacts.js";
import { catalogueOf } from "../catalogue.js";
import { allOptions } from "../common/all-options.js";
import type { Io } from "../io.js";
import { runSettings } from "../run/config/resolve-settings.js";
import { loadTask } from "../run/data/load-task.js";
import { builder, buildGraph } from "./build.js";
import { type GraphOutput, type GraphReport, outputGraph, refuseOutput } from "./output.js";

export interface DataGraphSettings extends GraphOutput {
  readonly task: string;
  /** Data folder. Default: the built-in demo data. */
  readonly data?: string;
  /** Of the communities. Default: 0. */
  readonly seed?: number;
  /** Options of the graph and the data, by dotted name. */
  readonly set?: Readonly<Record<string, string>>;
}

/** Builds the graph that a run on these data would build. Throws UsageError on data, names and options that are not known. */
export async function graphOfData(settings: DataGraphSettings, io: Io): Promise<GraphReport> {
  refuseOutput(settings);
  const { task: name, data, seed, set } = settings;
  refuseUnknown(Object.keys(set ?? {}), Object.keys(allOptions(catalogueOf(io))), "--set");
  const method = builder(catalogueOf(io).methods);
  const given = runSettings(
    {
      task: name,
      method,
      data,
      seed,
      set,
    },
    io,
  );
  const loaded = await loadTask(given.catalogue.tasks.get(name, "--task"), given, io.cwd);
  const artifacts = resolve(io.cwd, "results", artifactsFolder);
  const source = { loaded, given: given.set, seed: given.seed, method, artifacts };
  const heading = `${loaded.task.name} · ${loaded.dataset.name} · ${loaded.others.kind}`;
  return outputGraph({ heading, topics: await buildGraph(source, io), loaded }, settings, io);
}
