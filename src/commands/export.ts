import { join, relative, resolve } from "node:path";
import { Command, Option } from "commander";
import { stringify } from "csv-stringify/sync";
import { GOLDS_TASK } from "../data/load.js";
import { writeText, writeWhole } from "../disk/whole-file.js";
import { UsageError } from "../errors.js";
import { pack } from "../log/pack.js";
import { mapTexts, withoutFolder, withoutUrlSecrets } from "../net/secrets.js";
import { catalogueOf } from "../plan/catalogue.js";
import { asJson } from "../record/folder.js";
import type { Manifest } from "../record/manifest.js";
import { FILE, type StoredRun } from "../record/stored-run.js";
import { loadResults, tasksOfRun } from "../report/load.js";
import { scoreOfRow, strictText } from "../results/answers.js";
import { WORKERS } from "../run/run.js";
import { sha256 } from "../text/content-id.js";
import { countOf, nounOf } from "../text/count.js";
import type { ArmSpec, Json, Row, Task } from "../types/index.js";
import { everyEvalEver } from "./every-eval-ever.js";
import type { CommandIo, Terminal } from "./terminal.js";
import { LIMITATION, packScores } from "./verify.js";

const forms = ["official", "csv", "every-eval-ever", "pack"] as const;

interface Flags {
  readonly form: (typeof forms)[number];
  /** A file; of `official` and `every-eval-ever` a folder, with a file for each arm. */
  readonly out: string;
  readonly organization?: string;
  readonly withoutRequests?: boolean;
}

/** `lamp-eval export RUN`: a run's answers for other programs, or a file that others verify. Sends nothing. */
export function exportCommand(io: CommandIo): Command {
  const what =
    "official: LaMP's submission files; csv: a row a question; every-eval-ever: EvalEval's shared schema; pack: the whole run in one file, for run --replay, --reuse and verify";
  return new Command("export")
    .argument("<run>", "run folder")
    .addOption(new Option("--form <form>", what).choices(forms).makeOptionMandatory())
    .requiredOption("--out <path>", "the file; with --form official and every-eval-ever the folder")
    .option("--organization <name>", "every-eval-ever: who publishes the results (required)")
    .option("--without-requests", "pack: leave out requests, rows and golds, where the licence of the data asks for it")
    .action((name: string, { form, out, organization, withoutRequests = false }: Flags) => {
      if (withoutRequests && form !== "pack") throw new UsageError("--without-requests: works with --form pack");
      const run = io.runs.get(name);
      const to = resolve(io.cwd, out);
      const written = {
        official: () => official(run, to, io),
        csv: () => csv(run, to, io),
        "every-eval-ever": () => everyEvalEver(loadResults(run, catalogueOf(io)), to, organization, io),
        pack: () => packed(run, to, withoutRequests, io),
      }[form]();
      for (const file of written) io.out(relative(io.cwd, file) || file);
    });
}

/** Returns the rows of a run, and its tasks with their metrics. Throws UsageError where no question is answered yet. */
function answersOf(run: StoredRun, io: Terminal) {
  const { name: shown, manifest, rows } = run;
  if (rows.length === 0) throw new UsageError(`${shown}: no question is answered yet, so there is nothing to export`);
  if (manifest.finishedAt === undefined) io.tell(`${shown} has not ended: what is answered so far is exported`);
  if (manifest.simulated) io.tell("SIMULATED: answers of the embedded model");
  return { rows, specs: manifest.identity.arms, tasks: tasksOfRun(run, catalogueOf(io)) };
}

/**
 * Writes LaMP's submission form `{task, golds: [{id, output}]}` for each arm and repeat. An unreadable reply stands as the empty
 * text, as the official script counts it; a failed question is left out and told.
 */
function official(run: StoredRun, to: string, io: Terminal): string[] {
  const { rows, specs, tasks } = answersOf(run, io);
  const named = new Set<string>();
  return specs.flatMap(({ id, task, method, repeat }) => {
    const ofArmId = rows.filter((row) => row.arm === id);
    if (ofArmId.length === 0) return [];
    const answered = ofArmId.filter((row) => row.outcome.kind !== "failed");
    const stem = [task, method, ...(repeat > 0 ? [`repeat-${repeat + 1}`] : [])].join(".");
    const name = `${named.has(stem) ? `${stem}.${id}` : stem}.json`; // arms that differ in their options
    named.add(stem);
    const file = join(to, name.replaceAll(/[^\p{L}\p{N}._-]/gu, "_"));
    const failed = ofArmId.length - answered.length;
    if (failed > 0)
      io.tell(
        `${file}: ${failed} failed of ${ofArmId.length} ${nounOf(ofArmId.length, "question")} left out: the official script refuses such a file`,
      );
    const golds = answered.map((row) => ({ id: row.question, output: strictText(row) }));
    const asGolds = run.manifest.identity.data.find((one) => one.task === task)?.facts[GOLDS_TASK];
    writeText(file, `${JSON.stringify({ task: asGolds ?? tasks.get(task).official, golds }, undefined, 1)}\n`);
    return [file];
  });
}

