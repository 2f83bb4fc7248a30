import { groupBy } from "../../results/samples.js";
import { countOf } from "../../text/count.js";
import type { Row } from "../../types/index.js";
import { html, type Markup } from "../html.js";
import { formatAmount } from "../tables/format.js";
import type { Headline } from "./verdict.js";

/** Why answers failed or could not be read. */
interface Cause {
  readonly kind: "failed" | "unparsed";
  readonly count: number;
  readonly text: string;
  /** Finds these answers in the list. */
  readonly search: string;
}

/** Failed and unparsed answers of a task by their causes, the most frequent first. */
export interface Problems {
  readonly answers: number;
  readonly failed: number;
  readonly unparsed: number;
  readonly causes: readonly Cause[];
}

const MOST_CAUSES = 4;
const EXAMPLE_CHARS = 60;

/** Returns undefined where every answer could be read. */
export function problemsOf(rows: readonly Row[]): Problems | undefined {
  const failed = rows.flatMap(({ outcome }) => (outcome.kind === "failed" ? [outcome.error] : []));
  const unparsed = rows.flatMap(({ outcome }) => (outcome.kind === "unparsed" ? [outcome.reply] : []));
  if (failed.length + unparsed.length === 0) return undefined;
  const errors = [...groupBy(failed, (error) => error.replaceAll(/\d+/g, "0")).values()];
  const [empty, unread] = [true, false].map((wanted) => unparsed.filter((reply) => (reply.trim() === "") === wanted));
  const causes: Cause[] = [
    ...errors.map((like) => ({ kind: "failed" as const, count: like.length, text: like[0]!, search: like[0]! })),
    { kind: "unparsed", count: empty!.length, text: "the reply is empty", search: "" },
    {
      kind: "unparsed",
      count: unread!.length,
      text: `the reply names no answer of the task, e.g. “${short(unread![0] ?? "")}”`,
      search: "",
    },
  ];
  const found = causes.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count);
  return {
    answers: rows.length,
    failed: failed.length,
    unparsed: unparsed.length,
    causes: found.slice(0, MOST_CAUSES),
  };
}

const short = (text: string): string => {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > EXAMPLE_CHARS ? `${line.slice(0, EXAMPLE_CHARS - 1)}…` : line;
};

/** From half of all answers on, their cause is what a task's results say; else undefined. */
export function verdictOfProblems({ answers, failed, unparsed, causes: [cause] }: Problems): Headline | undefined {
  if (2 * (failed + unparsed) < answers || cause === undefined) return undefined;
  if (2 * cause.count < answers) {
    const both = `${formatAmount(failed + unparsed)} of ${formatAmount(answers)} answers failed or could not be read`;
    return { says: html`<strong>${both}</strong>`, details: "" };
  }
  const count = cause.count === answers ? "All" : `${formatAmount(cause.count)} of`;
  const what = cause.kind === "failed" ? "answers failed" : "replies could not be read";
  return { says: html`<strong>${count} ${formatAmount(answers)} ${what}</strong>`, details: `${cause.text}.` };
}

/** Writes the box below the verdict. `task`: its name in addresses where the run has several. */
export function problemBox({ answers, failed, unparsed, causes }: Problems, task: string | undefined): Markup {
  const parts = [
    failed === 0 ? "" : `${formatAmount(failed)} of ${countOf(answers, "answer")} failed and are not in the scores`,
    unparsed === 0 ? "" : `${countOf(unparsed, "reply", "replies")} could not be read and count as wrong`,
  ];
  const items = causes.map(({ kind, count, text, search }) => {
    const address = new URLSearchParams({ ...(task === undefined ? {} : { t: task }), show: kind });
    if (search !== "") address.set("text", search.slice(0, EXAMPLE_CHARS));
    const tag = html`<b class="tag ${kind}">${formatAmount(count)} ${kind}</b>`;
    return html`<li>${tag} ${text} <a class="js" href="#${String(address)}">show</a></li>`;
  });
  return html`<div class="problems">
<strong>${parts.filter((part) => part !== "").join("; ")}</strong>
<ul>${items}</ul></div>`;
}
