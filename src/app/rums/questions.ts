import { relative, resolve } from "node:path";
import { type PaperData, readPaperData, writePaperData } from "../../data/profile-questions/paper-data.js";
import { PROFILE_QUESTION, profileQuestions } from "../../tasks/profile-questions.js";
import { countOf } from "../../text/count.js";
import type { Io } from "../io.js";

export interface QuestionsSettings {
  readonly queries: readonly string[];
  readonly profiles: string;
  readonly out: string;
  readonly limit?: number | undefined;
  readonly perQuery?: number | undefined;
  readonly seed?: number | undefined;
}

/**
 * Makes data of the task profile-questions out of the files of RUMS: PersonaFeedback, FreebaseQA, WildChat, and profiles. Throws
 * UsageError, in one line, on a form that it does not know.
 */
export async function makeQuestions(settings: QuestionsSettings, io: Pick<Io, "cwd">): Promise<PaperData> {
  const { queries, profiles, out, limit = 0, perQuery = 5, seed = 0 } = settings;
  const at = (path: string): string => resolve(io.cwd, path);
  const data = await readPaperData({ queries: queries.map(at), profiles: at(profiles), limit, perQuery, seed });
  writePaperData(data, { out: at(out), official: profileQuestions.official, wording: PROFILE_QUESTION });
  return data;
}

/** What was read and written, and what to type next. */
export function renderQuestions(
  { files, profiles, pairs }: PaperData,
  { out }: Pick<QuestionsSettings, "out">,
  { cwd }: Pick<Io, "cwd">,
): string {
  const unlabelled = files.some(({ queries }) => queries.some(({ personal }) => personal === undefined));
  const folder = relative(cwd, resolve(cwd, out)) || ".";
  return [
    ...files.map(
      ({ file, form, records, left, queries }) =>
        `${file}: ${form}, ${countOf(records, "record")}${left === 0 ? "" : `, ${left} left out (not English, toxic, or without a line of the user's)`}, ${countOf(queries.length, "question")} taken`,
    ),
    `${countOf(profiles.length, "profile")}; ${countOf(pairs.length, "pair")} of a question and a profile`,
    ...(unlabelled ? ["which questions of WildChat gain from a profile people must say: rums eval --labels FILE"] : []),
    `in ${folder}; next: lamp-eval run --task profile-questions --data ${folder} --preset rums`,
  ].join("\n");
}
