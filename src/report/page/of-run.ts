import { basename, join } from "node:path";
import { writeWhole } from "../../disk/whole-file.js";
import { armLabel } from "../../results/arms.js";
import { rowsByArm } from "../../results/gains.js";
import { callsOf } from "../../run/calls.js";
import { catalogueOf } from "../../run/catalogue.js";
import type { Io } from "../../run/io.js";
import { version } from "../../run/io.js";
import { commandOf, type Manifest, runName } from "../../run/manifest.js";
import { runFiles, tracesOf, unitsOf } from "../../run/rows.js";
import { contentId } from "../../text/content-id.js";
import type { Trace } from "../../types/index.js";
import type { Chart } from "../charts/chart.js";
import { type ChartName, chartNames, drawCharts } from "../charts/index.js";
import { chartMaterial } from "../charts/of-run.js";
import { type LoadedResults, loadResults } from "../load.js";
import { type ArmGroups, historySizes, userGroups } from "../per-user.js";
import { referenceOf, withoutTimes } from "../render.js";
import type { TraceSource } from "./pack.js";
import { type PageHeader, renderPage } from "./page.js";

/**
 * Makes the report of a run folder as one HTML file, of several runs (no folder) without answers; gains are over the method `over`. Sends
 * nothing, writes nothing. Equal runs give equal bytes.
 */
export async function pageOf(folder: string | undefined, loaded: LoadedResults, over: string): Promise<string> {
  const { manifest } = loaded;
  const material = chartMaterial(folder, withoutTimes(loaded), over);
  const charts: Partial<Record<ChartName, readonly Chart[]>> = {};
  for (const kind of chartNames) charts[kind] = await drawCharts(kind, material);
  return renderPage({
    ...material,
    header: folder === undefined ? joinedHeader(loaded) : headerOf(manifest),
    charts,
    ...(folder === undefined
      ? {}
      : {
          users: usersOf(folder, loaded, over),
          records: { units: unitsOf(folder), traces: tracesIn(folder) },
        }),
  });
}

/** Writes the page of a run in its place. */
export async function writePage(folder: string, io: Pick<Io, "catalogue" | "tell">): Promise<string> {
  const file = join(folder, runFiles.page);
  const loaded = loadResults(folder, catalogueOf(io));
  writeWhole(file, await pageOf(folder, loaded, referenceOf(loaded)));
  return file;
}

/** Every arm's groups of users, with the gain over the method `over` where the run has it for the task. */
export function usersOf(folder: string, loaded: LoadedResults, over: string): ArmGroups[] {
  const { manifest, rows, summaries, tasks, facts } = loaded;
  const [units, rowsOf] = [unitsOf(folder), rowsByArm(rows)];
  return summaries.flatMap((arm): ArmGroups[] => {
    const peers = summaries.filter(({ task, dataset }) => task === arm.task && dataset === arm.dataset);
    const reference =
      arm.method === over ? undefined : peers.find(({ method, model }) => method === over && model === arm.model);
    const cells = new Set(peers.flatMap((peer) => peer.cells));
    const histories = historySizes(
      peers.flatMap(rowsOf),
      units.filter(({ cell }) => cells.has(cell)),
    );
    const task = tasks.get(arm.task);
    const own = { task, rows: rowsOf(arm), ...(reference === undefined ? {} : { reference: rowsOf(reference) }) };
    const groups = userGroups(own, histories);
    const title = facts.find(({ task }) => task === arm.task)?.title.split(":")[0] ?? arm.task;
    return groups.length === 0
      ? []
      : [
          {
            title: `${title} · ${arm.dataset} data`,
            metric: task.metrics[0]?.name ?? "score",
            ...{ method: armLabel(arm), simulated: manifest.simulated, groups },
            over: reference === undefined ? undefined : over,
          },
        ];
  });
}