/**
 * Writes one row a question: by what settings it was asked (those that differ between arms), what came back, what it cost, and
 * each metric that is defined for a single answer. A text that a spreadsheet would take for a formula is escaped.
 */
function csv(run: StoredRun, file: string, io: Terminal): string[] {
  const { rows, specs, tasks } = answersOf(run, io);
  const options = [...new Set(specs.flatMap((arm) => Object.keys(arm.options)))].sort();
  const varied = options.filter((name) => new Set(specs.map((arm) => arm.options[name])).size > 1);
  const metrics = specs.flatMap(({ task }) => tasks.get(task).metrics).filter(({ labels }) => labels === undefined);
  const alone = [...new Set(metrics.map(({ name }) => name))];
  const lines = rows.map((row) => {
    const { options: set, task, dataset, method, model, seed, repeat }: ArmSpec = run.arm(row.arm)!; // rows are of the plan
    const { user, unit, question, content = null, position = null, gold = null, outcome } = row;
    const amount = (of: "calls" | "in" | "out"): number | null =>
      row.spendUnknown === true ? null : Object.values(row.spend).reduce((sum, phase) => sum + phase[of], 0); // uncounted is unknown, not 0
    return {
      ...{ task, dataset, method, model, seed, repeat },
      ...Object.fromEntries(varied.map((name) => [name, set[name] ?? null])),
      ...{ arm: row.arm, user, unit, question, content, position, outcome: outcome.kind, gold },
      reply: "reply" in outcome ? outcome.reply : null,
      lenient: "lenient" in outcome ? (outcome.lenient ?? null) : null,
      error: "error" in outcome ? outcome.error : null,
      ...Object.fromEntries(alone.map((name) => [`${name}.alone`, questionScore(tasks.get(task), name, row)])),
      ...{ calls: amount("calls"), "tokens.in": amount("in"), "tokens.out": amount("out") },
      simulated: row.simulated === true,
    };
  });
  writeText(file, stringify(lines, { header: true, escape_formulas: true, cast: { boolean: String } }));
  io.err(`${countOf(rows.length, "row")} exported`);
  return [file];
}

/** Returns the metric of this pair alone; null where its task has none or it is not scored. */
function questionScore({ metrics }: Task, name: string, row: Row): number | null {
  const metric = metrics.find((one) => one.name === name);
  return (metric && scoreOfRow(metric, row)) ?? null;
}

/** Writes a finished run into one file, which `run --replay`, `run --reuse` and `verify` read. Throws UsageError where it has not finished. */
function packed(run: StoredRun, file: string, withoutRequests: boolean, io: Terminal): string[] {
  const { name, log, manifest } = run;
  if (manifest.finishedAt === undefined)
    throw new UsageError(`${name}: it has not finished; the same lamp-eval run command finishes it`);
  const { summaries } = loadResults(run, catalogueOf(io));
  const content = pack(log, {
    plan: packedPlan(Object(log.state.plan), withoutRequests),
    facts: [...log.state.facts].filter(([name]) => name !== WORKERS).map(packedFact), // where workers are is nobody's business
    requests: !withoutRequests,
    rows: run.lines(),
    scores: packScores(summaries),
    portable: withoutFolder,
  });
  writeWhole(file, content, { shared: true });
  io.err(
    withoutRequests
      ? "it holds replies, which may quote the data; whoever verifies it needs --data"
      : "it holds requests and golds",
  );
  io.err(LIMITATION);
  return [file];
}

/** Returns the plan without the command line and paths of this machine; without requests, also without baselines' answers: they reveal golds. */
function packedPlan({ argv: _, tasks, ...rest }: Manifest, withoutRequests: boolean): Json {
  const shown = withoutRequests ? tasks.map(({ baselines: __, ...task }) => task) : tasks;
  return mapTexts(asJson({ ...rest, argv: [], tasks: shown }), portable);
}

/** Returns a fact without paths and addresses of this machine. The text of a file that an option names stays. */
function packedFact([name, value]: readonly [string, Json]): readonly [string, Json] {
  return [name, name.startsWith(FILE) ? value : mapTexts(value, portable)];
}

/** Returns a text without folders of this machine. An address becomes a made-up one, so that the plan can still be opened. */
const portable = (text: string): string =>
  URL.canParse(text) && /^https?:/i.test(text)
    ? `http://${sha256(withoutUrlSecrets(text)).slice(0, 12)}.invalid/v1`
    : withoutFolder(text);
