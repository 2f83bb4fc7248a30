import { nounOf } from "../../text/count.js";

/** Whose request it is. */
interface CallOrigin {
  readonly task: string;
  readonly method: string;
  /** Empty for what all units share. */
  readonly unit: string;
  /** Absent: the preparation of the unit. */
  readonly question?: string;
}

/** A request of a replayed run that the cassette does not hold. */
export interface StaleRequest {
  /** Short hash. */
  readonly id: string;
  /** `answer`, `summary`, ...; `embedding` for a text without a vector. */
  readonly phase: string;
  /** Absent for texts without a vector. */
  readonly place?: CallOrigin;
  readonly nearest?: { readonly id: string; readonly same: string };
  /** From the nearest recorded request to this one. */
  readonly diff: string;
}

/** A row whose requests are not those of the recording. */
export interface ChangedRow extends CallOrigin {
  readonly question: string;
  /** `failed`: a request was missing. `other requests`: all were recorded, for other rows. `not recorded`: the row is new. */
  readonly why: "failed" | "other requests" | "not recorded";
}

/** What a replay found, for `replay.json` and `replay.md`. */
export interface ReplayReport {
  /** Content id of the cassette. */
  readonly cassette: string;
  readonly simulated: boolean;
  readonly rows: number;
  /** Distinct requests that the cassette does not hold. */
  readonly stale: number;
  readonly changed: readonly ChangedRow[];
  readonly requests: readonly StaleRequest[];
}

/** What is printed in full; all of it stands in replay.json. */
const SHOWN_DIFFS = 20;
const SHOWN_ROWS = 100;

/** The replay in Markdown: rows whose requests changed, then the missing requests with their diffs. */
export function renderReplay(report: ReplayReport): string {
  const { cassette, simulated, rows, stale, changed, requests } = report;
  const more = (all: number, shown: number) => (all > shown ? [`- ... ${all - shown} more, in replay.json`] : []);
  return `${[
    `# Replay of cassette ${cassette.slice(0, 12)}`,
    ...(simulated ? ["", "SIMULATED: the cassette was made from the embedded model."] : []),
    "",
    `${rows} ${nounOf(rows, "row")}, ${changed.length} with changed requests; ${stale} ${nounOf(stale, "request is", "requests are")} not in the cassette.`,
    "",
    stale === 0
      ? "Every request was answered from the cassette."
      : "The cassette is stale: record it again against the model to measure the changed prompts.",
    "A replay proves reading, scoring and unchanged requests; it says nothing of how good a changed prompt is.",
    ...(changed.length === 0 ? [] : ["", "## Rows whose requests changed", ""]),
    ...changed.slice(0, SHOWN_ROWS).map((row) => `- ${originText(row)}: ${row.why}`),
    ...more(changed.length, SHOWN_ROWS),
    ...(requests.length === 0 ? [] : ["", "## Requests that are not in the cassette"]),
    ...requests.slice(0, SHOWN_DIFFS).flatMap(renderRequest),
    ...(requests.length > SHOWN_DIFFS ? ["", ...more(requests.length, SHOWN_DIFFS)] : []),
  ].join("\n")}\n`;
}

/** `lamp3 rag, unit u1, question q3`. */
export function originText(origin: CallOrigin): string {
  const unit = origin.unit === "" ? "shared by all users" : `unit ${origin.unit}`;
  const question = origin.question === undefined ? "preparation" : `question ${origin.question}`;
  return `${origin.task} ${origin.method}, ${unit}, ${question}`;
}

/** `3fa1... of the same question`, or what to say where there is none. */
export function nearestText({ place: origin, nearest }: Pick<StaleRequest, "place" | "nearest">): string {
  if (nearest === undefined) return "nothing like it is recorded";
  const same = nearest.same === "question" && origin?.question === undefined ? "preparation" : nearest.same;
  return `nearest recorded: ${nearest.id} of the same ${same}`;
}

function renderRequest(request: StaleRequest): string[] {
  const { id, phase, place: origin, diff } = request;
  const title = `### ${phase} ${id}${origin === undefined ? "" : `: ${originText(origin)}`}`;
  const shown = diff === "" ? [] : ["", "```diff", fenced(diff), "```"];
  return ["", title, "", nearestText(request), ...shown];
}

/** A prompt's own fence must not end ours. */
const fenced = (diff: string): string => diff.replaceAll("```", "'''");
