import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { repliesIn, verdictIn } from "../../judges/verdicts.js";
import type { Judged, JudgedRun, Judgement } from "../../report/judgements/judgement.js";
import { type Manifest, readManifest } from "../../run/manifest.js";
import { eachRow } from "../../run/rows.js";
import type { Outcome, Row } from "../../types/index.js";

/** The folder of a run that holds the runs of its judges. */
export const judgesFolder = (run: string): string => join(run, "judges");

/** What every judge that has finished said of a run, by the name of its folder. */
export function readJudgements(run: string): JudgedRun[] {
  const folder = judgesFolder(run);
  const names = existsSync(folder) ? readdirSync(folder).sort() : [];
  return names.flatMap((name) => {
    const manifest = readManifest(join(folder, name));
    if (manifest?.judged === undefined || manifest.finishedAt === undefined) return [];
    return [judgedRun({ ...manifest, judged: manifest.judged }, eachRow(join(folder, name)))];
  });
}

/** What a judge said, by its rows: in the order of the judged arms, then of its rows. */
export function judgedRun(
  {
    judged,
    plan,
    simulated,
  }: Pick<Manifest, "plan" | "simulated"> & { readonly judged: NonNullable<Manifest["judged"]> },
  rows: Iterable<Row>,
): JudgedRun {
  const { judge, range, options, against, cells } = judged;
  const model = plan.cells[0]?.model ?? "";
  const judgements = [...rows].flatMap((row) => judgementOf(row) ?? []);
  const place = new Map(cells.map(({ id }, at) => [id, at]));
  return {
    facts: {
      ...{ judge, model, simulated, range, options },
      ownReplies: cells.some((cell) => cell.model === model),
      ...(against === undefined ? {} : { against }),
    },
    judgements: judgements.sort((a, b) => (place.get(a.cell) ?? 0) - (place.get(b.cell) ?? 0)),
  };
}

/** Returns undefined for a row that is of no judge. */
function judgementOf({ tags, user, outcome, spend }: Row): Judgement | undefined {
  const { cell, question, position, against, first } = tags ?? {};
  if (cell === undefined || question === undefined) return undefined;
  const { calls = 0, in: tokensIn = 0, out = 0 } = spend.judge ?? {};
  return {
    ...{ cell, question, user },
    ...(position === undefined ? {} : { position: Number(position) }),
    ...(against === undefined ? {} : { against: { cell: against, shownFirst: first === "other" } }),
    judged: judgedOf(outcome),
    tokens: { in: tokensIn, out },
    calls,
  };
}

function judgedOf(outcome: Outcome): Judged {
  if (outcome.kind === "failed") return outcome;
  const verdict = verdictIn(outcome.reply);
  return verdict === undefined
    ? { kind: "unjudged", replies: repliesIn(outcome.reply) }
    : { kind: "judged", ...verdict };
}
