import { Command } from "commander";
import { UsageError } from "../errors.js";
import { scoreAll } from "../metrics/score-all.js";
import { catalogueOf } from "../plan/catalogue.js";
import { judgementsOf } from "../record/judgements.js";
import { originKey } from "../record/rows.js";
import { isUnitOf, type ReadingIo, refuseAbsent, type StoredRun } from "../record/stored-run.js";
import { renderTranscript, type ShownVerdict, type TranscriptSource } from "../report/transcript.js";
import { scoreOfRow } from "../results/answers.js";
import { isNamed, settingsOf, variantOf } from "../results/arms.js";
import { upwards } from "../results/compare.js";
import { countOf } from "../text/count.js";
import type { Row, Task, Trace } from "../types/index.js";
import { positive } from "./flags.js";
import { printJson } from "./json.js";
import type { CommandIo } from "./terminal.js";

interface ShowSettings {
  readonly run: string;
  /** Only what is of this user, question or method. */
  readonly user?: string;
  readonly question?: string;
  readonly method?: string;
  /** Only answers that the primary metric does not count as right, the worst first. */
  readonly wrong?: boolean;
  /** Most questions that are shown. Absent: all. */
  readonly limit?: number | undefined;
  /** Also what was done for the users before their first question. */
  readonly preparation?: boolean;
}

interface Shown {
  readonly transcripts: readonly TranscriptSource[];
  readonly found: number;
}

/** Finds what was asked, called, observed and answered. Throws UsageError naming what the run has not got. */
function show({ run: name, limit, preparation = false, ...wanted }: ShowSettings, io: ReadingIo): Shown {
  const run = io.runs.get(name);
  const { tasks } = catalogueOf(io);
  const fits = rowsThatFit(run, wanted);
  const all = wanted.wrong === true ? wrongFirst(fits, (row) => tasks.find(run.arm(row.arm)?.task ?? "")) : fits;
  const rows = all.slice(0, limit);
  const questions = new Set(rows.map(originKey));
  const units = new Set(rows.map(({ arm, unit }) => originKey({ arm, unit })));
  const arms = new Set(rows.map(({ arm }) => arm));
  const traces = new Map<string, Trace>();
  for (const trace of run.traces()) {
    const key = originKey(trace);
    const isBefore = trace.question === undefined && (units.has(key) || (isShared(trace) && arms.has(trace.arm)));
    if (questions.has(key) || (preparation && isBefore)) traces.set(key, trace);
  }
  const verdicts = verdictsOn(run);
  const sourceOf = sources(run);
  const shared = [...traces.values()].filter(isShared).map((trace) => sourceOf(trace));
  const transcripts = rows.flatMap((row) => {
    const { arm, unit, question } = row;
    const before = traces.get(originKey({ arm, unit }));
    traces.delete(originKey({ arm, unit })); // shown once
    const trace = traces.get(originKey(row)) ?? { arm, unit, question, requests: [], notes: [] };
    const said = verdicts.get(`${arm}\t${question}`);
    return [
      ...(before === undefined ? [] : [sourceOf(before)]),
      { ...sourceOf(trace), row, ...(said === undefined ? {} : { verdicts: said }) },
    ];
  });
  return { transcripts: [...shared, ...transcripts], found: all.length };
}

/** Calls stand in the order of their answers. */
function sources(run: StoredRun): (trace: Trace) => TranscriptSource {
  const order = new Map(Array.from(run.callIds(), (id, at) => [id, at]));
  return (trace) => {
    const arm = run.arm(trace.arm);
    const who = isShared(trace) ? "all users" : `user ${trace.unit}`;
    const about = trace.question === undefined ? "preparation" : `question ${trace.question}`;
    const ids = [...new Set(trace.requests)].sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
    const title = [arm?.task, arm?.method, who, about].join(" · ");
    return { title, trace, calls: ids.flatMap((id) => run.call(id) ?? []) };
  };
}

/** Tells whether a trace is of what a method prepares once for all users. */
const isShared = ({ unit, question }: Trace): boolean => question === undefined && unit.startsWith("shared/");

