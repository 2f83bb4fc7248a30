import { basename, join, relative, resolve } from "node:path";
import { Command } from "commander";
import { UsageError } from "../errors.js";
import { namesOf } from "../judges/cases.js";
import { judgeOptions } from "../judges/options.js";
import { judgeMethod, judgeTask } from "../judges/verdicts.js";
import { catalogueOf } from "../plan/catalogue.js";
import type { Io } from "../plan/io.js";
import { demoModel, type RunRequest } from "../plan/settings.js";
import { judgedRun, judgesFolder } from "../record/judgements.js";
import { type ReadingIo, refuseAbsent } from "../record/stored-run.js";
import { complete } from "../registry/options.js";
import { agreementText } from "../report/tables/judgements.js";
import { agreementsOf } from "../results/judge-scores.js";
import { judgingOf } from "../run/reopen.js";
import { contentId } from "../text/content-id.js";
import type { ArmSpec, JudgedRun, OptionValue } from "../types/index.js";
import { exitCodes, setExitCode } from "./exit-code.js";
import { names } from "./flags.js";
import { addSettings, delegate } from "./run.js";
import { openRequest, type RunResult, runOpened } from "./run-request.js";
import type { CommandIo } from "./terminal.js";
import { watched } from "./watch.js";

/** What judges are asked to do, each with each model, and what any run is told of its calls. */
export interface JudgeRequest
  extends Omit<RunRequest, "task" | "method" | "model" | "options" | "config" | "preset" | "shard"> {
  /** The judged run, as typed. Its data are read again: from `data`, where its own command line does not say. */
  readonly run: string;
  /** Default: `dialogue-score`, with `against` `better-reply`. */
  readonly judge?: readonly string[] | undefined;
  /** Default: the embedded one, SIMULATED. */
  readonly model?: readonly string[] | undefined;
  /** Method, or `select=NAME`, whose replies all others are compared with, in both orders. */
  readonly against?: string | undefined;
  /** Over the `judge.*` options of the judged run. */
  readonly set?: Readonly<Record<string, OptionValue>> | undefined;
}

/** The same for one judge and model. */
type SingleJudgeRequest = Omit<JudgeRequest, "judge" | "model"> & { readonly judge: string; readonly model: string };

/** A judge's run, and what it said of the judged arms. */
export interface JudgeRun extends JudgedRun {
  readonly result: RunResult;
  readonly specs: readonly ArmSpec[];
}

/** Settings of a run that a judge has, too. */
const SETTINGS = [
  ...["set", "concurrency", "giveUpAfter", "baseUrl", "batch", "maxCalls", "maxUsd", "prices", "maxFailed", "out"],
  ...["reuse", "replay", "workers"],
];

/** `lamp-eval judge RUN`: a model judges the stored replies. Asks no question of the run again. */
export function judgeCommand(io: CommandIo): Command {
  const command = new Command("judge")
    .argument("<run>", "run folder")
    .option("--judge <names>", "judges (lamp-eval list judges); several are compared", names)
    .option("--model <provider/id>", "models of the judges (default: the embedded one, SIMULATED)", names)
    .option("--against <method>", "compare all other methods with this one (or select=NAME), in both orders")
    .option("--data <dir>", "the data of the run, where its own command line does not say")
    .option("--json", "print JSON, with every judgement");
  return addSettings(command, (key) => SETTINGS.includes(key)).action(
    async (run: string, { json = false, ...flags }: Omit<JudgeRequest, "run"> & { readonly json?: boolean }) => {
      const said: JudgeRun[] = [];
      for (const settings of judgesOf({ ...flags, run }, io)) {
        const code = await watched(io, {}, async (watch, progressIo) => {
          const one = await judgeRun({ ...settings, ...watch }, progressIo);
          said.push(one);
          return json ? { ...one.result, tables: { text: "", json: "" } } : one.result;
        });
        if (code !== exitCodes.done) setExitCode(command, code);
        if (code === exitCodes.refused || code > 128) break; // above 128: a signal
      }
      const agreements = agreementsOf(said);
      const found = said.map(({ result, ...one }) => ({ ...one, sent: result.calls.sent }));
      if (json) io.out(JSON.stringify(found.length === 1 ? found[0] : { judges: found, agreements }, undefined, 2));
      else if (agreements.length > 0) io.out(agreementText(agreements));
    },
  );
}

