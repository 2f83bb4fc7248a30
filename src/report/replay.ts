import { countOf, nounOf } from "../text/count.js";
import { diffLines } from "../text/line-diff.js";
import { wordTokens } from "../text/tokens.js";
import type { Message, ModelRequest } from "../types/index.js";
import { similarity } from "./personas/jaccard.js";

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
  /** Short hash of the recorded request that it is compared with. */
  readonly nearest?: string;
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

/** The recorded request that a missing one is compared with, in words. */
export const nearestText = ({ nearest }: Pick<StaleRequest, "nearest">): string =>
  nearest === undefined ? "nothing like it is recorded" : `nearest recorded: ${nearest}`;

function renderRequest(request: StaleRequest): string[] {
  const { id, phase, place: origin, diff } = request;
  const title = `### ${phase} ${id}${origin === undefined ? "" : `: ${originText(origin)}`}`;
  const shown = diff === "" ? [] : ["", "```diff", fenced(diff), "```"];
  return ["", title, "", nearestText(request), ...shown];
}

/** A prompt's own fence must not end ours. */
const fenced = (diff: string): string => diff.replaceAll("```", "'''");

export interface Candidate {
  /** Short hash, as traces name it. */
  readonly id: string;
  readonly request: ModelRequest;
}

/** The recorded request that shares most words (the first of equals). Undefined without candidates. */
export function nearestRequest(request: ModelRequest, candidates: readonly Candidate[]): Candidate | undefined {
  const words = wordsOf(request);
  const overlaps = candidates.map((candidate) => similarity(words, wordsOf(candidate.request)));
  return candidates[overlaps.indexOf(Math.max(...overlaps))];
}

/** Changed lines of two requests with a line around them; at most `maxLines`, the rest is counted. */
export function requestDiff(recorded: ModelRequest, now: ModelRequest, maxLines = 60): string {
  const [before, after] = [requestText(recorded), requestText(now)].map(bounded);
  const lines = diffLines(before ?? "", after ?? "").split("\n");
  const near = (index: number) => [index - 1, index, index + 1].some((i) => isChange(lines[i]));
  const kept = lines.flatMap((line, i) => (near(i) ? [line] : near(i - 1) ? ["  ..."] : []));
  if (kept.at(-1) === "  ...") kept.pop();
  const more = kept.length - maxLines;
  return [...kept.slice(0, maxLines), ...(more > 0 ? [`  ... ${countOf(more, "more line")}`] : [])].join("\n");
}

/** The first line gone and the first line new, each cut, for a message of one line. */
export function firstChange(diff: string): string {
  const lines = diff.split("\n");
  const [gone, added] = ["- ", "+ "].map((sign) => lines.find((line) => line.startsWith(sign)));
  return [gone, added].flatMap((line) => (line === undefined ? [] : [cut(line)])).join(" / ");
}

/** A request as lines: its parameters, then its turns, a sentence a line, so that a diff shows what changed in them. */
function requestText(request: ModelRequest): string {
  const { system, messages, tools, ...parameters } = request;
  return [
    ...Object.entries(parameters).map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
    ...(tools === undefined ? [] : tools.map((tool) => `tool ${JSON.stringify(tool)}`)),
    ...(system === undefined ? [] : ["[system]", ...sentences(system)]),
    ...messages.flatMap(linesOf),
  ].join("\n");
}

/** A line-by-line diff of texts without end would take memory without end. */
const MOST_LINES = 2000;
const SHOWN_CHARS = 120;

const isChange = (line: string | undefined): boolean => line !== undefined && /^[-+] /.test(line);
const cut = (line: string): string => (line.length > SHOWN_CHARS ? `${line.slice(0, SHOWN_CHARS)}...` : line);

function bounded(text: string): string {
  const lines = text.split("\n");
  return lines.length <= MOST_LINES ? text : [...lines.slice(0, MOST_LINES), "(cut)"].join("\n");
}

/** LaMP prompts are one line of many items: broken behind sentences and between items. */
const sentences = (text: string): string[] =>
  text.split("\n").flatMap((line) => line.split(/(?<=[.!?;|,]["”']?) +(?=["“'A-Z0-9]|and )/));

function linesOf(message: Message): string[] {
  if (message.role === "tool")
    return message.results.flatMap(({ name, content }) => [`[tool ${name}]`, ...sentences(content)]);
  const calls = message.role === "assistant" ? (message.toolCalls ?? []) : [];
  return [
    `[${message.role}]`,
    ...sentences(message.content),
    ...calls.map(({ name, arguments: input }) => `call ${name} ${JSON.stringify(input)}`),
  ];
}

const wordsOf = (request: ModelRequest): ReadonlySet<string> => new Set(wordTokens(requestText(request)));
