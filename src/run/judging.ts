import { relative, resolve } from "node:path";
import { poolOf } from "../data/others.js";
import { lazily, nth } from "../data/sequence.js";
import { UsageError } from "../errors.js";
import { casesOf } from "../judges/cases.js";
import { judgeMethod, judgeTask } from "../judges/verdicts.js";
import { countOf } from "../text/count.js";
import { type Catalogue, catalogueOf, extended } from "./catalogue.js";
import { dataOfRun } from "./data.js";
import type { Io } from "./io.js";
import type { Manifest } from "./manifest.js";
import { openRunFolder, type StoredRun } from "./stored-run.js";
import type { Judging } from "./world.js";

/** Whose replies are judged, and how. */
type JudgedReplies = NonNullable<Manifest["judged"]>;

/** Returns what a judge's run is recomputed with: its questions from the judged run, and the catalogue that knows its task. */
export async function judgingAgain(
  judged: JudgedReplies,
  { folder, data }: { readonly folder: string | undefined; readonly data: string | undefined },
  io: Io,
): Promise<{ readonly judging: Judging; readonly catalogue: Catalogue }> {
  const catalogue = catalogueOf(io);
  const method = judgeMethod(catalogue.judges.get(judged.judge, "--judge"));
  const run = folder === undefined ? (data ?? ".") : resolve(folder, judged.run);
  const own = folder === undefined || data === undefined ? {} : { data };
  const judging = await judgingOf({ ...judged, ...own }, openRunFolder(run, io.cwd), relative(io.cwd, run), io);
  return { judging, catalogue: extended(catalogue, { tasks: [judgeTask], methods: [method] }, "a judge") };
}

/** Makes the questions of a judge's run, with prompts that are made when they are asked for. Throws UsageError where there is no reply. */
export async function judgingOf(judged: JudgedReplies, folder: StoredRun, named: string, io: Io): Promise<Judging> {
  const { judge, options, against, cells, data } = judged;
  const loaded = [];
  for (const task of new Set(cells.map((cell) => cell.task)))
    loaded.push(await dataOfRun(folder, task, { run: named, data }, io));
  const replies = { judge: catalogueOf(io).judges.get(judge), options, against, cells, rows: folder.rows, loaded };
  const cases = () => casesOf(replies);
  let [length, questions] = [0, 0];
  for (const { examples } of cases()) [length, questions] = [length + 1, questions + examples.length];
  if (length === 0) throw new UsageError(`judge ${named}: it holds no reply to judge`);
  const name = against === undefined ? "replies" : `replies against ${against}`;
  return {
    judged,
    loaded: {
      task: judgeTask,
      dataset: { name, task: judgeTask.name, users: [], files: [], ordered: true, facts: { questions } },
      units: lazily(length, cases, (index) => nth(cases(), index)),
      questions,
      others: poolOf([], { kind: "none", askers: [], dated: false }),
      dataOptions: {},
      remarks: [`${countOf(cells.length, "judged arm")} of ${named}`],
    },
  };
}
