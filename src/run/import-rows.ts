import { readReply } from "../tasks/read-reply.js";
import type { Outcome, Row } from "../types.js";
import type { LoadedTask } from "./plan/plan.js";

interface ImportSettings {
  readonly cell: string;
  readonly loaded: LoadedTask;
  /** By question id. */
  readonly outputs: ReadonlyMap<string, string | undefined>;
  /** Where the predictions come from, for the error of a question without one. */
  readonly source: string;
  readonly simulated: boolean;
  /** Numbers of metrics by question id, by metric. */
  readonly given?: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

/**
 * One row per question of the data, read as a run reads replies. A question without prediction is failed, never scored; one that
 * has no gold either needs none, and counts as an empty reply that is not scored.
 */
export function importRows({ cell, loaded, outputs, source, simulated, given = new Map() }: ImportSettings): Row[] {
  return [...loaded.units].flatMap((unit) =>
    unit.examples.map(({ question, gold }): Row => {
      const output = outputs.get(question.id);
      const outcome: Outcome =
        output === undefined && gold !== undefined
          ? { kind: "failed", error: `no prediction in ${source}` }
          : readReply(loaded.task, question, output ?? "");
      return {
        cell,
        unit: unit.id,
        question: question.id,
        user: unit.user.id,
        ...(gold === undefined ? {} : { gold }),
        outcome,
        spend: {},
        spendUnknown: true,
        incidents: {},
        ...(simulated ? { simulated: true } : {}),
        ...(outcome.kind === "failed" ? {} : givenOf(question.id, given)),
      };
    }),
  );
}

function givenOf(question: string, given: NonNullable<ImportSettings["given"]>): Pick<Row, "given"> {
  const values = [...given].flatMap(([metric, numbers]): [string, number][] => {
    const value = numbers.get(question);
    return value === undefined ? [] : [[metric, value]];
  });
  return values.length === 0 ? {} : { given: Object.fromEntries(values) };
}
