import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { repliesIn, verdictIn } from "../judges/verdicts.js";
import { defined } from "../text/json.js";
import type { Judged, JudgedRun, Judgement, Outcome, Row } from "../types/index.js";
import type { Manifest } from "./manifest.js";
import type { StoredRun } from "./stored-run.js";

/** Returns the folder with the runs of a run's judges. */
export const judgesFolder = (run: string): string => join(run, "judges");

/** Returns the judgements of each finished judge of a run, ordered by the names of the judges' folders. */
export function judgementsOf({ path, runs }: StoredRun): JudgedRun[] {
  const folder = judgesFolder(path);
  const names = existsSync(folder) ? readdirSync(folder).sort() : [];
  return names.flatMap((name) => {
    const judge = runs?.find(join(folder, name));
    const { judged, finishedAt } = judge?.manifest ?? {};
    if (judge === undefined || judged === undefined || finishedAt === undefined) return [];
    return [judgedRun({ ...judge.manifest, judged }, judge.rows)];
  });
}

type JudgeManifest = Pick<Manifest, "identity" | "simulated"> & { readonly judged: NonNullable<Manifest["judged"]> };

/** Returns the judgements in the rows of a judge, in the order of the judged arms. Other rows are left out. */
export function judgedRun({ judged, identity, simulated }: JudgeManifest, rows: Iterable<Row>): JudgedRun {
  const { judge, range, options, against, specs } = judged;
  const model = identity.arms[0]?.model ?? "";
  const ownReplies = specs.some((arm) => arm.model === model);
  const place = new Map(specs.map(({ id }, at) => [id, at]));
  const countsAs = options["judge.onParseFail"] === "zero" ? 0 : undefined;
  const byReply = new Map<string, Row[]>();
  for (const row of rows) {
    const reply = JSON.stringify([row.tags?.arm, row.tags?.question, row.tags?.first]);
    byReply.set(reply, [...(byReply.get(reply) ?? []), row]);
  }
  const judgements = [...byReply.values()].flatMap((parts) => wholeOf(parts, countsAs));
  return {
    facts: { judge, model, simulated, range, options, ownReplies, ...defined({ against }) },
    judgements: judgements.sort((a, b) => (place.get(a.arm) ?? 0) - (place.get(b.arm) ?? 0)),
  };
}

/** Joins the parts of a judgement, if all are there: their mean. `unreadable`: what a part without a verdict counts as. */
function wholeOf(rows: readonly Row[], unreadable: number | undefined): Judgement[] {
  const found = rows.flatMap((row) => judgementOf(row) ?? []);
  const [first] = found;
  const count = Number(rows[0]?.tags?.part?.split(" ").at(-1) ?? 0);
  if (first === undefined || count === 0) return found;
  if (found.length < count) return [];
  const tokens = { in: sum(found.map((one) => one.tokens.in)), out: sum(found.map((one) => one.tokens.out)) };
  const judged = joined(
    found.map(({ judged }) =>
      judged.kind === "unjudged" && unreadable !== undefined
        ? { kind: "judged", value: unreadable, why: "unreadable" }
        : judged,
    ),
  );
  return [{ ...first, judged, tokens, calls: sum(found.map(({ calls }) => calls)) }];
}

/** One part that failed or has no verdict leaves the whole without one. */
function joined(parts: readonly Judged[]): Judged {
  const without = (["failed", "unjudged"] as const).flatMap((kind) => parts.find((part) => part.kind === kind) ?? []);
  if (without[0] !== undefined) return without[0];
  const values = parts.flatMap((part) => (part.kind === "judged" ? [part.value] : []));
  return { kind: "judged", value: sum(values) / values.length, why: `parts: ${values.join(", ")}` };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Returns undefined for a row of no judge. */
function judgementOf({ tags, user, outcome, spend }: Row): Judgement | undefined {
  const { arm, question, position, against, first } = tags ?? {};
  if (arm === undefined || question === undefined) return undefined;
  const { calls = 0, in: tokensIn = 0, out = 0 } = spend.judge ?? {};
  return {
    arm,
    question,
    user,
    ...defined({
      position: position === undefined ? undefined : Number(position),
      against: against === undefined ? undefined : { arm: against, shownFirst: first === "other" },
    }),
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
