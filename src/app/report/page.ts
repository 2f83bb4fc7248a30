import { basename, join, relative } from "node:path";
import { writeWhole } from "../../disk/whole-file.js";
import type { Chart } from "../../report/charts/index.js";
import { renderSvg } from "../../report/charts/svg.js";
import { type LoadedResults, readResults } from "../../report/load.js";
import type { DrawnChart } from "../../report/page/drawn-sections.js";
import { type RunFacts, renderPage } from "../../report/page/page.js";
import { referenceMethod, withoutTimes } from "../../report/render.js";
import { gainsOver } from "../../results/gains.js";
import { commandWithout, withoutFlags } from "../../run/command-line.js";
import type { Io } from "../../run/io.js";
import { type Manifest, runName } from "../../run/manifest.js";
import { KNOB as CONTROL } from "../../run/plan/controls.js";
import { unitsOf } from "../../run/rows.js";
import { runFiles } from "../../run/run-files.js";
import { version } from "../../run/version.js";
import { contentId } from "../../text/content-id.js";
import { chartsOfRun } from "./chart-material.js";
import { runTraces } from "./run-traces.js";
import { usersOf } from "./users.js";

export interface PageSettings {
  /** Every chart of the run. Default: drawn from the folder. */
  readonly charts?: readonly Chart[];
  /** The method that gains of users are counted over. */
  readonly over: string;
  /** Of a run at work, when it is written: numbers and charts, without answers. */
  readonly writtenAt?: string;
}

/**
 * The report of a run folder as one HTML file. Sends nothing, writes nothing. Equal runs give equal bytes: times, which are
 * never the same twice, are left out.
 */
export async function pageOf(
  folder: string,
  loaded: LoadedResults,
  { charts, over, writtenAt }: PageSettings,
): Promise<string> {
  const drawn = await drawnCharts(charts ?? (await chartsOfRun(folder, loaded, over)));
  const { manifest, rows, tasks } = loaded;
  const { summaries } = withoutTimes(loaded);
  const shared = { cells: manifest.plan.cells, rows, task: (name: string) => tasks.get(name) };
  const results = { summaries, facts: loaded.facts, gains: gainsOver(over, { summaries, ...shared }) };
  return renderPage({
    run: headerOf(manifest),
    results,
    ...shared,
    units: unitsOf(folder),
    traces: runTraces(folder),
    over,
    writtenAt,
    charts: drawn,
    users: usersOf(folder, loaded, over),
    ...(manifest.sweep === undefined ? {} : { sweep: { ...results, ...shared, sweep: manifest.sweep } }),
  });
}

export async function writePage(
  folder: string,
  io: Pick<Io, "cwd" | "catalogue" | "tell">,
  writtenAt?: string,
): Promise<void> {
  const page = join(folder, runFiles.page);
  const settings = { over: referenceMethod, ...(writtenAt === undefined ? {} : { writtenAt }) };
  writeWhole(page, await pageOf(folder, readResults(folder, io), settings));
  io.tell(`the page: ${relative(io.cwd, page)}`);
}

/** The charts drawn without title and note: the captions of the page have those. */
async function drawnCharts(charts: readonly Chart[]): Promise<DrawnChart[]> {
  const drawn: DrawnChart[] = [];
  for (const chart of charts) drawn.push({ chart, svg: await renderSvg(chart.spec) });
  return drawn;
}

const unique = <T>(things: readonly T[]): T[] => [...new Set(things)];

/** No times and no folder, not even in the command: two runs of one plan have the same header. */
function headerOf({
  plan,
  tasks,
  simulated,
  finishedAt,
  answeredBy,
  argv,
  node,
  git,
  requests,
  sweep,
  by,
}: Manifest): RunFacts {
  const { cells, data } = plan;
  const seeds = unique(cells.map(({ seed }) => seed));
  const repeats = 1 + Math.max(...cells.map(({ repeat }) => repeat));
  const [command, ...given] = argv;
  const rest = withoutFlags(given, "--task", "--method", "--out").filter((word) => word !== "--report");
  return {
    madeBy: `lamp-eval ${version()}`,
    // a sweep's own axes, and an import's files, go with no other axis
    ...(command === "run" && {
      controlsCommand: (task: string, method: string) =>
        commandWithout(["sweep", "--vary", `${CONTROL}=right,other-user`, "--task", task, "--method", method, ...rest]),
    }),
    name: titleOf(plan, tasks, sweep),
    simulated,
    complete: finishedAt !== undefined,
    facts: [
      ["run", runName(plan)],
      ["tasks", tasks.map(({ title }) => title).join("; ")],
      ["methods", unique(cells.map(({ method }) => method)).join(", ")],
      ["model", unique(cells.map(({ model }) => model)).join(", ")],
      ["answered by", (answeredBy ?? []).join(", ") || "not known yet"],
      ["data", unique(data.map(({ name }) => name)).join(", ")],
      ["seed, repeats", `${seeds.join(", ")}; ${repeats}`],
      [
        "made by",
        `lamp-eval ${by ?? "(not finished)"}, Node ${node}${git === undefined ? "" : `, commit ${commitOf(git)}`}`,
      ],
    ],
    hashes: [
      ["plan", contentId(plan)],
      ...data.flatMap(({ task, files }) =>
        files.map(({ name, sha256 }): [string, string] => [`data of ${task}: ${basename(name)} (SHA-256)`, sha256]),
      ),
      ...data.map(({ task, wording }): [string, string] => [`wording of ${task}`, wording]),
      ...cells.flatMap(({ id, task, method, repeat }): [string, string][] => {
        const asked = requests?.[id];
        return asked === undefined ? [] : [[`requests of ${task} ${method}, repeat ${repeat + 1}`, asked]];
      }),
    ],
    reproduce: [
      argv.length === 0
        ? "# begun by a program, not by a command: its settings are in manifest.json"
        : commandWithout(argv, "--out"),
      "lamp-eval report RUN --html   # RUN: the folder of the run",
    ],
  };
}

/** `Ablation of persona-agent on LaMP-1 and LaMP-3`: what a person would call the experiment. */
function titleOf({ cells }: Manifest["plan"], tasks: Manifest["tasks"], sweep: Manifest["sweep"]): string {
  const methods = unique(cells.map(({ method }) => method));
  const on = listed(
    tasks.map(({ title }) => title.split(":")[0] ?? title),
    "tasks",
  );
  if (sweep?.kind === "ablation") return `Ablation of ${sweep.axes[0]?.base ?? listed(methods, "methods")} on ${on}`;
  if (sweep?.kind === "backbones")
    return `${listed(methods, "methods")} with ${listed(unique(cells.map(({ model }) => model)), "models")} on ${on}`;
  const axes = sweep?.axes.map(({ knob }) => knob).filter((knob) => knob !== "method") ?? [];
  return `${listed(methods, "methods")}${axes.length === 0 ? "" : ` by ${listed(axes, "settings")}`} on ${on}`;
}

/** `a, b and c`, or how many where they are more than four. */
function listed(names: readonly string[], what: string): string {
  if (names.length > 4) return `${names.length} ${what}`;
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

const commitOf = ({ commit, dirty }: NonNullable<Manifest["git"]>): string =>
  `${commit.slice(0, 12)}${dirty ? " with changes" : ""}`;
