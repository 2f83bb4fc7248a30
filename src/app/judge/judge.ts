import { dirname, join, relative, sep } from "node:path";
import pLimit from "p-limit";
import { writeWhole } from "../../disk/whole-file.js";
import { BudgetError, ModelError, UsageError } from "../../errors.js";
import { judgeOptions } from "../../judges/options.js";
import { readOptions } from "../../registry/options.js";
import type { Judgement, JudgementFacts } from "../../report/judgements/judgement.js";
import { judgementTable } from "../../report/judgements/text.js";
import { renderMarkdown } from "../../report/tables/markdown.js";
import { renderText } from "../../report/tables/text.js";
import { closeDamage } from "../../run/journal.js";
import {
  brokenJudgements,
  type JudgeFile,
  judgedFiles,
  judgementLine,
  judgementsFolder,
  readJudgeFile,
  refuseBrokenJudgements,
  writeJudgeFile,
} from "../../run/judge-folder.js";
import { lockFolder } from "../../run/lock.js";
import { KeyedJournal } from "../../run/replies.js";
import { runFiles } from "../../run/run-files.js";
import { editRemarks } from "../../run/sealed-run.js";
import { atWork, sealRun } from "../../run/seals.js";
import { contentId } from "../../text/content-id.js";
import { countOf } from "../../text/count.js";
import type { Judge, Model } from "../../types/index.js";
import { catalogueOf } from "../catalogue.js";
import { openRunFolder } from "../common/run-folder.js";
import { timestamp } from "../common/timestamp.js";
import type { Io } from "../io.js";
import { openStops, type Stops } from "../run/stops.js";
import type { Crew } from "../workers/crew.js";
import { HandedOutCalls } from "../workers/hand-out.js";
import { jobOfCalls } from "../workers/job.js";
import { openCrew } from "../workers/open-crew.js";
import { type Asking, askJudge } from "./ask.js";
import { type Case, casesOf, judgementKey, optionsOf } from "./cases.js";
import { asOfRun, type JudgeSettings, judgingModel, type OpenedJudge, openJudge } from "./open-judge.js";

export interface JudgeResult {
  /** The tables, for a terminal. */
  readonly text: string;
  /** Where journal and tables are. */
  readonly folder: string;
  readonly facts: JudgementFacts;
  readonly judgements: readonly Judgement[];
  /** Calls of this process. */
  readonly sent: number;
  /** Whether a person asked for the end before all was judged: then there are no tables. */
  readonly interrupted: boolean;
}

/**
 * Lets a judge go over the stored replies of a run, or go on where it was stopped. Asks no question of the run again: a judge of
 * another name, model or setting gets a folder of its own beside. Its replies are kept as they come, and sealed with the judgements
 * once all is judged. Throws UsageError before the first call where something is wrong, or where sealed judgements were changed.
 */
export async function judgeRun(settings: JudgeSettings, io: Io, signal?: AbortSignal): Promise<JudgeResult> {
  const folder = openRunFolder(settings.run, io.cwd);
  const judge = catalogueOf(io).judges.get(
    settings.judge ?? (settings.against === undefined ? "dialogue-score" : "better-reply"),
    "--judge",
  );
  refuseShape(judge, settings);
  const options = optionsOf(folder.manifest.plan.cells, settings);
  const cases = await casesOf(folder, options, settings, io);
  const provider = await judgingModel(settings, io);
  const { id, simulated } = provider;
  const { cells } = folder.manifest.plan;
  const facts: JudgementFacts = {
    judge: judge.name,
    model: id,
    simulated,
    ownReplies: cells.some((cell) => cell.model === id),
    range: judge.range,
    options,
    ...(settings.against === undefined ? {} : { against: settings.against }),
  };
  const name = `${judge.name}-${contentId(facts).slice(0, 12)}`;
  const home = join(judgementsFolder(folder.path), name);
  const stops = openStops({ signal });
  const ofRun = asOfRun(settings, io);
  const employer = { folder: home, name: relative(dirname(folder.path), home).replaceAll(sep, "-"), settings: ofRun };
  const crew = await openCrew({ ...employer, workers: settings.workers, models: [provider], stops, io });
  const unlock = lockFolder(home, { onLost: (error) => stops.stop.abort(error) });
  const undrain = stops.drainWithin(ofRun.drainSeconds * 1000);
  const open = () => openJudge(home, settings, { provider, stop: stops.stop }, io);
  try {
    const begun = begin(home, relative(io.cwd, home), facts, io);
    if (crew !== undefined && settings.workers === undefined) await takeHome(crew, provider, open());
    const opened = open();
    try {
      const { "judge.temperature": temperature } = readOptions(judgeOptions, options);
      const { model, concurrency } = { model: opened.model, concurrency: ofRun.concurrency };
      const bench = { judge, temperature, model, concurrency, opened, home, stops, io };
      const judgements =
        crew === undefined || settings.workers === undefined
          ? await judged(cases, bench)
          : await judgedByWorkers(cases, bench, crew, jobOfCalls(settings, id, io));
      const sent = opened.spent() + (crew?.sent ?? 0);
      if (stops.asked.aborted) return { text: "", folder: home, facts, judgements: [], sent, interrupted: true };
      const table = judgementTable(facts, opened.total(), judgements, cells, editRemarks(begun));
      writeWhole(join(home, runFiles.judged), `${renderMarkdown(table)}\n`);
      seal(home, relative(io.cwd, home), begun, io);
      await crew?.done();
      return { text: renderText(table), folder: home, facts, judgements, sent, interrupted: false };
    } finally {
      opened.close();
    }
  } finally {
    undrain();
    unlock();
    await crew?.close();
  }
}

