import { basename } from "node:path";
import { version } from "../../plan/io.js";
import { commandOf, type Manifest, runName } from "../../record/manifest.js";
import type { StoredRun } from "../../record/stored-run.js";
import { contentId } from "../../text/content-id.js";
import { shellWord } from "../../text/words.js";
import type { Trace } from "../../types/index.js";
import { chartInput, chartNames, drawCharts } from "../charts/index.js";
import type { LoadedResults } from "../load.js";
import { withoutTimes } from "../render.js";
import { shortTitle } from "../tables/results.js";
import type { TraceSource } from "./answers.js";
import { type PageHeader, renderPage } from "./page.js";

/** Makes the page of a run; of several joined ones without answers. Equal runs give equal bytes. */
export async function pageOf(loaded: LoadedResults, over: string): Promise<string> {
  const { stored } = loaded;
  const input = chartInput(withoutTimes(loaded), over);
  const charts = await Promise.all(chartNames.map(async (kind) => [kind, await drawCharts(kind, input)] as const));
  const page = { ...input, header: headerOf(loaded, stored === undefined), charts };
  if (stored === undefined) return renderPage(page);
  return renderPage({ ...page, records: { units: stored.units, traces: tracesIn(stored) } });
}

/** The traces of a run, and the calls that they name in the order of their ids, which equal runs share. */
function tracesIn(run: StoredRun): TraceSource {
  const traces = new Map<string, Trace>();
  for (const trace of run.traces()) traces.set(`${trace.arm}\t${trace.question ?? `unit\t${trace.unit}`}`, trace);
  return {
    ofQuestion: (arm, question) => traces.get(`${arm}\t${question}`),
    ofUnit: (arm, unit) => traces.get(`${arm}\tunit\t${unit}`),
    callsOf: ({ requests }) => [...new Set(requests)].flatMap((id) => run.call(id) ?? []),
  };
}

/** No times and no folder, not even in the command: two runs of one plan have the same header. */
function headerOf({ manifest, summaries }: LoadedResults, isJoined: boolean): PageHeader {
  const { simulated, finishedAt } = manifest;
  const runs = [...new Set(summaries.flatMap(({ run }) => run ?? []))];
  return {
    ...{ madeBy: `lamp-eval ${version()}`, name: titleOf(manifest), simulated, complete: finishedAt !== undefined },
    facts: [...(isJoined ? [["runs", runs.join(", ")] as const] : factsOfRun(manifest)), ...factsOfPlan(manifest)],
    reproduce: isJoined
      ? [`lamp-eval report ${runs.map(shellWord).join(" ")} --html`]
      : [beginningOf(manifest), "lamp-eval report RUN --html   # RUN: the folder of the run"],
  };
}

const beginningOf = ({ argv }: Manifest): string =>
  argv.length === 0 ? "# begun by a program, not by a command: its settings are in the log" : commandOf(argv);

const factsOfRun = ({ identity, answeredBy = [], by, node }: Manifest): PageHeader["facts"] => [
  ["run", runName(identity)],
  ["answered by", answeredBy.join(", ") || "not known yet"],
  ["repeats", String(1 + Math.max(...identity.arms.map(({ repeat }) => repeat)))],
  ["made by", `lamp-eval ${by ?? "(not finished)"}, Node ${node}`],
  ["hash of the plan", contentId(identity)],
];

function factsOfPlan({ identity: { arms, data }, tasks }: Manifest): PageHeader["facts"] {
  const unique = (things: readonly (string | number)[]): string => [...new Set(things)].join(", ");
  return [
    ["tasks", tasks.map(({ title }) => title).join("; ")],
    ["methods", unique(arms.map(({ method }) => method))],
    ["model", unique(arms.map(({ model }) => model))],
    ["data", unique(data.map(({ name }) => name))],
    ["seed", unique(arms.map(({ seed }) => seed))],
    ...data.flatMap(({ task, files, wording }) => [
      ...files.map(({ name, sha256 }) => [`data of ${task}: ${basename(name)} (SHA-256)`, sha256] as const),
      [`wording of ${task}`, wording] as const,
    ]),
  ];
}

/** `prompt, rag on LaMP-2M`: what a person would call the experiment. */
function titleOf({ identity: { arms }, tasks, sweep }: Manifest): string {
  const listed = (names: readonly string[], what: string): string =>
    names.length > 4 ? `${names.length} ${what}` : names.join(", ");
  const methods = listed([...new Set(arms.map(({ method }) => method))], "methods");
  const titles = tasks.map(({ title }) => shortTitle(title));
  return `${sweep === undefined ? "" : `${sweep.kind}: `}${methods} on ${listed(titles, "tasks")}`;
}