/** Returns the settings of each judge. Throws UsageError where no judge compares with `against`, or one needs it. */
export function judgesOf(settings: JudgeRequest, io: Pick<Io, "catalogue">): SingleJudgeRequest[] {
  const { judge: named, model = [demoModel], against, ...rest } = settings;
  const chosen = named ?? [against === undefined ? "dialogue-score" : "better-reply"];
  const judges = chosen.map((name) => catalogueOf(io).judges.get(name, "--judge"));
  const compares = judges.some(({ shows }) => shows === 2);
  return judges.flatMap(({ name, shows }) => {
    if (shows === 2 && against === undefined)
      throw new UsageError(`--judge ${name}: compares replies of two methods; name one with --against`);
    if (shows === 1 && against !== undefined && !compares)
      throw new UsageError(`--judge ${name}: looks at one reply at a time; leave --against out, or use better-reply`);
    return model.map((id) => ({ ...rest, judge: name, model: id, ...(shows === 2 ? { against } : {}) }));
  });
}

/**
 * Returns the options of a judge: those given, over those that the judged arms have, over the defaults. Throws UsageError where arms
 * differ and nothing was given.
 */
export function optionsOf(
  arms: readonly ArmSpec[],
  run: string,
  given: Readonly<Record<string, OptionValue>> = {},
): Readonly<Record<string, string>> {
  for (const [name, { default: usual }] of Object.entries(judgeOptions)) {
    const values = [...new Set(arms.map(({ options }) => String(options[name] ?? usual)))];
    if (values.length > 1 && given[name] === undefined)
      throw new UsageError(
        `judge ${run}: its arms differ in ${name} (${values.join(", ")}); name one for all with --set ${name}=${values[0]}`,
      );
  }
  const all = complete(judgeOptions, { ...arms[0]?.options, ...given });
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, String(value)]));
}

/**
 * Runs a judge over the replies of a run, or resumes: a run whose questions are the prompts of the judge, in a folder of the judged
 * run. Throws UsageError before the first call where something is wrong.
 */
export async function judgeRun(settings: SingleJudgeRequest, io: ReadingIo): Promise<JudgeRun> {
  const { run: judgedName, judge: name, model, against, data, set, ...request } = settings;
  const judgedOne = io.runs.get(judgedName);
  const { arms: specs } = judgedOne.manifest.identity;
  const judge = catalogueOf(io).judges.get(name, "--judge");
  refuseAbsent(judgedName, { flag: "--against", name: against }, specs.flatMap(namesOf));
  const options = optionsOf(specs, judgedName, set);
  const id = contentId([name, model, options, against ?? null]).slice(0, 8);
  const usualFolder = `${name}-${basename(model)}-${id}${request.replay === undefined ? "" : "-replay"}`;
  const out = resolve(io.cwd, request.out ?? join(judgesFolder(judgedOne.path), usualFolder));
  const judged = {
    ...{ run: relative(out, judgedOne.path), judge: name, range: [...judge.range] as [number, number], options, specs },
    ...(data === undefined ? {} : { data }),
    ...(against === undefined ? {} : { against }),
  };
  const judging = await judgingOf(judged, judgedOne, io);
  const defaults = optionsOf([], judgedName);
  const changed = Object.entries({ ...set, ...options }).filter(([option, value]) => value !== defaults[option]);
  const world = await openRequest(
    {
      ...{ ...request, task: judgeTask, method: judgeMethod(judge), model, out, data: judgedName },
      options: { ...Object.fromEntries(changed), temperature: "none" },
    },
    io,
    { judging },
  );
  const result = await runOpened(world, delegate);
  return { ...judgedRun({ ...result.manifest, judged }, result.rows), specs, result };
}
