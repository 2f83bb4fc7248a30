import { basename, join, relative } from "node:path";
import { ModelError, UsageError } from "../../errors.js";
import type { Judgement } from "../../report/judgements/judgement.js";
import { absent, type Check, passedOr, unchecked } from "../../report/verify.js";
import { readJournal } from "../../run/journal.js";
import {
  brokenJudgements,
  isJudgeFileWhole,
  type JudgeFile,
  judgeFolders,
  judgementLine,
  readJudgeFile,
} from "../../run/judge-folder.js";
import type { Manifest } from "../../run/manifest.js";
import type { StoredCall } from "../../run/replies.js";
import { runFiles } from "../../run/run-files.js";
import type { Model, Row } from "../../types/index.js";
import { catalogueOf } from "../catalogue.js";
import { lastJudgements } from "../common/judgements.js";
import type { Io } from "../io.js";
import { askJudge, replyFinder } from "../judge/ask.js";
import { casesOf, judgementKey } from "../judge/cases.js";

interface JudgedRunFolder {
  /** As typed. */
  readonly run: string;
  readonly folder: string;
  readonly manifest: Manifest;
  readonly rows: readonly Row[];
  readonly data: string | undefined;
}

/** One check for each judge of a run: its records are the sealed ones, and its stored replies give its judgements. Sends nothing. */
export const checkJudgements = (run: JudgedRunFolder, io: Io): Promise<Check[]> =>
  Promise.all(judgeFolders(run.folder).map((judge) => checkJudge(judge, run, io)));

async function checkJudge(home: string, run: JudgedRunFolder, io: Io): Promise<Check> {
  const name = `judgements, ${basename(home)}`;
  const shown = relative(run.folder, home);
  try {
    const file = readJudgeFile(home, { edited: true });
    if (file === undefined) return unchecked(name, "nothing was judged");
    const flaws = isJudgeFileWhole(home) ? [] : [`${runFiles.judge}: damaged or edited, its own check does not hold`];
    const problems = [...flaws, ...brokenJudgements(home, file).map(judgementLine)].map((line) => join(shown, line));
    const again = await judgedAgain(home, file, run, io);
    if (typeof again === "string") return problems.length > 0 ? passedOr(name, problems, "") : absent(name, again);
    problems.push(...again.problems.map((line) => join(shown, line)));
    if (problems.length === 0 && file.records === undefined) return unchecked(name, "not all is judged yet");
    const unread = again.unfound === 0 ? "" : `; ${again.unfound} without a stored reply, as sealed`;
    return passedOr(name, problems, `${again.checked} made again from the stored replies${unread}`);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return passedOr(name, [error.message], "");
  }
}

interface JudgedAgain {
  readonly checked: number;
  readonly unfound: number;
  readonly problems: readonly string[];
}

/** Why it cannot be done, or what the stored replies give. */
async function judgedAgain(home: string, file: JudgeFile, run: JudgedRunFolder, io: Io): Promise<string | JudgedAgain> {
  const judge = catalogueOf(io).judges.find(file.judge);
  if (judge === undefined) return `the judge ${file.judge} is not at hand`;
  const cases = await casesOf(run, file.options, { run: run.run, against: file.against, data: run.data }, io).catch(
    (error: unknown) => {
      if (error instanceof UsageError) return error.message;
      throw error;
    },
  );
  if (typeof cases === "string") return cases;
  const keyed = new Map(cases.map((one) => [judgementKey(judge.name, file.model, one), one]));
  const asking = { judge, model: storedModel(home, file.model), temperature: undefined }; // stored replies are found without it
  const problems: string[] = [];
  let [checked, unfound] = [0, 0];
  for (const { key, question, cell, judged } of lastJudgements(home)) {
    const one = keyed.get(key);
    const where = `${runFiles.judgements}: ${question} of cell ${cell}`;
    if (one === undefined) problems.push(`${where}: no such case in the run`);
    else if (judged.kind !== "failed") {
      const { judged: told } = await askJudge(asking, one.shown, new AbortController().signal);
      if (told.kind === "failed") unfound += 1;
      else if (JSON.stringify(told) === JSON.stringify(judged)) checked += 1;
      else problems.push(`${where}: has ${said(judged)}, the stored replies give ${said(told)}`);
    }
  }
  return { checked, unfound, problems };
}

/** Answers from the replies of a folder alone. */
function storedModel(home: string, id: string): Model {
  const find = replyFinder(readJournal<StoredCall>(join(home, runFiles.responses)), id);
  return {
    id,
    capabilities: { temperature: true, stop: true, tools: false, prefill: false, logprobs: false, thinking: "none" },
    simulated: false,
    complete(request) {
      const reply = find(request);
      if (reply !== undefined) return Promise.resolve(reply);
      return Promise.reject(new ModelError("no stored reply", { retryable: false, bill: "none" }));
    },
  };
}

const said = (judged: Judgement["judged"]): string =>
  judged.kind === "judged" ? `${judged.value} (${JSON.stringify(judged.why.slice(0, 30))})` : judged.kind;
