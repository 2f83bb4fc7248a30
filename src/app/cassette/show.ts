import { resolve } from "node:path";
import { formatAmount, renderText } from "../../report/tables/table.js";
import { type Cassette, openCassette } from "../../run/cassette/cassette.js";
import { nounOf } from "../../text/count.js";
import type { Io } from "../io.js";

/** Opens a cassette to look into. Throws UsageError on one that is missing or damaged. */
export const showCassette = (named: string, { cwd }: Pick<Io, "cwd">): Cassette =>
  openCassette(resolve(cwd, named), named);

/** What it holds, in one line. */
export function cassetteContents({ counts, simulated }: Cassette["head"]): string {
  const { calls, places, vectors, searches } = counts;
  const parts = [
    `${formatAmount(calls)} ${nounOf(calls, "call")}`,
    `${formatAmount(places)} ${nounOf(places, "question or preparation", "questions and preparations")}`,
    ...(vectors === 0 ? [] : [`${formatAmount(vectors)} ${nounOf(vectors, "vector")}`]),
    ...(searches === 0 ? [] : [`${formatAmount(searches)} ${nounOf(searches, "search", "searches")}`]),
  ];
  return `${parts.join(", ")}${simulated ? "; SIMULATED (the embedded model)" : ""}`;
}

/** What it holds, whose it is and what was asked, as text. */
export function cassetteText({ id, head, asked }: Cassette): string {
  const { plan, complete, answeredBy } = head;
  const questions = new Map<string, number>();
  for (const { cell, question } of asked)
    if (question !== undefined) questions.set(cell, (questions.get(cell) ?? 0) + 1);
  const titles = ["task", "data", "method", "model", "repeat", "questions"];
  const table = renderText({
    columns: titles.map((title, i) => ({ title, align: i < 4 ? ("left" as const) : ("right" as const) })),
    rows: plan.cells.map(({ id: cell, task, dataset, method, model, repeat }) => [
      task,
      dataset,
      method,
      model,
      String(repeat + 1),
      String(questions.get(cell) ?? 0),
    ]),
  });
  return [
    `cassette ${id.slice(0, 12)}, recorded by lamp-eval ${plan.version}${complete ? "" : ", of a run that had not ended"}`,
    cassetteContents(head),
    `answered by ${answeredBy.join(", ") || "nobody"}`,
    ...plan.data.flatMap(({ task, files }) => files.map(({ name, sha256 }) => `data ${task}: ${name} ${sha256}`)),
    "",
    table,
  ].join("\n");
}