function rowsThatFit(run: StoredRun, { user, question, method }: Omit<ShowSettings, "run">): Row[] {
  const specs = run.manifest.identity.arms;
  const arms = specs.filter((arm) => method === undefined || isNamed(arm, settingsOf(arm), method));
  const ids = new Set(arms.map(({ id }) => id));
  const rows = run.rows.filter(
    (row) =>
      ids.has(row.arm) &&
      (user === undefined || row.user === user || isUnitOf(row.unit, user)) &&
      (question === undefined || row.question === question),
  );
  if (rows.length > 0) return rows;
  const { name, rows: known } = run;
  if (known.length === 0) throw new UsageError(`${name}: nothing to show yet, no question is answered`);
  const users = known.flatMap((row) => [row.user, row.unit]);
  const questions = known.map((row) => row.question);
  const labels = specs.map((arm) => `${arm.method} ${variantOf(arm, specs)}`.trim());
  refuseAbsent(name, { flag: "--user", name: user }, users);
  refuseAbsent(name, { flag: "--question", name: question }, questions);
  if (arms.length === 0) refuseAbsent(name, { flag: "--method", name: method }, labels);
  throw new UsageError(`${name}: nothing fits all of the flags; leave one of them out`);
}

/** Leaves right answers out. Failed questions are first, then the worst by the primary metric. */
function wrongFirst(rows: readonly Row[], taskOf: (row: Row) => Task | undefined): Row[] {
  const valued = rows.flatMap((row) => {
    const metric = taskOf(row)?.metrics[0];
    if (row.outcome.kind === "failed") return [{ row, lost: Number.POSITIVE_INFINITY }];
    const value = metric && scoreOfRow(metric, row);
    if (metric === undefined || value === undefined || row.gold === undefined) return [];
    const lost = upwards(metric, scoreAll(metric, [{ prediction: row.gold, gold: row.gold }]) - value);
    return lost > 0 ? [{ row, lost }] : [];
  });
  return valued.sort((a, b) => (a.lost === b.lost ? 0 : b.lost - a.lost)).map(({ row }) => row);
}

/** Verdicts of judges, by arm and question. */
function verdictsOn(run: StoredRun): Map<string, ShownVerdict[]> {
  const verdicts = new Map<string, ShownVerdict[]>();
  for (const { facts, judgements } of judgementsOf(run))
    for (const { arm, question, judged, against } of judgements) {
      const method = run.arm(against?.arm ?? "")?.method ?? "?";
      const shown: ShownVerdict = {
        judge: `${facts.judge}, ${facts.model}${facts.simulated ? ", SIMULATED" : ""}`,
        judged,
        ...(against === undefined ? {} : { against: { method, shownFirst: against.shownFirst } }),
      };
      const key = `${arm}\t${question}`;
      verdicts.set(key, [...(verdicts.get(key) ?? []), shown]);
    }
  return verdicts;
}

interface Flags extends Omit<ShowSettings, "run"> {
  readonly json?: boolean;
}

/** Default number of questions printed. */
const FEW = 5;

/** `lamp-eval show <run>`: question, gold, answer, and what the method saw. */
export function showCommand(io: CommandIo): Command {
  return new Command("show")
    .argument("<run>", "run folder")
    .option("--wrong", "only answers that are not right by the first metric, the worst first")
    .option("--user <id>", "only this user")
    .option("--question <id>", "only this question")
    .option("--method <name>", 'only this method, e.g. rag or "rag rag.k=2"')
    .option("--limit <n>", `most questions (default: ${FEW}; of --json all)`, positive)
    .option("--preparation", "also what was prepared for all users, and for each before the first question")
    .option("--json", "print JSON: of each transcript title, row, notes (facts of an assistant among them) and calls")
    .action(async (run: string, { json, ...flags }: Flags) => {
      const limit = flags.limit ?? (json === true ? undefined : FEW);
      const { transcripts, found } = show({ ...flags, run, limit }, io);
      if (json === true) return printJson(io, "show", { run, found, transcripts });
      for (const transcript of transcripts) io.out(`${renderTranscript(transcript)}\n`);
      const what = flags.wrong === true ? "wrong answer" : "answer";
      if (found > (limit ?? found)) io.out(`${limit} of ${countOf(found, what)}; more: --limit N`);
      else if (found === 0) io.out("no wrong answer");
    });
}
