import { join, resolve } from "node:path";
import { writeWhole } from "../disk/whole-file.js";
import { UsageError } from "../errors.js";
import { readLog } from "../log/log.js";
import { pack } from "../log/pack.js";
import { withoutUrlSecrets } from "../net/url.js";
import { loadResults } from "../report/load.js";
import { catalogueOf } from "../run/catalogue.js";
import type { Io } from "../run/io.js";
import { type Manifest, mapTexts, withoutFolder } from "../run/manifest.js";
import { readLines, runFiles } from "../run/rows.js";
import { WORKERS } from "../run/run.js";
import { openRunFolder } from "../run/stored-run.js";
import { sha256 } from "../text/content-id.js";
import type { Json, RowLine } from "../types/index.js";
import { NOT_FOUND, scoresOf } from "./verify.js";

interface PackRequest {
  readonly run: string;
  readonly out: string;
  /** Leaves out requests, rows and golds, for data whose licence does not let them out. */
  readonly withoutRequests?: boolean | undefined;
}

/**
 * Writes a finished run into one file, which `run --replay`, `run --reuse` and `verify` read. Returns the path, and what whoever hands
 * it on must know. Throws UsageError where the run has not finished.
 */
export function exportPack(
  { run, out, withoutRequests = false }: PackRequest,
  io: Pick<Io, "cwd" | "catalogue" | "tell">,
): { readonly file: string; readonly remarks: readonly string[] } {
  const { path, manifest } = openRunFolder(run, io.cwd);
  if (manifest.finishedAt === undefined)
    throw new UsageError(`${run}: it has not finished; the same lamp-eval run command finishes it`);
  const { summaries } = loadResults(path, catalogueOf(io));
  const log = readLog(join(path, runFiles.log));
  const file = resolve(io.cwd, out);
  const content = pack(log, {
    plan: portablePlan(log.state.plan, withoutRequests),
    facts: [...log.state.facts].filter(([name]) => name !== WORKERS).map(portableFact), // where workers are is nobody's business
    requests: !withoutRequests,
    rows: readLines<RowLine>(join(path, runFiles.rows)),
    scores: JSON.parse(JSON.stringify(scoresOf(summaries))),
  });
  log.close();
  writeWhole(file, content, { shared: true });
  const quotes = "it holds replies, which may quote the data; whoever verifies it needs --data";
  return { file, remarks: [withoutRequests ? quotes : "it holds requests and golds", NOT_FOUND] };
}

/** The plan without the command line and paths of this machine; without requests also without answers that follow from golds. */
function portablePlan(plan: Json | undefined, withoutRequests: boolean): Json {
  const { argv: _, tasks, ...rest } = plan as unknown as Manifest; // the run was opened
  const bare = withoutRequests ? tasks.map(({ baselines: __, ...task }) => task) : tasks;
  return mapTexts({ ...rest, argv: [], tasks: bare }, portable) as Json; // only texts are changed
}

/** A fact without paths and addresses of this machine. The text of a file that an option names stays. */
function portableFact([name, value]: readonly [string, Json]): readonly [string, Json] {
  const [, path] = /^file (.*)$/s.exec(name) ?? [];
  return path === undefined ? [name, mapTexts(value, portable) as Json] : [`file ${portable(path)}`, value]; // only texts are changed
}

/** A text without folders of this machine, and with a made-up address for each that it is: the plan stays one that can be opened. */
const portable = (text: string): string =>
  URL.canParse(text) && /^https?:/i.test(text)
    ? `http://${sha256(withoutUrlSecrets(text)).slice(0, 12)}.invalid/v1`
    : withoutFolder(text);