/** Takes over what workers have done. */
const takeHome = (crew: Crew, provider: Model, opened: OpenedJudge): Promise<void> =>
  new HandedOutCalls(provider, opened).takeHome(crew).finally(() => opened.close());

/** What was sent and where it is, in one line. */
export function sentText(
  { sent, folder, interrupted }: Pick<JudgeResult, "sent" | "folder" | "interrupted">,
  cwd: string,
): string {
  const calls = countOf(sent, "judge call");
  return interrupted
    ? `interrupted after ${calls}: the same command goes on, what is answered is kept`
    : `${calls} sent, 0 answer calls; everything is in ${relative(cwd, folder) || "."}`;
}

function refuseShape({ name, shows }: Judge, { against }: JudgeSettings): void {
  if (shows === 2 && against === undefined)
    throw new UsageError(`--judge ${name}: compares replies of two methods; name one with --against`);
  if (shows === 1 && against !== undefined)
    throw new UsageError(
      `--judge ${name}: looks at one reply at a time; leave --against out, or use --judge better-reply`,
    );
}

/** Writes down what the folder is of, and which seals hold while it is at work. Refuses one whose sealed records were changed. */
function begin(home: string, shown: string, facts: JudgementFacts, io: Pick<Io, "tell">): JudgeFile {
  const old = readJudgeFile(home);
  let begun: JudgeFile = { ...facts };
  if (old !== undefined) {
    refuseBrokenJudgements(home, shown, old, { mend: true });
    const broken = brokenJudgements(home, old);
    for (const one of broken) io.tell(`${join(shown, judgementLine(one))}; asked again if needed`);
    begun = { ...atWork(old, broken), ...facts };
  }
  writeJudgeFile(home, begun);
  return begun;
}

function seal(home: string, shown: string, begun: JudgeFile, io: Pick<Io, "clock">): void {
  refuseBrokenJudgements(home, shown, begun);
  const { kept: _kept, mending: _mending, ...facts } = begun;
  writeJudgeFile(home, { ...facts, ...sealRun(home, begun, timestamp(io), judgedFiles) });
  closeDamage(home);
}

interface Bench extends Asking {
  readonly opened: OpenedJudge;
  readonly home: string;
  readonly concurrency: number;
  readonly stops: Stops;
  readonly io: Pick<Io, "tell">;
}

/** Every case with its judgement, in the order of the cases: those in the journal as they stand, but for failed ones. */
async function judged(
  cases: readonly Case[],
  { judge, model, temperature, opened, home, concurrency, stops, io }: Bench,
): Promise<Judgement[]> {
  const journal = new KeyedJournal<Judgement>(join(home, runFiles.judgements), "last");
  for (const { file, line } of [...opened.damage, ...journal.damage])
    io.tell(`${file} line ${line}: damaged, set aside in ${runFiles.damaged}; ${ANEW[file] ?? "judged again"}`);
  const slots = pLimit(concurrency);
  try {
    const done = await Promise.allSettled(
      cases.map((one) =>
        slots(async (): Promise<Judgement> => {
          const key = judgementKey(judge.name, model.id, one);
          const known = journal.record(key);
          if (known !== undefined && known.judged.kind !== "failed") return known;
          stops.stop.signal.throwIfAborted();
          const judgement = {
            key,
            ...one.head,
            ...(await askJudge({ judge, model, temperature }, one.shown, stops.kill)),
          };
          stops.kill.throwIfAborted();
          journal.add(judgement);
          return judgement;
        }),
      ),
    );
    // Calls in flight are waited for, so that what was paid for is kept; then the first failure ends it.
    return done.flatMap((one) => {
      if (one.status === "fulfilled") return [one.value];
      if (stops.asked.aborted) return [];
      throw stopOf(one.reason);
    });
  } finally {
    journal.close();
  }
}

/** The same with the calls of workers, all of which are handed out at once. */
function judgedByWorkers(cases: readonly Case[], bench: Bench, crew: Crew, job: string): Promise<Judgement[]> {
  const calls = new HandedOutCalls(bench.model, bench.opened);
  bench.io.tell(`the calls are handed out at ${crew.database}; workers make them: lamp-eval worker`);
  const concurrency = Number.POSITIVE_INFINITY;
  return calls.during(crew, job, () => judged(cases, { ...bench, model: calls.model, concurrency }));
}

/** What is told of damage where no judgement is made again. */
const ANEW: Readonly<Record<string, string>> = {
  [runFiles.responses]: "asked again where it is needed",
  [runFiles.attempts]: "the try it held is counted no more",
};

/** A cap, or a refusal that ends all work, as one line: what was judged is kept. */
function stopOf(reason: unknown): unknown {
  if (!(reason instanceof BudgetError) && !(reason instanceof ModelError)) return reason;
  return new UsageError(`${reason.message}; what was judged is kept, the same command goes on from there`, {
    cause: reason,
  });
}