/** The traces of a run, and the calls that they name in the order of their ids, which equal runs share. */
function tracesIn(folder: string): TraceSource {
  const traces = new Map<string, Trace>();
  for (const trace of tracesOf(folder)) traces.set(`${trace.cell}\t${trace.question ?? `unit\t${trace.unit}`}`, trace);
  const calls = callsOf(folder);
  return {
    ofQuestion: (cell, question) => traces.get(`${cell}\t${question}`),
    ofUnit: (cell, unit) => traces.get(`${cell}\tunit\t${unit}`),
    callsOf: ({ requests }) => [...new Set(requests)].flatMap((id) => calls.get(id) ?? []),
  };
}

const unique = <T>(things: readonly T[]): T[] => [...new Set(things)];

/** No times and no folder, not even in the command: two runs of one plan have the same header. */
function headerOf(manifest: Manifest): PageHeader {
  const { plan, tasks, simulated, finishedAt, answeredBy = [], argv, node, by } = manifest;
  const { cells, data } = plan;
  return {
    madeBy: `lamp-eval ${version()}`,
    name: titleOf(manifest),
    simulated,
    complete: finishedAt !== undefined,
    facts: [
      ["run", runName(plan)],
      ["tasks", tasks.map(({ title }) => title).join("; ")],
      ["methods", unique(cells.map(({ method }) => method)).join(", ")],
      ["model", unique(cells.map(({ model }) => model)).join(", ")],
      ["answered by", answeredBy.join(", ") || "not known yet"],
      ["data", unique(data.map(({ name }) => name)).join(", ")],
      ["seed", unique(cells.map(({ seed }) => seed)).join(", ")],
      ["repeats", String(1 + Math.max(...cells.map(({ repeat }) => repeat)))],
      ["made by", `lamp-eval ${by ?? "(not finished)"}, Node ${node}`],
    ],
    hashes: [["plan", contentId(plan)], ...dataHashes(plan)],
    reproduce: [
      argv.length === 0 ? "# begun by a program, not by a command: its settings are in the log" : commandOf(argv),
      "lamp-eval report RUN --html   # RUN: the folder of the run",
    ],
  };
}

/** Of several runs what is true of all of them. */
function joinedHeader({ manifest, summaries }: LoadedResults): PageHeader {
  const { plan, tasks, simulated, finishedAt } = manifest;
  const runs = unique(summaries.flatMap(({ run }) => run ?? []));
  return {
    madeBy: `lamp-eval ${version()}`,
    name: titleOf(manifest),
    simulated,
    complete: finishedAt !== undefined,
    facts: [
      ["runs", runs.join(", ")],
      ["tasks", tasks.map(({ title }) => title).join("; ")],
      ["model", unique(plan.cells.map(({ model }) => model)).join(", ")],
    ],
    hashes: dataHashes(plan),
    reproduce: [`lamp-eval report ${runs.join(" ")} --html`],
  };
}

const dataHashes = ({ data }: Manifest["plan"]): (readonly [name: string, hash: string])[] =>
  data.flatMap(({ task, files, wording }) => [
    ...files.map(({ name, sha256 }) => [`data of ${task}: ${basename(name)} (SHA-256)`, sha256] as const),
    [`wording of ${task}`, wording] as const,
  ]);

/** `Ablation of persona-agent on LaMP-1 and LaMP-3`: what a person would call the experiment. */
function titleOf({ plan: { cells }, tasks, sweep }: Manifest): string {
  const methods = listed(unique(cells.map(({ method }) => method)), "methods");
  const on = listed(
    tasks.map(({ title }) => title.split(":")[0] ?? title),
    "tasks",
  );
  if (sweep?.kind === "ablation") return `Ablation of ${sweep.axes[0]?.base ?? methods} on ${on}`;
  const varied = sweep?.axes.map(({ knob }) => knob).filter((knob) => knob !== "method") ?? [];
  return `${methods}${varied.length === 0 ? "" : ` by ${listed(varied, "settings")}`} on ${on}`;
}

/** `a, b and c`, or how many where they are more than four. */
function listed(names: readonly string[], what: string): string {
  if (names.length > 4) return `${names.length} ${what}`;
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
